"""One conversation: history → turn → journal.

It answers, regenerates and continues messages that are stored as they grow. A turn answers the
messages that lead to its own, whatever version is shown meanwhile. It has no queue and no window:
`Chat` adds them for the user; background prompts use it directly. One turn at a time runs in a
conversation; turns of two conversations may run at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, PathChanged, TurnAdvanced
from neodeskpet.conversation.ports import Approver, Store, TurnListener
from neodeskpet.conversation.tracing import TurnTraces
from neodeskpet.conversation.turn_run import TurnRun
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.attachments import AttachedContent, FileText, Picture
from neodeskpet.core.background_tasks import task_end_block
from neodeskpet.core.blocks import (
    Block,
    ConversationInfo,
    Deletion,
    Document,
    Image,
    Message,
    MessageHead,
    MessageState,
    Notice,
    Role,
    ShownPath,
    Text,
    ToolUse,
)
from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.errors import KnownError, UnexpectedError
from neodeskpet.core.turn.signals import (
    AskApproval,
    Begun,
    CallModel,
    EndTurn,
    ModelFailed,
    RunTool,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent

_log = logging.getLogger(__name__)

_MAX_HISTORY = 400
_BATCH_MESSAGES = 8
"""Messages of another version that are loaded at once; the others are loaded when needed."""
_MAX_REPORTED_TASKS = 10
"""The largest number of ended tasks reported at once; the others follow."""


@dataclass(frozen=True, slots=True)
class UserInput:
    """One input of the user."""

    text: str
    attachments: tuple[AttachedContent, ...] = ()

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(one for one in self.attachments if isinstance(one, Picture))

    def blocks(self) -> tuple[Block, ...]:
        """Return the blocks: quoted pictures first, then own pictures and files, then the text."""
        ordered = sorted(
            self.attachments, key=lambda one: not (isinstance(one, Picture) and one.quoted)
        )
        images = [
            Document.of(one, at)
            if isinstance(one, FileText)
            else Image(at, 0, one.digest, one.media_type, one.name, quoted=one.quoted)
            for at, one in enumerate(ordered)
        ]
        words = [Text(len(images), 0, self.text)] if self.text.strip() else []
        return (*images, *words)


class Conversation:
    """`setups` makes the set-up of a turn in the conversation with this id, a new one for every
    turn, with the model of this name ("": the chosen one); `report` receives the events; `tracing`
    records each turn.
    """

    def __init__(
        self,
        info: ConversationInfo,
        store: Store,
        setups: Callable[[str, str], TurnSetup],
        *,
        approver: Approver,
        report: Callable[[ChatEvent], None],
        tracing: TurnTraces | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.info = info
        self._tracing = tracing or TurnTraces(now=now)
        self._store = store
        self._setups = setups
        self._approver = approver
        self._report = report
        self._now = now
        self._turn_run: TurnRun | None = None
        self._reply: Message | None = None
        self._stopping = False
        self._known: Mapping[str, MessageHead] = {}  # at the last change by another process
        self._steps = asyncio.Lock()  # serialises changes of the shown messages

    @property
    def running_message(self) -> Message | None:
        """The message that a turn writes, as it is at this moment."""
        return self._turn_run.running_message if self._turn_run is not None else self._reply

    def stop(self) -> None:
        """Stop the turn that runs or is about to start (there must be one); its text stays."""
        self._stopping = True
        if self._turn_run is not None:
            self._turn_run.stop()

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        """Pass an event of the turn on to the listeners."""
        self._report(TurnAdvanced(message_id, event))

    # Turns. Each raises KnownError if it could not be run

    async def answer(self, said: UserInput, *, instead_of: str = "") -> None:
        """Add the user's input and answer it: at the end, or as a new version of their message
        `instead_of`.
        """
        await self._run_exclusively(self._answer(said, instead_of))

    async def regenerate(self, message_id: str, model: str = "") -> None:
        """Generate another version of this reply, with the model of this name ("": the
        usual one).
        """
        await self._run_exclusively(self._regenerate(message_id, model))

    async def resume(self, message_id: str, *, drop_last_round: bool) -> None:
        """Continue an incomplete message; with `drop_last_round` its last round is repeated."""
        await self._run_exclusively(self._resume(message_id, drop_last_round=drop_last_round))

    async def report_ended_tasks(self) -> None:
        """Report ended background tasks to the model, if that hasn't happened yet, and let it
        answer.
        """
        await self._run_exclusively(self._answer_ended_tasks())

    async def answer_unprompted(self, first: tuple[Block, ...]) -> None:
        """Write a reply without a new input of the user, in a message that begins with these
        blocks.
        """
        await self._run_exclusively(self._answer_with(first))

    async def greet(self, texts: Sequence[str], untrusted: tuple[DataSource, ...] = ()) -> None:
        """Start with the first of `texts`; the others are versions of it. Does nothing if there is
        a user message. Raises KnownError.
        """
        async with self._steps:
            while heads := await self._store.heads(self.info.id):
                if len(heads) > 1 or not await self._is_greeting(heads[0].id):
                    return
                path, _ = await self._store.delete_message(self.info.id, heads[0].id, below=True)
                await self._publish_path(path)
            first = ""
            for text in texts:
                now, words = self._now(), (Text(0, 0, text, untrusted=untrusted),)
                greeting = Message(
                    str(uuid.uuid4()), Role.ASSISTANT, words, MessageState.DONE, now, now
                )
                await self._store_message(greeting, beside=first)
                first = first or greeting.id
            if len(texts) > 1:
                await self._publish_path(await self._store.show_message(self.info.id, first))

    async def _is_greeting(self, message_id: str) -> bool:
        """Return whether the message is neither a reply nor a notice."""
        return all(
            one.role is Role.ASSISTANT
            and not one.model
            and all(isinstance(block, Text) for block in one.blocks)
            for one in await self._store.messages([message_id])
        )

    # Versions. All methods raise KnownError

    async def step_version(self, message_id: str, by: int) -> None:
        """Show the version `by` places after (or before) this message."""
        async with self._steps:
            await self._publish_path(await self._store.step_version(self.info.id, message_id, by))

    async def show_message(self, message_id: str) -> None:
        """Show this message, in whichever version it is."""
        async with self._steps:
            await self._publish_path(await self._store.show_message(self.info.id, message_id))

    async def delete_message(self, message_id: str, *, below: bool) -> Deletion:
        """Delete a message, with all messages `below` it if requested."""
        async with self._steps:
            path, deletion = await self._store.delete_message(self.info.id, message_id, below=below)
            await self._publish_path(path)
        return deletion

    async def restore_messages(self, deletion: Deletion) -> None:
        """Restore deleted messages."""
        async with self._steps:
            await self._publish_path(await self._store.restore_messages(self.info.id, deletion))

    async def take_changes(self) -> tuple[set[str], set[str]]:
        """Return the messages that were added or changed since the last call, and the deleted ones.
        Changes made here count too; the first call returns all messages.
        """
        heads = await self._store.heads(self.info.id)
        before, self._known = self._known, {one.id: one for one in heads}
        changed = {one for one, head in self._known.items() if before.get(one) != head}
        return changed, before.keys() - self._known.keys()

    async def apply_remote_changes(self, changed: Collection[str], gone: Collection[str]) -> None:
        """Apply changed and deleted messages from another computer to what is shown."""
        async with self._steps:
            ids = [head.id for head in await self._store.heads(self.info.id)]
            first = next((at for at, one in enumerate(ids) if one in changed), len(ids))
            if gone:
                first = 0
            if gone or first < len(ids):
                after = ids[first - 1] if first else ""
                await self._publish_path(await self._store.path(self.info.id, after))

    async def _publish_path(self, path: ShownPath) -> None:
        ids = [head.id for head in path.heads]
        first = await self._store.messages(ids[:_BATCH_MESSAGES])
        live = self.running_message
        if live is not None and live.id in ids:
            first = [*(one for one in first if one.id != live.id), live]
        self._report(PathChanged(path, first))

    # Turns

    async def _run_exclusively(self, turn: Coroutine[Any, Any, None]) -> None:
        try:
            await turn
        finally:
            self._turn_run = self._reply = None
            self._stopping = False

    async def _answer(self, said: UserInput, instead_of: str) -> None:
        created = self._now()
        question = Message(
            str(uuid.uuid4()), Role.USER, said.blocks(), MessageState.DONE, created, created
        )
        async with self._steps:
            await self._store_message(question, said.pictures, beside=instead_of)
            setup, reply, error = await self._begin(reports=await self._task_reports())
        await self._finish(setup, reply, error)

    async def _answer_with(self, first: tuple[Block, ...]) -> None:
        async with self._steps:
            setup, reply, error = await self._begin(reports=first)
        await self._finish(setup, reply, error)

    async def _answer_ended_tasks(self) -> None:
        async with self._steps:
            reports = await self._task_reports()
            if not reports:
                return
            setup, reply, error = await self._begin(reports=reports)
        await self._finish(setup, reply, error)

    async def _task_reports(self) -> tuple[Block, ...]:
        """Return the unreported ends of tasks, as blocks for the beginning of a reply."""
        ended = await self._store.unreported_tasks(self.info.id)
        return tuple(
            task_end_block(task, index) for index, task in enumerate(ended[:_MAX_REPORTED_TASKS])
        )

    async def _regenerate(self, message_id: str, model: str) -> None:
        told = [
            block
            for message in await self._store.messages([message_id])
            for block in message.blocks
            if isinstance(block, ToolUse) and block.task
        ]
        async with self._steps:
            setup, reply, error = await self._begin(beside=message_id, model=model, reports=told)
        await self._finish(setup, reply, error)

    async def _resume(self, message_id: str, *, drop_last_round: bool) -> None:
        await self._store.flush()
        found = await self._store.messages([message_id])
        if not found:
            return
        keep = count_kept_blocks(found[0]) if drop_last_round else None
        setup, error = self._create_setup()
        if setup is None:
            self._fail_reply(found[0], error)
        else:
            await self._run(setup, found[0], keep)

    async def _begin(
        self, *, beside: str = "", model: str = "", reports: Sequence[Block] = ()
    ) -> tuple[TurnSetup | None, Message, KnownError]:
        """Create the message of a turn, with the blocks that the model reads first."""
        setup, error = self._create_setup(model)
        label = setup.model.label if setup is not None else ""
        made = Message(
            str(uuid.uuid4()),
            Role.ASSISTANT,
            tuple(reports),
            MessageState.RUNNING,
            self._now(),
            model=label,
        )
        await self._store_message(made, beside=beside)
        return setup, made, error

    async def _finish(self, setup: TurnSetup | None, made: Message, error: KnownError) -> None:
        if setup is None:
            self._fail_reply(made, error)
        else:
            await self._run(setup, made, keep=None)

    def _create_setup(self, model: str = "") -> tuple[TurnSetup | None, KnownError]:
        """Return the set-up of a turn; None and the reason if the settings don't allow one."""
        try:
            return self._setups(self.info.id, model), UnexpectedError()
        except KnownError as error:
            return None, error
        except Exception as error:  # noqa: BLE001 - the user must be told, whatever it was
            _log.exception("Nothing could be made that answers")
            return None, UnexpectedError(f"{type(error).__name__}: {error}")

    def _fail_reply(self, reply: Message, error: KnownError) -> None:
        """End a message whose turn can't run, with the error in it."""
        turn = Turn(reply.id, blocks=reply.blocks, usage=reply.usage)
        listeners = self._listeners(reply)
        for signal in (Begun(), ModelFailed(error)):
            for output in turn.receive(signal, self._now()):
                if isinstance(output, CallModel | EndTurn | RunTool | AskApproval):
                    continue
                for listener in listeners:
                    listener.on_turn_event(reply.id, output)

    def _listeners(self, reply: Message) -> list[TurnListener]:
        return [self._store.journal(reply.id), self]

    async def _run(self, setup: TurnSetup, reply: Message, keep: int | None) -> None:
        try:
            await self._store.flush()
            history = await self._store.history(self.info.id, _MAX_HISTORY, until=reply.id)
        except KnownError as error:
            self._fail_reply(reply, error)
            raise
        before = _history_before(history, reply.id)
        tracer = self._tracing.start_turn(reply.id, reply.usage)

        self._reply = reply
        self._turn_run = TurnRun(
            replace(setup, account=self.info.id),
            before,
            reply,
            approver=self._approver,
            pictures=self._store,
            listeners=[*self._listeners(reply), tracer],
            follow=tracer.trace_request,
            now=self._now,
        )
        if self._stopping:
            self._turn_run.stop()
        await self._turn_run.run(keep)
        await self._store.flush()

    async def _store_message(
        self, message: Message, pictures: Sequence[Picture] = (), *, beside: str = ""
    ) -> None:
        if message.state is MessageState.RUNNING:
            self._reply = message
        if not beside:
            await self._store.add_message(self.info.id, message, pictures)
            self._report(MessageAdded(message))
            return
        path = await self._store.add_version(self.info.id, message, pictures, beside=beside)
        self._report(PathChanged(path, [message], just_added=True))


def count_kept_blocks(message: Message) -> int:
    """Return how many blocks stay when the last round of `message` is repeated."""
    rounds = [block.round for block in message.blocks]
    last = rounds[-1] if rounds else 0
    cause = message.blocks[-1] if message.blocks else None
    alone = isinstance(cause, Notice) and rounds.count(last) == 1
    return len(rounds) - 1 if alone else sum(number < last for number in rounds)


def _history_before(history: Sequence[Message], message_id: str) -> list[Message]:
    ids = [message.id for message in history]
    return list(history[: ids.index(message_id)] if message_id in ids else history)
