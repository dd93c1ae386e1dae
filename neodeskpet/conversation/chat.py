"""A conversation as a person uses it: send, queue, stop, continue, retry.

One input makes exactly one assistant message; "Continue" and "Retry" in a notice go on in that same
message. One turn runs at a time; what is sent meanwhile waits in a queue.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from neodeskpet.conversation.approvals import Approvals
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    ChatListener,
    ConversationChanged,
    MessageAdded,
    MessageRemoved,
    QueueChanged,
    RunningChanged,
    TroubleMet,
    TurnMoved,
)
from neodeskpet.conversation.ports import Approver, Listener, Store
from neodeskpet.conversation.runner import Runner
from neodeskpet.conversation.tasks import spawn
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.conversation.vision import PicturedModel
from neodeskpet.core.blocks import Block, Image, Message, MessageState, Notice, Role, Text
from neodeskpet.core.errors import Action, KnownError, UnexpectedError
from neodeskpet.core.picture import MOST, Picture
from neodeskpet.core.records import ConversationInfo
from neodeskpet.core.signals import (
    AskApproval,
    Begun,
    CallModel,
    EndTurn,
    ModelFailed,
    RunTool,
)
from neodeskpet.core.turn import Turn
from neodeskpet.core.turn_events import TurnEvent
from neodeskpet.language import tr
from neodeskpet.observers import Observers

_log = logging.getLogger(__name__)

_Work = Coroutine[Any, Any, None]

_TITLE_LENGTH = 40
_HISTORY = 400


@dataclass(frozen=True, slots=True)
class Input:
    """What a person sends at once."""

    text: str
    pictures: tuple[Picture, ...] = ()

    def blocks(self) -> tuple[Block, ...]:
        """Quoted pictures first, then the person's own, then the words."""
        ordered = sorted(self.pictures, key=lambda picture: not picture.quoted)
        images = [
            Image(at, 0, one.digest, one.media_type, one.name, quoted=one.quoted)
            for at, one in enumerate(ordered)
        ]
        words = [Text(len(images), 0, self.text)] if self.text.strip() else []
        return (*images, *words)


