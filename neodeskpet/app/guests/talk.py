"""A talk of the first companion with a guest: begun and ended by the person, seen in the chat and
over both figures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from uuid import uuid4

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from neodeskpet.app.guests.troupe import Troupe
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    MessageAdded,
    PathChanged,
    RunningChanged,
    TurnMoved,
)
from neodeskpet.conversation.talk.exchange import Exchange
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import KnownError
from neodeskpet.core.talk.course import Budget, End
from neodeskpet.core.talk.heard import sign
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.observers import Observers
from neodeskpet.personas.guests import Speaker
from neodeskpet.ui.work import Work

_LAST_SECONDS = 2.0
_WHY = {
    End.TURNS: N_("The turns were used up."),
    End.TOKENS: N_("The tokens were used up."),
    End.STOPPED: N_("It was stopped."),
    End.FAILED: N_("A turn failed; why stands in the conversation."),
    End.SILENT: N_("One of them had nothing to say."),
    End.REPEATED: N_("They began to repeat themselves."),
}


class Talk(QObject):
    """A `TalkPort`. `shown` gets what happens in the talk that is open in the chat."""

    opened = Signal()
    """Its conversation is open in the chat."""

    def __init__(
        self,
        engine: Engine,
        troupe: Troupe,
        shown: Callable[[ChatEvent], None],
        tell: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._troupe = troupe
        self._shown = shown
        self._work = Work("talk", failed=tell)
        self._exchange: Exchange | None = None
        self._speakers: tuple[Speaker, ...] = ()
        self._told: set[str] = set()  # the messages that are shown as they grow
        self._last = ""
        self._observers: Observers[[]] = Observers()
        troupe.parted.connect(self._parted)
        engine.chat.listen(self, RunningChanged)

    # What the person does

    @property
    def wanted(self) -> bool:
        """Whether they may talk with each other at all."""
        return self._engine.settings.settings.guests.talk

    @property
    def running(self) -> bool:
        return self._exchange is not None

    def live(self) -> Message | None:
        """The message that is being written, as it is at this moment."""
        return self._exchange.live if self._exchange is not None else None

    def face_of(self, opening: str) -> QPixmap | None:
        """The face of the guest who said the message that begins with this text, in the open
        conversation; None for what is no guest's turn of a talk.
        """
        info, guests = self._engine.chat.conversation, self._engine.cast.guests
        if info is None or guests is None:
            return None
        for speaker in guests.talk(info.id):
            if speaker.figure is not None and sign(speaker.name).text == opening:
                return self._troupe.faces.of(speaker.figure)
        return None

    def told(self) -> str:
        """How the talk is going, or how the last one ended."""
        exchange = self._exchange
        if exchange is None:
            return self._last
        return self._count(exchange, tr("They are talking."))

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._observers.add(observer)

    async def begin(self, figure: str, topic: str) -> None:
        if self.running or not self.wanted:
            return
        self._engine.minds.check_talk()
        guests = self._engine.cast.guests
        assert guests is not None
        own, other = self._engine.personas.current.name, guests.persona(figure).name
        if own == other:
            other = f"{other} 2"
        self._speakers = (Speaker(None, own), Speaker(figure, other))
        store, chat = self._engine.store, self._engine.chat
        info = await store.create_conversation(f"{own} & {other}")
        await guests.begin_talk(info.id, self._speakers)
        words = topic.strip() or tr("Talk with each other about whatever comes to your minds.")
        now = time.time()
        said = Message(str(uuid4()), Role.USER, (Text(0, 0, words),), MessageState.DONE, now, now)
        await store.add_message(info.id, said)
        await chat.open(info.id)
        self.opened.emit()
        limits = self._engine.settings.settings.guests
        exchange = self._exchange = Exchange(
            info,
            [one.name for one in self._speakers],
            Budget(limits.turns, limits.tokens),
            store=store,
            setups=partial(self._engine.minds.talk, info.id),
            quiet=chat.wait,
            hear=self._hear_talk,
            tracing=chat.tracing,
        )
        self._observers.tell()
        self._work.start("run", partial(self._run, exchange))

    def stop(self) -> None:
        """End it at once."""
        if self._exchange is not None:
            self._exchange.stop()

    async def close(self) -> None:
        """The app ends: what was said stays."""
        self.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._work.settled()
        await self._work.close()

    async def _run(self, exchange: Exchange) -> None:
        try:
            why = await exchange.run()
            self._last = self._count(exchange, tr(_WHY[why]))
        finally:
            self._exchange = None
            self._observers.tell()

    # What happens in it

    def _hear_talk(self, number: int, event: ChatEvent) -> None:
        exchange, present = self._exchange, self._engine.chat.conversation
        here = exchange is not None and present is not None and present.id == exchange.info.id
        match event:
            case MessageAdded(message=message):
                self._troupe.follow(message.id, self._speakers[number].figure)
                self._observers.tell()
                if here:
                    self._told.add(message.id)
                    self._shown(event)
            case TurnMoved(message_id=message_id, event=moved):
                if message_id in self._told:
                    self._shown(event)
                else:
                    self._troupe.apply([(message_id, moved)])
            case PathChanged() if here and not self._told & {one.id for one in event.messages}:
                self._shown(event)  # it was opened in the middle of a turn
            case _:
                pass

    def hear(self, event: ChatEvent) -> None:
        """A `ChatListener`: who joins in ends the talk."""
        exchange, present = self._exchange, self._engine.chat.conversation
        joins = isinstance(event, RunningChanged) and event.running
        if (
            joins
            and exchange is not None
            and present is not None
            and present.id == exchange.info.id
        ):
            exchange.stop()

    def _parted(self, figure: str) -> None:
        if any(one.figure == figure for one in self._speakers):
            self.stop()

    def _count(self, exchange: Exchange, words: str) -> str:
        course = exchange.course
        numbers = {"turns": str(course.turns), "tokens": str(course.tokens)}
        return f"{words} {tr('{turns} turns, {tokens} tokens.', **numbers)}"
