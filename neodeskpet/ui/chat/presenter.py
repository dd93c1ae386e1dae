"""Joins the chat and its window: hands on what happens, and what the person does."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol, assert_never

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    ConversationChanged,
    MessageAdded,
    MessageRemoved,
    QueueChanged,
    RunningChanged,
    TitleChanged,
    TroubleMet,
    TurnMoved,
)
from neodeskpet.conversation.export import write_export
from neodeskpet.conversation.ports import Decision, Store
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.blocks import Message, Role, ToolUse
from neodeskpet.core.errors import Action, KnownError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo, MessageHead
from neodeskpet.core.turn.turn_events import UsageChanged
from neodeskpet.language import say, tr
from neodeskpet.ui.bridge import Bridge
from neodeskpet.ui.chat.album import Album
from neodeskpet.ui.chat.compose.attacher import Attacher
from neodeskpet.ui.chat.compose.attachments import Attachment
from neodeskpet.ui.chat.items.wording import queued_words
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.chat.window import ChatWindow
from neodeskpet.ui.folders import Kind

_log = logging.getLogger(__name__)

_DRAFT_MS = 400
_RECALLED = 50


class Notebook(Protocol):
    """Small state of the app, kept in the store."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class ChatStore(Store, Notebook, Protocol):
    """What the presenter asks of the store beyond `Store`."""

    async def pin_conversation(self, conversation_id: str, pinned: bool) -> None: ...


