"""One conversation: history → turn → journal.

It answers, answers anew and goes on, in messages that are stored as they grow. A turn answers what
leads to its message, whatever version is shown meanwhile. It knows no queue
and no window: `Chat` is what a person holds, an errand is another caller. One turn at a time runs
in a conversation; two conversations may run at once.
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
from neodeskpet.conversation.orchestrator import TurnRun
from neodeskpet.conversation.ports import Approver, Store, TurnListener
from neodeskpet.conversation.tracing import TurnTraces
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.attachments import DOCUMENT_MEDIA_TYPE, Picture
from neodeskpet.core.background_tasks import task_end_block
from neodeskpet.core.blocks import (
    Block,
    ConversationInfo,
    Deletion,
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
from neodeskpet.documents.document import block_of_attachment

_log = logging.getLogger(__name__)

_MAX_HISTORY = 400
_BATCH_MESSAGES = 8
"""Messages of another version that are shown at once; the others are asked for as they are
needed.
"""
_MAX_TOLD_TASKS = 10
"""So many ends of tasks are told at once; the others follow."""


@dataclass(frozen=True, slots=True)
class UserInput:
    """What a person sends at once."""

    text: str
    pictures: tuple[Picture, ...] = ()

    @property
    def visible_pictures(self) -> tuple[Picture, ...]:
        """The pictures, without files: those stand in the message itself."""
        return tuple(one for one in self.pictures if one.media_type != DOCUMENT_MEDIA_TYPE)

    def blocks(self) -> tuple[Block, ...]:
        """Quoted pictures first, then the person's own and files, then the words."""
        ordered = sorted(self.pictures, key=lambda picture: not picture.quoted)
        images = [
            block_of_attachment(one, at)
            if one.media_type == DOCUMENT_MEDIA_TYPE
            else Image(at, 0, one.digest, one.media_type, one.name, quoted=one.quoted)
            for at, one in enumerate(ordered)
        ]
        words = [Text(len(images), 0, self.text)] if self.text.strip() else []
        return (*images, *words)


