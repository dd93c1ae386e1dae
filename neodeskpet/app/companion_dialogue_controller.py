"""A dialogue of the first companion with a further one: the user starts and stops it; it is shown
in the chat and in both bubbles.
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

from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.engine import Engine
from neodeskpet.characters.companion_store import Speaker
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    MessageAdded,
    PathChanged,
    RunningChanged,
    TurnAdvanced,
)
from neodeskpet.conversation.companion_dialogue import CompanionDialogue, DialogueSpeakers
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.companion_dialogue import DialogueBudget, DialogueEnd, speaker_block
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.task_runner import TaskRunner

_CLOSE_TIMEOUT = 2.0
_END_REASONS = {
    DialogueEnd.TURNS: N_("The limit of turns was reached."),
    DialogueEnd.TOKENS: N_("The limit of tokens was reached."),
    DialogueEnd.STOPPED: N_("You stopped the dialogue."),
    DialogueEnd.FAILED: N_("A turn failed; the conversation shows the reason."),
    DialogueEnd.SILENT: N_("One of them had nothing to say."),
    DialogueEnd.REPEATED: N_("They began to repeat themselves."),
}


class CompanionDialogueController(QObject):
    """A `CompanionDialoguePort`. `shown` gets the events of the dialogue that is open in
    the chat.
    """

    opened = Signal()
    """The conversation of the dialogue is open in the chat."""

    def __init__(
        self,
        engine: Engine,
        companions: CompanionManager,
        shown: Callable[[ChatEvent], None],
        tell: Callable[[KnownError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companions = companions
        self._shown = shown
        self._work = TaskRunner("talk", failed=tell)
        self._exchange: CompanionDialogue | None = None
        self._speakers: tuple[Speaker, ...] = ()
        self._shown_ids: set[str] = set()  # ids of messages that are shown while they are written
        self._last = ""
        self._observers: Observers[[]] = Observers()
        companions.companion_removed.connect(self._parted)
        engine.chat.subscribe(self, RunningChanged)

    # Actions of the user

    @property
    def is_enabled(self) -> bool:
        """Whether dialogues of companions are enabled."""
        return self._engine.settings.settings.guests.talk

    @property
    def is_running(self) -> bool:
        return self._exchange is not None

    def live(self) -> Message | None:
        """Return the message that is being written, as it is at this moment."""
        return self._exchange.running_message if self._exchange is not None else None

    def face_of(self, opening: str) -> QPixmap | None:
        """Return the face of the further companion whose message in the open conversation starts
        with this text; None if the message is not from a dialogue.
        """
        info, guests = (
            self._engine.chat.conversation,
            self._engine.storage.characters.guests,
        )
        if info is None or guests is None:
            return None
        for speaker in guests.dialogue_of(info.id):
            if speaker.figure is not None and speaker_block(speaker.name).text == opening:
                return self._companions.faces.face_of(speaker.figure)
        return None

    def status(self) -> str:
        """Return the state of the dialogue, or why the last one ended."""
        exchange = self._exchange
        if exchange is None:
            return self._last
        return self._count(exchange, tr("They are talking."))

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._observers.subscribe(observer)

    async def start(self, figure: str, topic: str) -> None:
        if self.is_running or not self.is_enabled:
            return
        self._engine.models.turn_factory.check_dialogue()
        guests = self._engine.storage.characters.guests
        assert guests is not None
        own, other = self._engine.storage.personas.current.name, guests.persona(figure).name
        if own == other:
            other = f"{other} 2"
        self._speakers = (Speaker(None, own), Speaker(figure, other))
        store, chat = self._engine.storage.store, self._engine.chat
        info = await store.create_conversation(f"{own} & {other}")
        await guests.start_dialogue(info.id, self._speakers)
        words = topic.strip() or tr("Talk with each other about anything you like.")
        now = time.time()
        said = Message(str(uuid4()), Role.USER, (Text(0, 0, words),), MessageState.DONE, now, now)
        await store.add_message(info.id, said)
        await chat.open(info.id)
        self.opened.emit()
        limits = self._engine.settings.settings.guests
        exchange = self._exchange = CompanionDialogue(
            info,
            DialogueSpeakers(
                [one.name for one in self._speakers],
                partial(self._engine.models.turn_factory.create_dialogue_setup, info.id),
            ),
            DialogueBudget(limits.turns, limits.tokens),
            store=store,
            quiet=chat.wait_idle,
            report=self._on_dialogue_event,
            tracing=chat.tracing,
        )
        self._observers.notify()
        self._work.start("run", partial(self._run, exchange))

    def stop(self) -> None:
        """End the dialogue at once."""
        if self._exchange is not None:
            self._exchange.stop()

    async def close(self) -> None:
        """End the dialogue when the app ends; its messages are kept."""
        self.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await self._work.wait_until_idle()
        await self._work.aclose()

    async def _run(self, exchange: CompanionDialogue) -> None:
        try:
            why = await exchange.run()
            self._last = self._count(exchange, tr(_END_REASONS[why]))
        finally:
            self._exchange = None
            self._observers.notify()

    # Events of the dialogue

    def _on_dialogue_event(self, number: int, event: ChatEvent) -> None:
        exchange, present = self._exchange, self._engine.chat.conversation
        here = exchange is not None and present is not None and present.id == exchange.info.id
        match event:
            case MessageAdded(message=message):
                self._companions.set_author(message.id, self._speakers[number].figure)
                self._observers.notify()
                if here:
                    self._shown_ids.add(message.id)
                    self._shown(event)
            case TurnAdvanced(message_id=message_id, event=moved):
                if message_id in self._shown_ids:
                    self._shown(event)
                else:
                    self._companions.apply([(message_id, moved)])
            case PathChanged() if here and not self._shown_ids & {one.id for one in event.messages}:
                self._shown(event)  # the conversation was opened during a turn
            case _:
                pass

    def on_chat_event(self, event: ChatEvent) -> None:
        """A `ChatListener`: a message of the user ends the dialogue."""
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

    def _count(self, exchange: CompanionDialogue, words: str) -> str:
        course = exchange.course
        numbers = {"turns": str(course.turns), "tokens": str(course.tokens)}
        return f"{words} {tr('{turns} turns, {tokens} tokens.', **numbers)}"