class ChatPresenter(QObject):
    """A `ChatListener`. `allow_always(tool)` remembers "Always"; `take_back` undoes a call.

    Signals: `settings_requested(section)`; `troubled(what, hint)` for what belongs to no message;
    `sent()` when the person has sent something.
    """

    settings_requested = Signal(str)
    troubled = Signal(str, str)
    sent = Signal()

    def __init__(
        self,
        chat: Chat,
        store: ChatStore,
        window: ChatWindow,
        view: ChatView,
        bridge: Bridge,
        *,
        allow_always: Callable[[str], None],
        take_back: Callable[[ToolUse], Awaitable[ToolUse]],
        name: str = "Neo",
    ) -> None:
        super().__init__(window)
        self._chat = chat
        self._store = store
        self._window = window
        self._view = view
        self._bridge = bridge
        self._allow_always = allow_always
        self._take_back = take_back
        self._name = name
        self._shown = ""
        self._closed = False
        self._added: list[str] = []  # messages that came since the conversation was entered
        self._unconfirmed: tuple[str, list[Attachment]] | None = None  # sent, but not yet stored
        self._waiting: list[tuple[str, Sequence[Picture]]] = []  # the queue
        self._sent: dict[str, Attachment] = {}  # what waits of pictures, by digest
        self._laid_by: dict[str, list[Attachment]] = {}  # not sent, by conversation
        self._album = Album(view, store.picture)
        self._attacher = Attacher(window.composer, folders=window.folders)
        self._draft = QTimer(self, singleShot=True, interval=_DRAFT_MS)
        self._draft.timeout.connect(lambda: self._work(self._keep_draft(), "draft"))
        self._connect()
        chat.listen(self)

    async def restore(self) -> None:
        """Take up what is remembered for all conversations, before the window is shown."""
        for kind in Kind:
            if kept := await self._store.get_state(f"folder:{kind}"):
                self._window.folders.restore(kind, kept)

    async def close(self) -> None:
        """The window goes: keep what is being written. What is still being loaded comes too late
        for anyone to hear that it couldn't be.
        """
        if self._draft.isActive():
            self._draft.stop()
            await self._guard(self._keep_draft())
        self._closed = True

    def _connect(self) -> None:
        composer, view, side = self._window.composer, self._view, self._window.sidebar
        composer.submitted.connect(self._send)
        composer.stop_requested.connect(self._chat.stop)
        composer.unqueue_requested.connect(self._chat.unqueue)
        composer.go_on_requested.connect(self._chat.send_waiting)
        composer.draft_changed.connect(lambda _text: self._draft.start())
        self._bridge.add_surface(self._album)
        self._album.quoted.connect(self._attacher.quote)
        self._album.gone.connect(lambda: self.troubled.emit(tr("The picture is gone."), ""))
        view.messages_wanted.connect(self._provide)
        view.action_requested.connect(self._act)
        view.approval_given.connect(self._answer)
        view.undo_requested.connect(self._undo)
        view.retry_requested.connect(self._chat.retry)
        side.opened.connect(lambda wanted: self._work(self._chat.open(wanted), "open"))
        side.new_requested.connect(lambda: self._work(self._chat.open_new(), "new"))
        side.renamed.connect(
            lambda i, title: self._change(self._store.rename_conversation(i, title))
        )
        side.pin_requested.connect(lambda i, on: self._change(self._store.pin_conversation(i, on)))
        side.delete_requested.connect(lambda i: self._work(self._delete(i), "delete"))
        self._window.settings_requested.connect(self.settings_requested)
        self._window.export_requested.connect(self._export)
        self._window.folders.chosen.connect(
            lambda kind, folder: self._work(
                self._store.set_state(f"folder:{kind}", folder), "folder"
            )
        )

    # What the chat tells (ChatListener)

    def hear(self, event: ChatEvent) -> None:
        match event:
            case TurnMoved(message_id=message_id, event=moved):
                if isinstance(moved, UsageChanged):
                    self._window.header.set_used(moved.usage.context_tokens or None)
                self._bridge.see(message_id, moved)
            case MessageAdded(message=message):
                self._add(message)
            case MessageRemoved(message_id=message_id):
                self._bridge.flush()
                self._view.remove_message(message_id)
            case QueueChanged(queue=queue, held=held):
                self._queue(queue, held=held)
            case RunningChanged(running=running):
                self._window.set_running(running)
            case ConversationChanged(info=info):
                self._follow(info)
            case TitleChanged():
                self._work(self._refresh(), "refresh")
            case TroubleMet(error=error):
                self._tell_trouble(error)
            case _:
                assert_never(event)

    def _add(self, message: Message) -> None:
        self._bridge.flush()
        self._window.set_empty(False)
        if message.role is Role.USER:
            self._unconfirmed = None
        self._added.append(message.id)
        self._album.expect(message)
        self._view.add_message(message)

    def _queue(self, queue: Sequence[tuple[str, Sequence[Picture]]], *, held: bool) -> None:
        if list(queue) != self._waiting:
            self._waiting = list(queue)
            self._draft.start()
        self._forget_sent()
        words = [queued_words(text, len(pictures)) for text, pictures in queue]
        self._window.composer.set_queue(words, held=held)

    def _follow(self, info: ConversationInfo) -> None:
        if info.id == self._shown:
            self._work(self._refresh(), "refresh")
            return
        self._leave()
        self._shown = info.id
        self._bridge.flush()
        self._view.open_conversation(())
        self._added = []
        self._work(self._show(info.id), "show")

    def _tell_trouble(self, error: KnownError) -> None:
        composer, lost = self._window.composer, self._unconfirmed
        if lost is not None and not composer.draft() and not composer.attachments.count:
            composer.set_draft(lost[0])  # it could not be stored: not lost
            composer.attachments.put(lost[1])
        self._unconfirmed = None
        self.troubled.emit(*say(error))

    # What the person does

    def _send(self, text: str) -> None:
        attached = self._window.composer.attachments.take()
        self._work(self._keep_draft(), "draft")
        self._unconfirmed = (text, attached)
        self._sent |= {one.picture.digest: one for one in attached}
        self._chat.send(text, [one.picture for one in attached])
        self._forget_sent()
        self.sent.emit()

    def _forget_sent(self) -> None:
        """Of the pictures only those that wait are kept, in case they come back."""
        waits = {picture.digest for _, pictures in self._waiting for picture in pictures}
        self._sent = {digest: one for digest, one in self._sent.items() if digest in waits}

    def _act(self, message_id: str, action: str) -> None:
        if action == Action.OPEN_SETTINGS:
            self.settings_requested.emit("service")
            return
        self._chat.act(message_id, Action(action))

    def _answer(self, message_id: str, index: int, choice: str, reason: str) -> None:
        approvals = self._chat.approvals
        tool = approvals.tool(message_id, index)
        if choice == "always" and tool:
            self._allow_always(tool)  # first: the turn looks again when it hears the answer
        approvals.answer(message_id, index, Decision(choice != "deny", reason))

    def _undo(self, message_id: str, index: int) -> None:
        self._work(self._chat.undo(message_id, index, self._take_back), "undo")

    def _provide(self, ids: list[str]) -> None:
        async def load() -> None:
            self._view.provide(await self._store.messages(ids))

        self._work(load(), "messages")

    # Conversations

    def _leave(self) -> None:
        """Keep what is being written; what is typed from now on is for the next conversation."""
        composer = self._window.composer
        if self._shown:
            self._draft.stop()
            self._work(self._store.set_state(self._draft_key(), self._unsent()), "draft")
            self._laid_by[self._shown] = [*self._sent.values(), *composer.attachments.take()]
            self._waiting, self._sent = [], {}
            composer.set_draft("")

    async def _heads(self, conversation_id: str) -> Sequence[MessageHead]:
        """The messages of a conversation, with those that came while they were read: whoever is
        quick has sent something before its history is there.
        """
        while True:
            known = len(self._added)
            heads = await self._store.heads(conversation_id)
            if self._shown != conversation_id or len(self._added) == known:
                return heads

    async def _show(self, conversation_id: str) -> None:
        await self._refresh()
        heads = await self._heads(conversation_id)
        if self._shown != conversation_id:
            return
        if [head.id for head in heads] != self._added:
            self._bridge.flush()
            self._view.open_conversation(heads)
        self._window.set_empty(not heads)
        draft = await self._store.get_state(self._draft_key()) or ""
        recent = await self._store.history(conversation_id, _RECALLED)
        if self._shown != conversation_id:
            return
        composer = self._window.composer
        composer.set_draft(draft + composer.draft())
        laid_by = self._laid_by.pop(conversation_id, [])
        if laid_by:
            composer.attachments.put([*laid_by, *composer.attachments.pictures()])
        composer.set_history([m.text for m in recent if m.role is Role.USER])
        used = [m.usage.context_tokens for m in recent if m.usage is not None]
        self._window.header.set_used(used[-1] or None if used else None)

    async def _refresh(self) -> None:
        self._window.sidebar.show_infos(await self._store.conversations())
        if self._chat.conversation is not None:
            self._window.sidebar.set_current(self._chat.conversation.id)

    async def _delete(self, conversation_id: str) -> None:
        current = self._chat.conversation
        if current is not None and current.id == conversation_id:
            self._chat.stop()
            await self._chat.wait()
            await self._store.delete_conversation(conversation_id)
            self._window.composer.set_draft("")
            self._window.composer.attachments.put(())
            await self._chat.open()
        else:
            await self._store.delete_conversation(conversation_id)
        self._laid_by.pop(conversation_id, None)
        await self._refresh()

    def _change(self, work: Awaitable[object]) -> None:
        async def change() -> None:
            await work
            await self._refresh()

        self._work(change(), "conversation")

    def _draft_key(self) -> str:
        return f"draft:{self._shown}"

    async def _keep_draft(self) -> None:
        await self._store.set_state(self._draft_key(), self._unsent())

    def _unsent(self) -> str | None:
        """What waits and what is being written. If the conversation or the app is left now, or
        dies, all of it stands in the composer again.
        """
        texts = (*(text for text, _ in self._waiting), self._window.composer.draft())
        return "\n\n".join(filter(None, texts)) or None

    # Export

    def _export(self, kind: str) -> None:
        ending = "md" if kind == "markdown" else "json"
        title = self._chat.conversation.title if self._chat.conversation else ""
        safe = "".join(c for c in title if c.isalnum() or c in " -_").strip() or "conversation"
        place = self._window.folders.of(Kind.DOCUMENTS) / f"{safe}.{ending}"
        dialog = QFileDialog(self._window, tr("Export conversation"), str(place))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.fileSelected.connect(lambda path: self._work(self._write(kind, path), "export"))
        dialog.open()

    async def _write(self, kind: str, path: str) -> None:
        info = self._chat.conversation
        if info is None:
            return
        heads = await self._store.heads(info.id)
        messages = await self._store.messages([head.id for head in heads])
        try:
            await write_export(Path(path), kind, info.title, messages, self._store)
        except OSError as error:
            self.troubled.emit(tr("The file could not be written."), str(error))
            return
        self._window.folders.keep(Kind.DOCUMENTS, Path(path))
        self._window.saved.tell(Path(path))

    def _work(self, work: Coroutine[Any, Any, object], name: str) -> None:
        spawn(self._guard(work), name=f"chat {name}")

    async def _guard(self, work: Awaitable[object]) -> None:
        try:
            await work
        except KnownError as error:
            if self._closed:
                _log.info("Too late: %s", error)
            else:
                self._tell_trouble(error)