class Conversation:
    """`setups` makes what answers in the conversation of this id, anew for every turn, with the
    model of this name ("": the one that is chosen); `hear` is told what happens; `tracing` writes
    down what happens in each turn.
    """

    def __init__(
        self,
        info: ConversationInfo,
        store: Store,
        setups: Callable[[str, str], TurnSetup],
        *,
        approver: Approver,
        hear: Callable[[ChatEvent], None],
        tracing: TurnTraces | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.info = info
        self._tracing = tracing or TurnTraces(now=now)
        self._store = store
        self._setups = setups
        self._approver = approver
        self._hear = hear
        self._now = now
        self._orchestrator: TurnRun | None = None
        self._reply: Message | None = None
        self._stopping = False
        self._known: Mapping[str, MessageHead] = {}  # when another process was last noticed
        self._steps = asyncio.Lock()  # one change of what is shown after the other

    @property
    def running_message(self) -> Message | None:
        """The message that a turn writes, as it is at this moment."""
        return self._orchestrator.running_message if self._orchestrator is not None else self._reply

    def stop(self) -> None:
        """End the turn that runs or is about to (never call it else); what was said stays."""
        self._stopping = True
        if self._orchestrator is not None:
            self._orchestrator.stop()

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        """What a turn says goes on to whoever listens."""
        self._hear(TurnAdvanced(message_id, event))

    # What can be done; each is one turn, and raises KnownError when it could not be run

    async def answer(self, said: UserInput, *, instead_of: str = "") -> None:
        """Add what a person said, and answer it: at the end, or in the place of their message
        `instead_of`, which stays another version.
        """
        await self._run_exclusively(self._answer(said, instead_of))

    async def regenerate(self, message_id: str, model: str = "") -> None:
        """Answer anew beside this answer, with the model of this name ("": as ever)."""
        await self._run_exclusively(self._regenerate(message_id, model))

    async def resume(self, message_id: str, *, drop_last_round: bool) -> None:
        """Go on in a message that was cut; with `drop_last_round` its last round is tried again."""
        await self._run_exclusively(self._resume(message_id, drop_last_round=drop_last_round))

    async def report_ended_tasks(self) -> None:
        """Tell the model how background tasks ended, if it wasn't told, and let it answer."""
        await self._run_exclusively(self._answer_ended_tasks())

    async def answer_unprompted(self, first: tuple[Block, ...]) -> None:
        """Answer what was said last without the person's having said anything, in a message that
        begins with these blocks.
        """
        await self._run_exclusively(self._answer_with(first))

    async def greet(self, texts: Sequence[str], untrusted: tuple[DataSource, ...] = ()) -> None:
        """Begin with the first of `texts`, the others being versions of it, unless the person has
        spoken. Raises KnownError.
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
        """Whether it is nobody's answer, and no notice."""
        return all(
            one.role is Role.ASSISTANT
            and not one.model
            and all(isinstance(block, Text) for block in one.blocks)
            for one in await self._store.messages([message_id])
        )

    # Versions; they raise KnownError

    async def step_version(self, message_id: str, by: int) -> None:
        """Show the version of a message that is so many after it, or before it."""
        async with self._steps:
            await self._publish_path(await self._store.step_version(self.info.id, message_id, by))

    async def show_message(self, message_id: str) -> None:
        """Show this message, whatever version it is in."""
        async with self._steps:
            await self._publish_path(await self._store.show_message(self.info.id, message_id))

    async def delete_message(self, message_id: str, *, below: bool) -> Deletion:
        """Delete a message, alone or with all `below` it."""
        async with self._steps:
            path, deletion = await self._store.delete_message(self.info.id, message_id, below=below)
            await self._publish_path(path)
        return deletion

    async def restore_messages(self, deletion: Deletion) -> None:
        """Put back what was deleted."""
        async with self._steps:
            await self._publish_path(await self._store.restore_messages(self.info.id, deletion))

    async def take_changes(self) -> tuple[set[str], set[str]]:
        """The messages that are new or others since this was last asked, and those that are gone.
        What happens here counts too; at first all messages are new.
        """
        heads = await self._store.heads(self.info.id)
        before, self._known = self._known, {one.id: one for one in heads}
        changed = {one for one, head in self._known.items() if before.get(one) != head}
        return changed, before.keys() - self._known.keys()

    async def apply_remote_changes(self, changed: Collection[str], gone: Collection[str]) -> None:
        """Another computer changed these messages, and deleted those: show what is shown now."""
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
        self._hear(PathChanged(path, first))

    # Turns

    async def _run_exclusively(self, turn: Coroutine[Any, Any, None]) -> None:
        try:
            await turn
        finally:
            self._orchestrator = self._reply = None
            self._stopping = False

    async def _answer(self, said: UserInput, instead_of: str) -> None:
        created = self._now()
        question = Message(
            str(uuid.uuid4()), Role.USER, said.blocks(), MessageState.DONE, created, created
        )
        async with self._steps:
            await self._store_message(question, said.visible_pictures, beside=instead_of)
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
        """How tasks ended of which nobody told yet; they stand at the beginning of a reply."""
        ended = await self._store.untold_tasks(self.info.id)
        return tuple(
            task_end_block(task, index) for index, task in enumerate(ended[:_MAX_TOLD_TASKS])
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
        """The message of a turn, with nothing in it yet but what the model is told first."""
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
        """What answers; None, and why, when the settings make nothing of it."""
        try:
            return self._setups(self.info.id, model), UnexpectedError()
        except KnownError as error:
            return None, error
        except Exception as error:  # noqa: BLE001 - the person must be told, whatever it was
            _log.exception("Nothing could be made that answers")
            return None, UnexpectedError(f"{type(error).__name__}: {error}")

    def _fail_reply(self, reply: Message, error: KnownError) -> None:
        """End a message whose turn can't be run, with the reason in it."""
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
        self._orchestrator = TurnRun(
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
            self._orchestrator.stop()
        await self._orchestrator.run(keep)
        await self._store.flush()

    async def _store_message(
        self, message: Message, pictures: Sequence[Picture] = (), *, beside: str = ""
    ) -> None:
        if message.state is MessageState.RUNNING:
            self._reply = message
        if not beside:
            await self._store.add_message(self.info.id, message, pictures)
            self._hear(MessageAdded(message))
            return
        path = await self._store.add_version(self.info.id, message, pictures, beside=beside)
        self._hear(PathChanged(path, [message], just_added=True))


def count_kept_blocks(message: Message) -> int:
    """How many blocks stay when the last round of `message` is tried again."""
    rounds = [block.round for block in message.blocks]
    last = rounds[-1] if rounds else 0
    cause = message.blocks[-1] if message.blocks else None
    alone = isinstance(cause, Notice) and rounds.count(last) == 1
    return len(rounds) - 1 if alone else sum(number < last for number in rounds)


def _history_before(history: Sequence[Message], message_id: str) -> list[Message]:
    ids = [message.id for message in history]
    return list(history[: ids.index(message_id)] if message_id in ids else history)
