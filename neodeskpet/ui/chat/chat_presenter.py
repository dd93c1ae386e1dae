"""Connects the chat engine with its window: shows events, and passes on the user's actions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, assert_never

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import (
    ChatErrorOccurred,
    ChatEvent,
    ConversationChanged,
    MessageAdded,
    PathChanged,
    QueueChanged,
    RemoteReplyChanged,
    RunningChanged,
    TitleChanged,
    TurnAdvanced,
)
from neodeskpet.conversation.import_chats.chat_importer import ImportStore
from neodeskpet.conversation.ports import Store
from neodeskpet.core.attachments import AttachedContent
from neodeskpet.core.blocks import (
    ConversationInfo,
    Message,
    MessageHead,
    MessageNode,
    Role,
    ToolUse,
)
from neodeskpet.core.errors import Action, KnownError, MessageNotFound
from neodeskpet.core.turn.turn_events import UsageChanged
from neodeskpet.language import tr
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.ui.bridge import Bridge
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.composer.attachment_controller import AttachmentController
from neodeskpet.ui.chat.composer.attachment_strip import Attachment
from neodeskpet.ui.chat.import_export import ImportExportController
from neodeskpet.ui.chat.items.message_annotations import CITED_KEY, SUMMARY_KEY
from neodeskpet.ui.chat.items.user_message import INSPECT_ACTION, READ_ACTION, WHY_ACTION
from neodeskpet.ui.chat.message_pictures import MessagePictures
from neodeskpet.ui.chat.message_versions import MessageVersionController
from neodeskpet.ui.chat.sidebar.conversation_actions import ConversationActions
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.dialog_folders import FolderKind
from neodeskpet.ui.formatting import queued_text
from neodeskpet.ui.rendering.code_highlighter import file_extension
from neodeskpet.ui.rendering.export_formats import ExportFormats
from neodeskpet.ui.task_runner import TaskRunner

_DRAFT_MS = 400
_HISTORY_LENGTH = 50


class ChatStateStore(Protocol):
    """Small values of application state, kept in the store."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class ChatStore(Store, ChatStateStore, ImportStore, Protocol):
    """What the presenter needs from the store beyond `Store`."""

    async def pin_conversation(self, conversation_id: str, pinned: bool) -> None: ...

    async def archive_conversations(self, ids: Sequence[str], archived: bool) -> None: ...

    async def set_folder(self, ids: Sequence[str], folder: str) -> None: ...

    async def discard_conversations(self, ids: Sequence[str]) -> None: ...

    async def restore_conversations(self, ids: Sequence[str]) -> None: ...

    async def update_draft(
        self, conversation_id: str, text: str | None, attachments: Sequence[AttachedContent]
    ) -> None: ...

    async def get_draft(self, conversation_id: str) -> tuple[str, list[AttachedContent]]: ...

    async def nodes(self, conversation_id: str) -> list[MessageNode]: ...

    async def import_conversation(self, found: ImportedConversation) -> ConversationInfo: ...


LiveMessageSource = Callable[[], Message | None]
"""Returns the message that is being written at the moment."""


