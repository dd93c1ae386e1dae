"""The open conversation as the user operates it: send, queue, stop, continue, retry.

One input creates exactly one assistant message; "Continue" and "Retry" in a notice continue the
same message. One turn runs at a time; inputs sent meanwhile wait in a queue.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

from neodeskpet.conversation.approvals import OpenQuestions
from neodeskpet.conversation.chat_events import (
    ChatErrorOccurred,
    ChatListener,
    ConversationChanged,
    ListenerList,
    MessageAdded,
    QueueChanged,
    RemoteReplyChanged,
    RunningChanged,
    TitleChanged,
    TurnAdvanced,
)
from neodeskpet.conversation.conversation import Conversation, UserInput
from neodeskpet.conversation.ports import Approver, Store
from neodeskpet.conversation.tracing import TurnTraces
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.attachments import MOST_ATTACHMENTS, AttachedContent
from neodeskpet.core.blocks import (
    ConversationInfo,
    Deletion,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    ToolUse,
)
from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.errors import Action, AnsweredElsewhere, KnownError, NoticeContent
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.language import tr
from neodeskpet.platform.async_tasks import spawn_task

_log = logging.getLogger(__name__)

_Work = Coroutine[Any, Any, None]

_MAX_TITLE = 40


async def _ignore_copy(_conversation: str, _copy: str) -> None:
    """Do nothing: no other part of the app needs the copy."""


@dataclass(frozen=True, slots=True)
class ConversationHooks:
    """Hooks of other parts of the app. `copied` gets a conversation and its copy before the copy is
    opened. `remote_computer` returns the name of the user's other computer that is writing a reply
    in a conversation now, "" for none.
    """

    copied: Callable[[str, str], Awaitable[None]] = _ignore_copy
    remote_computer: Callable[[str], str] = lambda conversation: ""


class Chat:
    """The open conversation and its queue. `setups` makes the set-up of a turn in the conversation
    with this id, a new one for every turn, with the model of this name ("": the chosen one).
    `switch_to_text` changes that setting; `choose_use` sets how tools are used with one service
    ("none", "text"). Call it on the event loop's thread only.
    """

    def __init__(
        self,
        store: Store,
        setups: Callable[[str, str], TurnSetup],
        *,
        switch_to_text: Callable[[], None],
        switch_protocol: Callable[[str, str], None] = lambda protocol, address: None,
        choose_use: Callable[[str, str], None] = lambda service, use: None,
        approver: Approver | None = None,
        hooks: ConversationHooks | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._hooks = hooks or ConversationHooks()
        self._told_elsewhere = ""
        self.approvals = OpenQuestions()
        self.tracing = TurnTraces(now=now)
        self._store = store
        self._setups = setups
        self._switch_to_text = switch_to_text
        self._switch_protocol = switch_protocol
        self._choose_use = choose_use
        self._approver = approver or self.approvals
        self._now = now
        self._listeners = ListenerList()
        self._open: Conversation | None = None
        self._queue: list[UserInput] = []
        self._turn: asyncio.Task[None] | None = None
        self._entering = 0
        self._stopping = False
        self._queue_held = False  # the queue is held until the user continues it

    # State

    @property
    def conversation(self) -> ConversationInfo | None:
        return self._open.info if self._open is not None else None

    @property
    def running(self) -> bool:
        return self._turn is not None

    @property
    def busy(self) -> bool:
        """Whether a turn runs or an input waits."""
        return self.running or bool(self._entering) or bool(self._queue)

    def subscribe(self, listener: ChatListener, *kinds: type) -> None:
        """Add a listener, for these kinds of events only (`ListenerList.add`) if any are given."""
        self._listeners.add(listener, *kinds)

    # Opening

    async def open(self, conversation_id: str | None = None) -> ConversationInfo:
        """Open this conversation, or the last one used, or a first one. A turn that runs in
        another conversation is stopped first.
        """
        known = await self._store.conversations()
        wanted = [
            info
            for info in known
            if conversation_id == info.id or (conversation_id is None and not info.archived)
        ]
        newest = max(wanted, key=lambda info: info.updated, default=None)
        return await self._switch_to(newest or await self._store.create_conversation())

    async def open_new(self) -> ConversationInfo:
        """Open an empty conversation (the present one, if it is still empty)."""
        present = self.conversation
        known = await self._store.conversations()  # it may have been deleted elsewhere
        if any(present is not None and info.id == present.id for info in known):
            assert present is not None
            if not await self._store.heads(present.id):
                return present
        return await self._switch_to(await self._store.create_conversation())

    async def _switch_to(self, info: ConversationInfo) -> ConversationInfo:
        """Switch from the open conversation to `info`, in one step: the queue of the old one isn't
        sent any more, and new inputs wait for the new conversation.
        """
        left = self._open is not None and self._open.info.id != info.id
        if left:
            self._queue.clear()
            self.stop()
            self._queue_held = False
            self._entering += 1
            try:
                while self._turn is not None:
                    await asyncio.wait([self._turn])
                    await asyncio.sleep(0)
            finally:
                self._entering -= 1
        self._open = self._conversation(info)
        self._notify_conversation()
        if left:
            self._notify_queue()
            self._send_next()
        self.check_remote_reply()
        return info

    def _conversation(self, info: ConversationInfo) -> Conversation:
        return Conversation(
            info,
            self._store,
            self._setups,
            approver=self._approver,
            report=self._listeners.notify,
            tracing=self.tracing,
            now=self._now,
        )

    # Actions of the user

    def send(self, text: str, attachments: Sequence[AttachedContent] = ()) -> None:
        """Send `text` with `attachments`, or queue them while a turn runs. Blank text alone is not
        sent; of the attachments the first `MOST_ATTACHMENTS` are.
        """
        said = UserInput(text, tuple(attachments[:MOST_ATTACHMENTS]))
        if not text.strip() and not said.attachments:
            return
        if self.running or self._entering or self._remote_computer_name():
            self._queue.append(said)
            if not self._entering:
                self._notify_queue()
            return
        self._start_turn(self._answer(said))

    def unqueue(self, position: int) -> None:
        if 0 <= position < len(self._queue):
            del self._queue[position]
            self._queue_held = self._queue_held and bool(self._queue)
            self._notify_queue()

    def send_queue(self) -> None:
        """Send the queue that Stop has held."""
        self._queue_held = False
        if self._queue and (self.running or not self._send_next()):
            self._notify_queue()

    def stop(self) -> None:
        """Stop the running turn. Its text stays, and the queue is held."""
        self._stopping = self.running
        if self._open is not None and self.running:
            self._open.stop()
        if self._queue and self.running:
            self._queue_held = True
            self._notify_queue()

    def run_notice_action(self, message_id: str, action: Action) -> None:
        """Run the action of a notice's button."""
        if self.running or self._entering:
            return
        match action:
            case Action.CONTINUE:
                self._start_turn(self._resume(message_id, drop_last_round=False))
            case Action.RETRY:
                self._start_turn(self._resume(message_id, drop_last_round=True))
            case Action.SWITCH_TO_TEXT | Action.SEND_WITHOUT_TOOLS:
                self._start_turn(self._resume_as(message_id, action))
            case Action.SWITCH_PROTOCOL:
                self._start_turn(self._resume_with_other_protocol(message_id))
            case Action.ASK_AGAIN:
                self._start_turn(self._regenerate(message_id, ""))
            case Action.OPEN_SETTINGS:
                pass  # handled by the interface

    async def undo_call(
        self, message_id: str, index: int, undo: Callable[[ToolUse], Awaitable[ToolUse]]
    ) -> None:
        """Undo the call in this block and store the result, so that the model learns of it in the
        next turn. Raises what `undo` and the store raise.
        """
        await self._store.flush()
        for message in await self._store.messages([message_id]):
            for block in message.blocks:
                if isinstance(block, ToolUse) and block.index == index:
                    changed = BlockChanged(await undo(block))
                    self._store.journal(message_id).on_turn_event(message_id, changed)
                    self._listeners.notify(TurnAdvanced(message_id, changed))

    # Versions. Starting a turn stops the running one; showing another version does not.

    @property
    def running_message(self) -> Message | None:
        """Return the message that a turn is writing, in its present state."""
        return self._open.running_message if self._open is not None else None

    async def regenerate(self, message_id: str, model: str = "") -> None:
        """Generate another reply, with the model of this name ("": the usual one). The old reply
        stays as another version.
        """
        await self._stop_and_wait()
        self._start_turn(self._regenerate(message_id, model))

    async def edit(
        self, message_id: str, text: str, attachments: Sequence[AttachedContent] = ()
    ) -> None:
        """Replace a user message by a new version and have it answered. The old version stays, with
        all messages that follow it.
        """
        said = UserInput(text, tuple(attachments[:MOST_ATTACHMENTS]))
        if text.strip() or said.attachments:
            await self._stop_and_wait()
            self._start_turn(self._answer(said, instead_of=message_id))

    async def step_version(self, message_id: str, by: int) -> None:
        """Show the version `by` places after (or before) this message. Raises KnownError
        (MessageNotFound if there is none).
        """
        await (await self._open_conversation()).step_version(message_id, by)

    async def show_message(self, message_id: str) -> None:
        """Show this message of the open conversation, in whichever version it is. Raises
        KnownError.
        """
        await (await self._open_conversation()).show_message(message_id)

    async def delete_message(self, message_id: str, *, below: bool) -> Deletion:
        """Delete a message, with all messages `below` it if requested. Raises KnownError."""
        live = self.running_message
        if live is not None and (below or live.id == message_id):
            await self._stop_and_wait()
        return await (await self._open_conversation()).delete_message(message_id, below=below)

    async def restore_messages(self, deletion: Deletion) -> None:
        """Restore deleted messages of the open conversation. Raises KnownError."""
        await (await self._open_conversation()).restore_messages(deletion)

    async def create_branch(self, message_id: str) -> ConversationInfo:
        """Open a new conversation with a copy of the messages up to and including this one. Raises
        KnownError.
        """
        await self._stop_and_wait()
        title = self.conversation.title if self.conversation is not None else ""
        named = tr("{title} (branch)", title=title) if title else ""
        made = await self._store.copy_conversation(message_id, named)
        if self.conversation is not None:
            await self._hooks.copied(self.conversation.id, made.id)
        return await self._switch_to(made)

    async def greet(self, texts: Sequence[str], untrusted: tuple[DataSource, ...] = ()) -> None:
        """Start the open conversation with the first of `texts`; the others are versions of it. An
        existing greeting is replaced; a conversation that contains a user message stays as it is.
        `untrusted`: the sources of the texts, if others may have written them. Raises KnownError.
        """
        if not self.busy:
            await (await self._open_conversation()).greet(texts, untrusted)

    async def _stop_and_wait(self) -> None:
        """Stop the running turn; the queue stays."""
        while self.running or self._entering:
            if self.running:
                self.stop()
            await self.wait_idle()
            await asyncio.sleep(0)

    async def add_notice(self, event: NoticeContent, *, key: str, done: bool = True) -> None:
        """Append a notice of the app to the open conversation, once no turn is writing there;
        `done` if nothing is left to do. A notice with the same `key` as an existing one is not
        added. Models don't receive notices. Raises StoreError.
        """
        await self.wait_idle()
        info = (await self._open_conversation()).info
        message_id = str(uuid5(NAMESPACE_URL, f"{info.id} {event.code} {key}"))
        if any(head.id == message_id for head in await self._store.heads(info.id)):
            return
        actions = () if done else event.actions
        notice = Notice(0, 0, event.code, event.params, actions=actions, resolved=done)
        now = self._now()
        message = Message(
            message_id, Role.ASSISTANT, (notice,), MessageState.DONE, created=now, ended=now
        )
        await self._store.add_message(info.id, message)
        if self.conversation is not None and self.conversation.id == info.id:
            self._listeners.notify(MessageAdded(message))

    async def add_remark(self, words: str) -> None:
        """Append a proactive remark of the companion to the open conversation, once no turn is
        writing there, so that the user can answer it. Raises StoreError.
        """
        await self.wait_idle()
        info = (await self._open_conversation()).info
        now = self._now()
        message = Message(
            str(uuid4()),
            Role.ASSISTANT,
            (Text(0, 0, words),),
            MessageState.DONE,
            created=now,
            ended=now,
        )
        await self._store.add_message(info.id, message)
        if self.conversation is not None and self.conversation.id == info.id:
            self._listeners.notify(MessageAdded(message))

    async def rename(self, info: ConversationInfo, title: str) -> None:
        """Rename a conversation if its title is still `info.title`."""
        if not await self._store.rename_conversation(info.id, title, instead_of=info.title):
            return
        renamed = replace(info, title=title)
        if self._open is not None and self._open.info.id == info.id:
            self._open.info = renamed
        self._listeners.notify(TitleChanged(renamed))

    def report_ended_tasks(self) -> None:
        """Start a reply about ended background tasks, if nothing else runs."""
        if not self.busy and not self._remote_computer_name():
            self._start_turn(self._tell())

    async def wait_idle(self) -> None:
        """Wait until no turn runs and no input waits, except inputs held by Stop."""
        while self._turn is not None:
            await asyncio.wait([self._turn])
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Stop at the end of the app. A running turn stays on disk as it is, and the next start
        offers to continue it. Listeners were told about queued inputs and may have stored them.
        """
        self._queue.clear()
        if self._turn is not None:
            self._turn.cancel()
            await asyncio.wait([self._turn])
        await self._store.flush()

    # Turns

    def _start_turn(self, work: _Work) -> None:
        self._stopping = False
        self._turn = spawn_task(self._run_guarded(work), name="turn")
        self._turn.add_done_callback(self._on_turn_ended)
        self._listeners.notify(RunningChanged(True))

    async def _run_guarded(self, work: _Work) -> None:
        try:
            name = self._remote_computer_name()
            if name:
                work.close()
                raise AnsweredElsewhere(name=name)
            await work
        except KnownError as error:
            _log.warning("A turn could not be run: %s", error)
            self._listeners.notify(ChatErrorOccurred(error))

    def _on_turn_ended(self, turn: asyncio.Task[None]) -> None:
        self._turn = None
        if not self._send_next(cancelled=turn.cancelled()):
            self._listeners.notify(RunningChanged(False))

    def _send_next(self, *, cancelled: bool = False) -> bool:
        """Send the queue, unless the app quits, another conversation is being opened, or another
        computer is writing a reply in this one.
        """
        kept = self._entering or self._queue_held or self._remote_computer_name()
        if not self._queue or cancelled or kept:
            return False
        said = self._queue.pop(0)
        self._notify_queue()
        self._start_turn(self._answer(said))
        return True

    async def _answer(self, said: UserInput, instead_of: str = "") -> None:
        conversation = await self._lasting(await self._open_conversation())
        words = said.text or (said.attachments[0].name if said.attachments else "") or tr("Picture")
        if not conversation.info.title or await self._is_named_by(conversation, instead_of):
            await self._name(conversation, words)
        await conversation.answer(said, instead_of=instead_of)

    async def _tell(self) -> None:
        await (await self._open_conversation()).report_ended_tasks()

    async def _is_named_by(self, conversation: Conversation, message_id: str) -> bool:
        """Return whether the conversation's title was made from this message."""
        if not message_id:
            return False
        way = await self._store.history(conversation.info.id, 2, until=message_id)
        return len(way) == 1 and conversation.info.title == title_from(way[0].text)

    async def _regenerate(self, message_id: str, model: str) -> None:
        await (await self._open_conversation()).regenerate(message_id, model)

    async def _resume_with_other_protocol(self, message_id: str) -> None:
        """Repeat the request with the protocol named in the message's last notice."""
        await self._store.flush()
        for message in await self._store.messages([message_id]):
            for block in message.blocks:
                if isinstance(block, Notice) and "protocol" in block.params:
                    params = block.params
                    self._switch_protocol(params["protocol"], params.get("address", ""))
                    break
        await self._resume(message_id, drop_last_round=True)

    async def _resume_as(self, message_id: str, action: Action) -> None:
        """Repeat the request with tools in the text, or without tools. If the message's last notice
        names a service, the choice is stored for that service only.
        """
        await self._store.flush()
        services = [
            block.params["service"]
            for message in await self._store.messages([message_id])
            for block in message.blocks
            if isinstance(block, Notice) and not block.resolved and "service" in block.params
        ]
        if services:
            use = "none" if action is Action.SEND_WITHOUT_TOOLS else "text"
            self._choose_use(services[-1], use)
        elif action is Action.SWITCH_TO_TEXT:
            self._switch_to_text()
        await self._resume(message_id, drop_last_round=True)

    async def _resume(self, message_id: str, *, drop_last_round: bool) -> None:
        await (await self._open_conversation()).resume(message_id, drop_last_round=drop_last_round)

    # Other computers of the user

    async def _lasting(self, conversation: Conversation) -> Conversation:
        """Return `conversation`, or a new one if another process deleted it, so that the input
        isn't lost.
        """
        known = await self._store.conversations()
        if any(info.id == conversation.info.id for info in known):
            return conversation
        made = self._conversation(await self._store.create_conversation())
        if self._open is conversation:
            self._open = made
            self._notify_conversation()
        return made

    async def reload_external_changes(self) -> None:
        """Show the present content of the open conversation after another process changed the
        store.
        """
        present = self._open
        try:
            changed, gone = await present.take_changes() if present is not None else ((), ())
        except KnownError as error:
            _log.warning("What another process wrote can't be read: %s", error)
            return
        await self.apply_remote_changes(changed, gone)

    async def apply_remote_changes(self, changed: Collection[str], gone: Collection[str]) -> None:
        """Apply changed and deleted messages from another computer. A running turn isn't disturbed;
        it is updated at its end.
        """
        try:
            known = {info.id: info for info in await self._store.conversations()}
            present = self._open
            if present is None:
                return
            info = known.get(present.info.id)
            if info is None:
                if not self.running:
                    await self.open()
                return
            present.info = info
            self._listeners.notify(TitleChanged(info))
            await present.apply_remote_changes(changed, gone)
        except KnownError as error:
            _log.warning("What another computer wrote can't be shown: %s", error)

    def check_remote_reply(self) -> None:
        """Check whether another computer still writes a reply; if not, send the queue."""
        name = self._remote_computer_name()
        if name != self._told_elsewhere:
            self._told_elsewhere = name
            self._listeners.notify(RemoteReplyChanged(name))
        if not name and not self.running:
            self._send_next()

    def _remote_computer_name(self) -> str:
        """Return the name of the computer that writes a reply in the open conversation, "" if there
        is none or it is this one.
        """
        if self.conversation is None:
            return ""
        return self._hooks.remote_computer(self.conversation.id)

    async def _open_conversation(self) -> Conversation:
        if self._open is None:
            await self.open()
        assert self._open is not None
        if self._stopping:  # pressed while there was no conversation yet
            self._open.stop()
        return self._open

    async def _name(self, conversation: Conversation, text: str) -> None:
        """Set the title from the first words of the conversation; a model may find a better one
        (`titles_and_summaries.py`).
        """
        info = conversation.info
        await self._store.rename_conversation(info.id, title_from(text))
        known = await self._store.conversations()
        conversation.info = next((row for row in known if row.id == info.id), info)
        self._notify_conversation()

    def _notify_conversation(self) -> None:
        if self.conversation is not None:
            self._listeners.notify(ConversationChanged(self.conversation))

    def _notify_queue(self) -> None:
        waiting = [(one.text, one.attachments) for one in self._queue]
        self._listeners.notify(QueueChanged(waiting, held=self._queue_held))


def title_from(text: str) -> str:
    """Return a one-line title for a conversation that begins with `text`."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TITLE else line[: _MAX_TITLE - 1] + "…"
