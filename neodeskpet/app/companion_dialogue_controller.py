"""A dialogue of the first companion with a further one: the user starts and stops it; it is shown
in the chat and in both bubbles.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from random import Random
from uuid import uuid4

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmap

from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.engine import Engine
from neodeskpet.app.turn_factory import TurnFactory
from neodeskpet.characters.companion_store import Speaker
from neodeskpet.conversation.chat_events import (
    ChatEvent,
    MessageAdded,
    PathChanged,
    RunningChanged,
    TurnAdvanced,
)
from neodeskpet.conversation.companion_dialogue import (
    CompanionDialogue,
    DialogueNeedsModel,
    DialogueSpeakers,
    NoTools,
)
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import ConversationInfo, Message, MessageState, Role, Text
from neodeskpet.core.companion_dialogue import DialogueBudget, DialogueEnd, speaker_block
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.schedule.rule import parse_month_day
from neodeskpet.core.speech_bubble import reading_seconds
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.wire import TextDelta
from neodeskpet.figure.behaviour.seasons import Hemisphere, SeasonSettings, day_at
from neodeskpet.language import LANGUAGES, language, tr
from neodeskpet.platform.installation import assets_dir
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.task_runner import TaskRunner

_CLOSE_TIMEOUT = 2.0
_SHOWN_KEY = "dialogues.shown"
"""The ids of the bundled dialogues that were shown, the newest last."""
_NO_LIMIT = 1_000_000_000
_BEAT_SECONDS = 0.6
_SECONDS_PER_PIECE = 0.03
_END_REASONS = {
    DialogueEnd.TURNS: N_("The limit of turns was reached."),
    DialogueEnd.TOKENS: N_("The limit of tokens was reached."),
    DialogueEnd.STOPPED: N_("You stopped the dialogue."),
    DialogueEnd.FAILED: N_("A turn failed; the conversation shows the reason."),
    DialogueEnd.SILENT: N_("One of them had nothing to say."),
    DialogueEnd.REPEATED: N_("They began to repeat themselves."),
}


class CompanionDialogueController(QObject):
    """A `CompanionDialoguePort`. `shown` gets the events of the dialogue that is open in the chat.
    Without a language model the companions hold a bundled dialogue that fits the day, chosen with
    `random`; `moment` returns the user's local time.
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
        *,
        moment: Callable[[], datetime] = datetime.now,
        random: Random | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._moment = moment
        self._random = random or Random()
        self._companions = companions
        self._shown = shown
        self._work = TaskRunner("talk", failed=tell)
        self._exchange: CompanionDialogue | None = None
        self._is_ready = False  # the dialogue is a bundled one
        self._speakers: tuple[Speaker, ...] = ()
        self._shown_ids: set[str] = set()  # ids of messages that are shown while they are written
        self._last = ""
        self._observers: Observers[[]] = Observers()
        companions.companion_removed.connect(self._parted)
        engine.chat.subscribe(self, RunningChanged)

    # Actions of the user

    @property
    def is_enabled(self) -> bool:
        """Whether dialogues of companions are enabled; without a model nothing is sent."""
        return self._engine.settings.settings.guests.talk or not self._turns.has_model

    @property
    def _turns(self) -> TurnFactory:
        return self._engine.models.turn_factory

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
        guests = self._engine.storage.characters.guests
        assert guests is not None
        own, other = self._engine.storage.personas.current.name, guests.persona(figure).name
        speakers = (
            Speaker(None, own),
            Speaker(figure, f"{other} 2" if own == other else other),
        )
        if self._turns.has_model:
            info = await self._create_conversation(speakers)
            self._is_ready = False
            await self._add_topic(info, topic)
            limits = self._engine.settings.settings.guests
            budget = DialogueBudget(limits.turns, limits.tokens)
            setup = partial(self._turns.create_dialogue_setup, info.id)
            await self._begin(info, budget, setup)
        elif topic.strip():
            raise DialogueNeedsModel()
        else:
            await self._start_ready(speakers)

    async def _start_ready(self, speakers: tuple[Speaker, Speaker]) -> None:
        """Start a bundled dialogue."""
        from neodeskpet.characters.ready_dialogues import (
            character_id,
            choose_dialogue,
            ready_dialogues,
        )

        store, assets = self._engine.storage.store, assets_dir()
        first, second = (character_id(assets, one.name, tuple(LANGUAGES)) for one in speakers)
        shown = (await store.get_state(_SHOWN_KEY) or "").split()
        chosen = choose_dialogue(
            ready_dialogues(assets, language()),
            self._day(),
            (first, second),
            shown,
            self._random,
        )
        dialogue = chosen.dialogue
        kept = [*(one for one in shown if one != dialogue.id), dialogue.id]
        await store.set_state(_SHOWN_KEY, " ".join(kept))
        info = await self._create_conversation(speakers[::-1] if chosen.swapped else speakers)
        self._is_ready = True

        def setup(_speaker: int) -> TurnSetup:
            assert self._exchange is not None
            return _line_setup(dialogue.lines[self._exchange.course.turns])

        await self._begin(info, DialogueBudget(len(dialogue.lines), _NO_LIMIT), setup)

    def _day(self) -> set[str]:
        """Return the present part of the day, the season and the holiday."""
        chosen = self._engine.settings.settings.pastimes
        settings = SeasonSettings(
            Hemisphere(chosen.hemisphere), chosen.feasts, parse_month_day(chosen.birthday)
        )
        day = day_at(self._moment(), settings)
        return {str(one) for one in (day.part, day.season, day.holiday) if one is not None}

    async def _create_conversation(self, speakers: tuple[Speaker, Speaker]) -> ConversationInfo:
        guests = self._engine.storage.characters.guests
        assert guests is not None
        self._speakers = speakers
        title = " & ".join(one.name for one in speakers)
        info = await self._engine.storage.store.create_conversation(title)
        await guests.start_dialogue(info.id, speakers)
        return info

    async def _add_topic(self, info: ConversationInfo, topic: str) -> None:
        words = topic.strip() or tr("Talk with each other about anything you like.")
        now = time.time()
        said = Message(str(uuid4()), Role.USER, (Text(0, 0, words),), MessageState.DONE, now, now)
        await self._engine.storage.store.add_message(info.id, said)

    async def _begin(
        self, info: ConversationInfo, budget: DialogueBudget, setup: Callable[[int], TurnSetup]
    ) -> None:
        chat = self._engine.chat
        await chat.open(info.id)
        self.opened.emit()
        exchange = self._exchange = CompanionDialogue(
            info,
            DialogueSpeakers([one.name for one in self._speakers], setup, self._wait_until_read),
            budget,
            store=self._engine.storage.store,
            quiet=chat.wait_idle,
            report=self._on_dialogue_event,
            tracing=chat.tracing,
        )
        self._observers.notify()
        self._work.start("run", partial(self._run, exchange))

    async def _wait_until_read(self, number: int, text: str) -> None:
        """Wait until the bubble of this speaker has shown its text: one bubble at a time. Where no
        bubble is shown, wait for the reading time.
        """
        if not await self._companions.wait_for_bubble(self._speakers[number].figure):
            await asyncio.sleep(reading_seconds(text))
        await asyncio.sleep(_BEAT_SECONDS)

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
            finished = self._is_ready and why is DialogueEnd.TURNS
            reason = tr("They have finished.") if finished else tr(_END_REASONS[why])
            self._last = self._count(exchange, reason)
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
        if self._is_ready:
            return words
        course = exchange.course
        numbers = {"turns": str(course.turns), "tokens": str(course.tokens)}
        return f"{words} {tr('{turns} turns, {tokens} tokens.', **numbers)}"


def _line_setup(line: str) -> TurnSetup:
    """Return the set-up of a turn in which a companion says this line of a bundled dialogue."""
    from neodeskpet.llm.offline.scripts import tokens
    from neodeskpet.llm.scripted_model import ScriptedModel

    # All pieces have the same index: a part of its own would be a paragraph of its own.
    deltas = [item for one in tokens(line) for item in (TextDelta(0, one), _SECONDS_PER_PIECE)]
    return TurnSetup(
        ScriptedModel(deltas, label=tr("Bundled dialogue (no language model)")),
        NoTools(),
        limits=TurnLimits(rounds=1, calls=0),
        leaked_call_families=(),
        tool_choice="none",
    )