class ChatPresenter(QObject):
    """A `ChatListener`. `undo_call` undoes a tool call; `name()` returns the companion's name.

    Signals: `settings_requested(section)`; `problem_reported(what, hint)` and `failed(error)` for
    problems that belong to no message; `sent()` when the user has sent something;
    `turn_report_requested(message id)`; `reasons_requested(message id)` for the memories used in a
    reply; `source_requested(passage id)`; `summary_requested(conversation id)`.
    """

    settings_requested = Signal(str)
    problem_reported = Signal(str, str)
    failed = Signal(object)
    sent = Signal()
    turn_report_requested = Signal(str)
    reasons_requested = Signal(str)
    reading_requested = Signal(str)
    """This Markdown text is to be read aloud."""
    source_requested = Signal(str)
    summary_requested = Signal(str)

    def __init__(
        self,
        chat: Chat,
        store: ChatStore,
        window: ChatWindow,
        view: ChatView,
        bridge: Bridge,
        *,
        undo_call: Callable[[ToolUse], Awaitable[ToolUse]],
        name: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(window)
        self._chat = chat
        self._store = store
        self._window = window
        self._view = view
        self._bridge = bridge
        self._undo_call = undo_call
        self._name = name
        self._writers: list[LiveMessageSource] = [lambda: chat.running_message]
        self._shown = ""
        self._previewed = ""  # the conversation that the view showed before this was built
        self._work = TaskRunner("chat", failed=self._report_failure)
        self._in_sight = asyncio.Event()  # set when the open conversation shows its history
        self._added: list[str] = []  # messages added since the conversation was opened
        self._unconfirmed: tuple[str, list[Attachment]] | None = None  # sent, but not yet stored
        self._waiting: list[tuple[str, Sequence[AttachedContent]]] = []  # the queue
        self._sent: dict[str, Attachment] = {}  # attachments of queued messages, by digest
        self._laid_by: dict[str, list[Attachment]] = {}  # unsent attachments, by conversation
        self._album = MessagePictures(view, store.picture, self._work)
        self._attacher = AttachmentController(window.composer, self._work, folders=window.folders)
        self._lists = ConversationActions(
            chat, store, window.sidebar, self._work, self._forget_draft
        )
        self._takeout = ImportExportController(
            chat,
            store,
            window,
            self._work,
            self._forms,
            lambda *said: self.problem_reported.emit(*said),
            self._lists.refresh,
        )
        self._branches = MessageVersionController(chat, view, window, self._work, store.picture)
        self._draft = QTimer(self, singleShot=True, interval=_DRAFT_MS)
        self._draft.timeout.connect(self._draft_due)
        self._draft_unsaved = False  # the last draft could not be saved
        self._connect()
        chat.subscribe(self)

    @property
    def attachment_controller(self) -> AttachmentController:
        """The controller that adds attachments to the message being written."""
        return self._attacher

    def keep_preview(self, conversation_id: str) -> None:
        """Note the conversation that the view already shows ("" for none), to replace it in one
        step.
        """
        self._previewed = conversation_id

    def add_live_source(self, writer: LiveMessageSource) -> None:
        """Add another source of messages that may be open here while they are written."""
        self._writers.append(writer)

    async def open_at(self, conversation_id: str, message_id: str = "") -> bool:
        """Open this conversation so that this message is on the shown path; return False if another
        conversation has been opened meanwhile. Raises KnownError.
        """
        present = self._chat.conversation
        if present is None or present.id != conversation_id:
            await self._chat.open(conversation_id)
        await self._in_sight.wait()
        if self._shown != conversation_id:
            return False
        self._bridge.flush()
        if message_id and self._view.column.number_of(message_id) is None:
            await self._chat.show_message(message_id)  # it is in another version
            self._bridge.flush()
        return True

    async def restore(self) -> None:
        """Restore the state that is shared by all conversations, before the window is shown."""
        for kind in FolderKind:
            if kept := await self._store.get_state(f"folder:{kind}"):
                self._window.folders.restore(kind, kept)
        self._work.start("interrupted import", self._takeout.show_interrupted)

    async def aclose(self) -> None:
        """Save the draft. Errors of what is still loading are no longer shown."""
        if self._draft.isActive() or self._draft_unsaved:
            self._draft.stop()
            try:
                await self._keep_draft()
            except KnownError as error:
                self._report_failure(error)
        self._work.detach()

    def _forms(self) -> ExportFormats:
        """Return the formats of exported files."""
        return ExportFormats(self._name(), lambda name: self._view.scene.tool_title(name))

    def _connect(self) -> None:
        composer, view = self._window.composer, self._view
        composer.submitted.connect(self._send)
        composer.stop_requested.connect(self._chat.stop)
        composer.unqueue_requested.connect(self._chat.unqueue)
        composer.queue_release_requested.connect(self._chat.send_queue)
        composer.draft_changed.connect(lambda _text: self._save_draft_soon())
        composer.attachments.changed.connect(self._save_draft_soon)
        self._bridge.add_view(self._album)
        self._album.quote_requested.connect(self._attacher.attach_quoted)
        self._album.picture_missing.connect(
            lambda: self.problem_reported.emit(tr("The picture no longer exists."), "")
        )
        view.messages_wanted.connect(self._provide)
        view.action_requested.connect(self._act)
        view.passage_quoted.connect(composer.quote)
        view.save_requested.connect(self._save_code)
        view.undo_requested.connect(self._undo)
        self._branches.edit_confirmed.connect(self._edit)
        self._window.settings_requested.connect(self.settings_requested)
        self._window.folders.chosen.connect(
            lambda kind, folder: self._work.start(
                "folder", partial(self._store.set_state, f"folder:{kind}", folder)
            )
        )

    def go_to(self, conversation_id: str, message_id: str) -> None:
        """Open this conversation and scroll to this message."""
        self._work.replace("go to", partial(self._go_to, conversation_id, message_id))

    async def _go_to(self, conversation_id: str, message_id: str) -> None:
        if all(info.id != conversation_id for info in await self._store.conversations()):
            raise MessageNotFound()
        if await self.open_at(conversation_id, message_id):
            self._view.go_to(message_id)

    # Events of the chat (ChatListener)

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case TurnAdvanced(message_id=message_id, event=moved):
                if isinstance(moved, UsageChanged):
                    self._window.header.set_tokens_used(moved.usage.context_tokens or None)
                self._bridge.on_turn_event(message_id, moved)
            case MessageAdded(message=message):
                self._add(message)
            case PathChanged():
                self._show_path(event)
            case QueueChanged() | RemoteReplyChanged():
                self._compose(event)
            case RunningChanged(running=running):
                self._window.set_running(running)
            case ConversationChanged(info=info):
                self._follow(info)
            case TitleChanged():
                self._work.start("refresh", self._refresh)
            case ChatErrorOccurred(error=error):
                self._report_failure(error)
            case _:
                assert_never(event)

    def _add(self, message: Message) -> None:
        self._window.set_empty(False)
        if message.role is Role.USER:
            self._unconfirmed = None
        self._added.append(message.id)
        self._album.add_message(message)
        self._bridge.run_when_shown(lambda: self._view.add_message(message))

    def _show_path(self, event: PathChanged) -> None:
        path, messages, fresh = event.path, event.messages, event.just_added
        self._window.set_empty(not (path.after or path.heads))
        self._added += [head.id for head in path.heads] or [path.after]
        if fresh:
            self._unconfirmed = None
            for message in messages:
                self._album.add_message(message)
        self._bridge.run_when_shown(lambda: self._view.show_path(path, messages, fresh=fresh))
        self._work.start("recent", self._show_recent)

    def _compose(self, event: QueueChanged | RemoteReplyChanged) -> None:
        if isinstance(event, RemoteReplyChanged):
            self._window.composer.set_answering_computer(event.computer)
        else:
            self._queue(event.queue, held=event.held)

    def _queue(self, queue: Sequence[tuple[str, Sequence[AttachedContent]]], *, held: bool) -> None:
        if list(queue) != self._waiting:
            self._waiting = list(queue)
            self._save_draft_soon()
        self._forget_sent()
        words = [queued_text(text, len(attachments)) for text, attachments in queue]
        self._window.composer.set_queue(words, held=held)

    def _follow(self, info: ConversationInfo) -> None:
        if info.id == self._shown:
            self._work.start("refresh", self._refresh)
            return
        self._leave()
        self._in_sight.clear()
        self._shown = info.id
        if info.id != self._previewed:
            self._previewed = ""
            self._view.open_conversation(())  # first: pending text of the old one is dropped
            self._bridge.flush()
            self._view.open_conversation(())
        self._album.clear()
        self._branches.reset()
        self._added = []
        self._work.start("show", partial(self._show, info.id))

    def _report_failure(self, error: KnownError) -> None:
        composer, lost = self._window.composer, self._unconfirmed
        if lost is not None and not composer.draft() and not composer.attachments.count:
            composer.set_draft(lost[0])  # it was not stored: restore the input
            composer.attachments.restore(lost[1])
        self._unconfirmed = None
        self.failed.emit(error)

    # Actions of the user

    def _send(self, text: str) -> None:
        attached = self._window.composer.attachments.take_all()
        self._work.start("draft", self._keep_draft)
        self.send(text, attached)

    def send(self, text: str, attached: list[Attachment]) -> None:
        """Send this message."""
        self._unconfirmed = (text, attached)
        self._sent |= {one.content.digest: one for one in attached}
        self._chat.send(text, [one.content for one in attached])
        self._forget_sent()
        self.sent.emit()

    def _edit(self, message_id: str, text: str, attached: list[Attachment]) -> None:
        self._unconfirmed = (text, attached)
        contents = [one.content for one in attached]
        self._work.start("edit", partial(self._chat.edit, message_id, text, contents))
        self.sent.emit()

    def _forget_sent(self) -> None:
        """Keep only the attachments of queued messages, which may return to the composer."""
        waits = {one.digest for _, attachments in self._waiting for one in attachments}
        self._sent = {digest: one for digest, one in self._sent.items() if digest in waits}

    def _act(self, message_id: str, action: str) -> None:
        if action == INSPECT_ACTION:
            self.turn_report_requested.emit(message_id)
            return
        if action == READ_ACTION:
            self.reading_requested.emit(self._view.message_text(message_id))
            return
        if action == WHY_ACTION:
            self.reasons_requested.emit(message_id)
            return
        if action.startswith(CITED_KEY):
            self.source_requested.emit(action.removeprefix(CITED_KEY))
            return
        if action == SUMMARY_KEY:
            self.summary_requested.emit(self._shown)
            return
        if action == Action.OPEN_SETTINGS:
            self.settings_requested.emit("service")
            return
        self._chat.run_notice_action(message_id, Action(action))

    def _undo(self, message_id: str, index: int) -> None:
        undo = partial(self._chat.undo_call, message_id, index, self._undo_call)
        self._work.start("undo", undo)

    def _provide(self, ids: list[str]) -> None:
        async def load() -> None:
            messages = await self._store.messages(ids)
            # The stored form of a message that is being written is older than its events.
            written = [one for writer in self._writers if (one := writer()) and one.id in ids]
            older = {one.id for one in written}
            self._view.add_loaded_messages([one for one in messages if one.id not in older])
            for live in written:
                self._bridge.run_when_shown(partial(self._view.update_message, live))

        self._work.start("messages", load)

    # Conversations

    def _leave(self) -> None:
        """Save the draft; what is typed from now on belongs to the next conversation."""
        composer = self._window.composer
        if self._shown:
            keep = partial(
                self._store.update_draft, self._shown, self._unsent(), self._attachments()
            )
            self._laid_by[self._shown] = [*self._sent.values(), *composer.attachments.take_all()]
            self._draft.stop()
            self._work.start("draft", keep)
            self._waiting, self._sent = [], {}
            composer.set_draft("")
            self._draft.stop()

    async def _heads(self, conversation_id: str) -> Sequence[MessageHead]:
        """Return the messages of a conversation, including those that were added while they were
        being read: the user may send something before the history has loaded.
        """
        while True:
            known = len(self._added)
            heads = await self._store.heads(conversation_id)
            if self._shown != conversation_id or len(self._added) == known:
                return heads

    async def _show(self, conversation_id: str) -> None:
        await self._refresh()
        ready: Sequence[Message] = ()
        if self._previewed:  # the messages that are painted now are painted again at once
            self._previewed = ""
            ready = await self._store.history(conversation_id, _HISTORY_LENGTH)
        heads = await self._heads(conversation_id)
        if self._shown != conversation_id:
            return
        if [head.id for head in heads] != self._added:
            self._bridge.flush()
            self._view.open_conversation(heads)
            self._view.add_loaded_messages(ready)
        self._in_sight.set()
        self._window.set_empty(not heads)
        draft, attachments = await self._store.get_draft(conversation_id)
        if self._shown != conversation_id:
            return
        composer = self._window.composer
        composer.set_draft(draft + composer.draft())
        laid_by = self._laid_by.pop(conversation_id, None)
        if laid_by:
            composer.attachments.restore([*laid_by, *composer.attachments.items()])
        elif laid_by is None:
            self._attacher.restore(attachments)
        await self._show_recent()

    async def _show_recent(self) -> None:
        """Set the inputs that ↑ recalls and the used tokens from the shown path."""
        shown = self._shown
        recent = await self._store.history(shown, _HISTORY_LENGTH)
        if self._shown == shown:
            said = [m.text for m in recent if m.role is Role.USER]
            self._window.composer.set_history(said)
            used = [m.usage.context_tokens for m in recent if m.usage is not None]
            self._window.header.set_tokens_used(used[-1] or None if used else None)

    async def _refresh(self) -> None:
        await self._lists.refresh()

    def _forget_draft(self, conversation_id: str) -> None:
        """Drop the draft of a conversation that is being deleted."""
        self._laid_by.pop(conversation_id, None)

    def _save_draft_soon(self) -> None:
        """Save the draft soon: little is lost in a crash, however long the user types without a
        pause.
        """
        if not self._draft.isActive():
            self._draft.start()

    def _draft_due(self) -> None:
        """Save the draft, once the pictures in it are ready."""
        if self._window.composer.attachments.has_pending:
            self._draft.start()
        else:
            self._work.start("draft", self._keep_draft)

    async def _keep_draft(self) -> None:
        if self._shown:
            self._draft_unsaved = True
            await self._store.update_draft(self._shown, self._unsent(), self._attachments())
            self._draft_unsaved = False

    def _attachments(self) -> list[AttachedContent]:
        """Return the attachments of the queue and of the composer."""
        attached = self._window.composer.attachments.items()
        return [one.content for one in (*self._sent.values(), *attached)]

    def _unsent(self) -> str | None:
        """Return the queued messages and the draft: all of it is put back into the composer after a
        crash, or when the conversation or the app is left now.
        """
        texts = (*(text for text, _ in self._waiting), self._window.composer.draft())
        return "\n\n".join(filter(None, texts)) or None

    # Code

    def _save_code(self, code: str, language: str) -> None:
        place = (
            self._window.folders.start_folder(FolderKind.DOCUMENTS)
            / f"code{file_extension(language)}"
        )
        dialog = QFileDialog(self._window, tr("Save code"), str(place))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(
            lambda path: self._work.start("save", partial(self._write_code, code, Path(path)))
        )
        dialog.open()

    async def _write_code(self, code: str, path: Path) -> None:
        try:
            await asyncio.to_thread(path.write_bytes, f"{code}\n".encode())
        except OSError as error:
            self.problem_reported.emit(tr("The file could not be written."), str(error))
            return
        self._window.folders.remember(FolderKind.DOCUMENTS, path)
        self._window.export_bar.show_saved(path)