class Chat:
    """The open conversation. `brains` makes what answers, anew for every turn; `switch_to_text`
    changes the setting. Call from the loop's thread only.
    """

    def __init__(
        self,
        store: Store,
        brains: Callable[[], TurnSetup],
        *,
        switch_to_text: Callable[[], None],
        approver: Approver | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.approvals = Approvals()
        self._store = store
        self._brains = brains
        self._switch_to_text = switch_to_text
        self._approver = approver or self.approvals
        self._now = now
        self._listeners: Observers[[ChatEvent]] = Observers()
        self._info: ConversationInfo | None = None
        self._queue: list[Input] = []
        self._runner: Runner | None = None
        self._turn: asyncio.Task[None] | None = None
        self._stopping = False

    # What is there

    @property
    def conversation(self) -> ConversationInfo | None:
        return self._info

    @property
    def running(self) -> bool:
        return self._turn is not None

    def listen(self, listener: ChatListener) -> None:
        self._listeners.add(listener.hear)

    def see(self, message_id: str, event: TurnEvent) -> None:
        """What a turn says goes on to whoever listens."""
        self._listeners.tell(TurnMoved(message_id, event))

    # Opening

    async def open(self, conversation_id: str | None = None) -> ConversationInfo:
        """Open this conversation, or the last one used, or a first one. A turn that runs in
        another conversation is stopped first.
        """
        known = await self._store.conversations()
        wanted = [info for info in known if conversation_id in (None, info.id)]
        newest = max(wanted, key=lambda info: info.updated, default=None)
        return await self._enter(newest or await self._store.create_conversation())

    async def open_new(self) -> ConversationInfo:
        """Open an empty conversation (the present one, if it is still empty)."""
        if self._info is not None and not await self._store.heads(self._info.id):
            return self._info
        return await self._enter(await self._store.create_conversation())

    async def _enter(self, info: ConversationInfo) -> ConversationInfo:
        left = self._info is not None and self._info.id != info.id
        if left:
            await self._settle()
        self._info = info
        self._tell_conversation()
        if left:
            self._tell_queue()
        return info

    async def _settle(self) -> None:
        """Stop what runs before another conversation is entered. What waits isn't sent any more;
        listeners hear that once they know that it is another conversation, and may keep it.
        """
        self._queue.clear()
        self.stop()
        if self._turn is not None:
            await asyncio.wait([self._turn])

    # What a person does

    def send(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Send `text` with `pictures`, or queue them while a turn runs. White space alone is not
        sent; of the pictures the first `MOST` are.
        """
        said = Input(text, tuple(pictures[:MOST]))
        if not text.strip() and not said.pictures:
            return
        if self.running:
            self._queue.append(said)
            self._tell_queue()
            return
        self._begin(self._answer(said))

    def unqueue(self, position: int) -> None:
        if 0 <= position < len(self._queue):
            del self._queue[position]
            self._tell_queue()

    def stop(self) -> None:
        """End the running turn; what was said stays."""
        self._stopping = self.running
        if self._runner is not None:
            self._runner.stop()

    def act(self, message_id: str, action: Action) -> None:
        """A notice's button was pressed."""
        if self.running:
            return
        match action:
            case Action.CONTINUE:
                self._begin(self._resume(message_id, drop_last_round=False))
            case Action.RETRY:
                self._begin(self._resume(message_id, drop_last_round=True))
            case Action.SWITCH_TO_TEXT:
                self._switch_to_text()
                self._begin(self._resume(message_id, drop_last_round=True))
            case Action.OPEN_SETTINGS:
                pass  # the interface's own affair

    def retry(self, message_id: str) -> None:
        """Answer the person's message anew; the old answer leaves the conversation (it is kept
        in the store).
        """
        if not self.running:
            self._begin(self._regenerate(message_id))

    async def wait(self) -> None:
        """Return when no turn runs and nothing is queued."""
        while self._turn is not None:
            await asyncio.wait([self._turn])
            await asyncio.sleep(0)

    async def close(self) -> None:
        """The app quits: what runs stays on disk as it is, and the next start offers to go on.
        What waited was told to the listeners, who may have kept it.
        """
        self._queue.clear()
        if self._turn is not None:
            self._turn.cancel()
            await asyncio.wait([self._turn])
        await self._store.flush()

    # Turns

    def _begin(self, work: _Work) -> None:
        self._stopping = False
        self._turn = spawn(self._guard(work), name="turn")
        self._turn.add_done_callback(self._ended)
        self._listeners.tell(RunningChanged(True))

    async def _guard(self, work: _Work) -> None:
        try:
            await work
        except KnownError as error:
            _log.warning("A turn could not be run: %s", error)
            self._listeners.tell(TroubleMet(error))

    def _ended(self, turn: asyncio.Task[None]) -> None:
        self._turn = None
        self._runner = None
        if self._queue and not turn.cancelled():
            said = self._queue.pop(0)
            self._tell_queue()
            self._begin(self._answer(said))
            return
        self._listeners.tell(RunningChanged(False))

    async def _answer(self, said: Input) -> None:
        info = await self._conversation()
        created = self._now()
        question = Message(
            str(uuid.uuid4()), Role.USER, said.blocks(), MessageState.DONE, created, created
        )
        await self._add(info, question, said.pictures)
        if not info.title:
            await self._name(info, said.text or said.pictures[0].name or tr("Picture"))
        await self._reply(info)

    async def _regenerate(self, message_id: str) -> None:
        info = await self._conversation()
        heads = await self._store.heads(info.id)
        if not heads or heads[-1].id != message_id:
            return  # only the newest answer: later messages build on the others
        await self._store.replace_message(message_id)
        self._listeners.tell(MessageRemoved(message_id))
        await self._reply(info)

    async def _reply(self, info: ConversationInfo) -> None:
        brain, error = self._think()
        label = brain.model.label if brain is not None else ""
        made = Message(
            str(uuid.uuid4()),
            Role.ASSISTANT,
            (),
            MessageState.RUNNING,
            self._now(),
            model=label,
        )
        await self._add(info, made)
        if brain is None:
            self._give_up(made, error)
        else:
            await self._run(info, brain, made, keep=None)

    def _think(self) -> tuple[TurnSetup | None, KnownError]:
        """What answers; None, and why, when the settings make nothing of it."""
        try:
            return self._brains(), UnexpectedError()
        except KnownError as error:
            return None, error
        except Exception as error:  # noqa: BLE001 - the person must be told, whatever it was
            _log.exception("No brain could be made")
            return None, UnexpectedError(f"{type(error).__name__}: {error}")

    def _give_up(self, reply: Message, error: KnownError) -> None:
        """End a message whose turn can't be run, with the reason in it."""
        turn = Turn(reply.id, blocks=reply.blocks, usage=reply.usage)
        listeners: list[Listener] = [self._store.journal(reply.id), self]
        for signal in (Begun(), ModelFailed(error)):
            for output in turn.receive(signal, self._now()):
                if isinstance(output, CallModel | EndTurn | RunTool | AskApproval):
                    continue
                for listener in listeners:
                    listener.see(reply.id, output)

    async def _resume(self, message_id: str, *, drop_last_round: bool) -> None:
        info = await self._conversation()
        await self._store.flush()
        found = await self._store.messages([message_id])
        if not found:
            return
        keep = kept_blocks(found[0]) if drop_last_round else None
        brain, error = self._think()
        if brain is None:
            self._give_up(found[0], error)
        else:
            await self._run(info, brain, found[0], keep)

    async def _run(
        self, info: ConversationInfo, brain: TurnSetup, reply: Message, keep: int | None
    ) -> None:
        try:
            await self._store.flush()
            history = await self._store.history(info.id, _HISTORY)
        except KnownError as error:
            self._give_up(reply, error)
            raise
        before = _before(history, reply.id)
        turn = Turn(
            reply.id,
            brain.toolbox.specs(),
            limits=brain.limits,
            asks=brain.asks,
            parallel=brain.parallel,
            blocks=reply.blocks,
            usage=reply.usage,
            model=reply.model,
        )
        self._runner = Runner(
            turn,
            model=PicturedModel(brain.model, self._store),
            dialect=brain.dialect,
            build_request=lambda blocks: brain.request(before, reply, blocks),
            toolbox=brain.toolbox,
            approver=self._approver,
            listeners=[self._store.journal(reply.id), self],
            now=self._now,
        )
        if self._stopping:
            self._runner.stop()
        await self._runner.run(keep)
        await self._store.flush()

    async def _conversation(self) -> ConversationInfo:
        return self._info or await self.open()

    async def _add(
        self, info: ConversationInfo, message: Message, pictures: Sequence[Picture] = ()
    ) -> None:
        await self._store.add_message(info.id, message, pictures)
        self._listeners.tell(MessageAdded(message))

    async def _name(self, info: ConversationInfo, text: str) -> None:
        """Until a model gives titles: the first words that were said."""
        line = " ".join(text.split())
        title = line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
        await self._store.rename_conversation(info.id, title)
        known = await self._store.conversations()
        self._info = next((row for row in known if row.id == info.id), info)
        self._tell_conversation()

    def _tell_conversation(self) -> None:
        if self._info is not None:
            self._listeners.tell(ConversationChanged(self._info))

    def _tell_queue(self) -> None:
        self._listeners.tell(QueueChanged([(one.text, one.pictures) for one in self._queue]))


def kept_blocks(message: Message) -> int:
    """How many blocks stay when the last round of `message` is tried again."""
    rounds = [block.round for block in message.blocks]
    last = rounds[-1] if rounds else 0
    cause = message.blocks[-1] if message.blocks else None
    alone = isinstance(cause, Notice) and rounds.count(last) == 1
    return len(rounds) - 1 if alone else sum(number < last for number in rounds)


def _before(history: Sequence[Message], message_id: str) -> list[Message]:
    ids = [message.id for message in history]
    return list(history[: ids.index(message_id)] if message_id in ids else history)
