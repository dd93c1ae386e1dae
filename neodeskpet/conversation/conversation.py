"""One conversation: history → turn → journal.

It answers, answers anew and goes on, in messages that are stored as they grow. It knows no queue
and no window: `Chat` is what a person holds, an errand is another caller. One turn at a time runs
in a conversation; two conversations may run at once.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, MessageRemoved, TurnMoved
from neodeskpet.conversation.ports import Approver, Listener, Store
from neodeskpet.conversation.runner import Runner
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.conversation.vision import PicturedModel
from neodeskpet.core.blocks import Block, Image, Message, MessageState, Notice, Role, Text
from neodeskpet.core.errors import KnownError, UnexpectedError
from neodeskpet.core.picture import Picture
from neodeskpet.core.records import ConversationInfo
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


class Conversation:
    """`setups` makes what answers in the conversation of this id, anew for every turn; `hear` is
    told what happens.
    """

    def __init__(
        self,
        info: ConversationInfo,
        store: Store,
        setups: Callable[[str], TurnSetup],
        *,
        approver: Approver,
        hear: Callable[[ChatEvent], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self.info = info
        self._store = store
        self._setups = setups
        self._approver = approver
        self._hear = hear
        self._now = now
        self._runner: Runner | None = None
        self._stopping = False

    def stop(self) -> None:
        """End the turn that runs or is about to (never call it else); what was said stays."""
        self._stopping = True
        if self._runner is not None:
            self._runner.stop()

    def see(self, message_id: str, event: TurnEvent) -> None:
        """What a turn says goes on to whoever listens."""
        self._hear(TurnMoved(message_id, event))

    # What can be done; each is one turn, and raises KnownError when it could not be run

    async def answer(self, said: Input) -> None:
        """Add what a person said, and answer it."""
        await self._only(self._answer(said))

    async def regenerate(self, message_id: str) -> None:
        """Answer the last question anew, in place of the answer `message_id`. Does nothing for an
        older answer: later messages build on it.
        """
        await self._only(self._regenerate(message_id))

    async def resume(self, message_id: str, *, drop_last_round: bool) -> None:
        """Go on in a message that was cut; with `drop_last_round` its last round is tried again."""
        await self._only(self._resume(message_id, drop_last_round=drop_last_round))

    # Turns

    async def _only(self, turn: Coroutine[Any, Any, None]) -> None:
        try:
            await turn
        finally:
            self._runner = None
            self._stopping = False

    async def _answer(self, said: Input) -> None:
        created = self._now()
        question = Message(
            str(uuid.uuid4()), Role.USER, said.blocks(), MessageState.DONE, created, created
        )
        await self._add(question, said.pictures)
        await self._reply()

    async def _regenerate(self, message_id: str) -> None:
        heads = await self._store.heads(self.info.id)
        if not heads or heads[-1].id != message_id:
            return
        await self._store.replace_message(message_id)
        self._hear(MessageRemoved(message_id))
        await self._reply()

    async def _resume(self, message_id: str, *, drop_last_round: bool) -> None:
        await self._store.flush()
        found = await self._store.messages([message_id])
        if not found:
            return
        keep = kept_blocks(found[0]) if drop_last_round else None
        setup, error = self._set_up()
        if setup is None:
            self._give_up(found[0], error)
        else:
            await self._run(setup, found[0], keep)

    async def _reply(self) -> None:
        setup, error = self._set_up()
        label = setup.model.label if setup is not None else ""
        made = Message(
            str(uuid.uuid4()),
            Role.ASSISTANT,
            (),
            MessageState.RUNNING,
            self._now(),
            model=label,
        )
        await self._add(made)
        if setup is None:
            self._give_up(made, error)
        else:
            await self._run(setup, made, keep=None)

    def _set_up(self) -> tuple[TurnSetup | None, KnownError]:
        """What answers; None, and why, when the settings make nothing of it."""
        try:
            return self._setups(self.info.id), UnexpectedError()
        except KnownError as error:
            return None, error
        except Exception as error:  # noqa: BLE001 - the person must be told, whatever it was
            _log.exception("Nothing could be made that answers")
            return None, UnexpectedError(f"{type(error).__name__}: {error}")

    def _give_up(self, reply: Message, error: KnownError) -> None:
        """End a message whose turn can't be run, with the reason in it."""
        turn = Turn(reply.id, blocks=reply.blocks, usage=reply.usage)
        listeners = self._listeners(reply)
        for signal in (Begun(), ModelFailed(error)):
            for output in turn.receive(signal, self._now()):
                if isinstance(output, CallModel | EndTurn | RunTool | AskApproval):
                    continue
                for listener in listeners:
                    listener.see(reply.id, output)

    def _listeners(self, reply: Message) -> list[Listener]:
        return [self._store.journal(reply.id), self]

    async def _run(self, setup: TurnSetup, reply: Message, keep: int | None) -> None:
        try:
            await self._store.flush()
            history = await self._store.history(self.info.id, _HISTORY)
        except KnownError as error:
            self._give_up(reply, error)
            raise
        before = _before(history, reply.id)
        turn = Turn(
            reply.id,
            limits=setup.limits,
            policy=setup.policy,
            parallel=setup.parallel,
            blocks=reply.blocks,
            usage=reply.usage,
            model=reply.model,
        )
        self._runner = Runner(
            turn,
            model=PicturedModel(setup.model, self._store),
            dialect=setup.dialect,
            leaks=setup.leaks,
            build_request=lambda blocks, tools: setup.request(before, reply, blocks, tools),
            toolbox=setup.toolbox,
            approver=self._approver,
            listeners=self._listeners(reply),
            keep_pictures=self._store.keep_pictures,
            now=self._now,
        )
        if self._stopping:
            self._runner.stop()
        await self._runner.run(keep)
        await self._store.flush()

    async def _add(self, message: Message, pictures: Sequence[Picture] = ()) -> None:
        await self._store.add_message(self.info.id, message, pictures)
        self._hear(MessageAdded(message))


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
