"""Activities that react to the desktop: the companion dances to music and taps along with the
user's keystrokes. While the setting is off, nothing is monitored. `ActivityContext` has the parts
of the app that every activity uses.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.engine import Engine
from neodeskpet.conversation.proactive_remarks import PresenceDetector
from neodeskpet.figure.behaviour.tricks import Dancing, TypingTaps
from neodeskpet.settings.activity_settings import ActivitySettings as PastimeSettings
from neodeskpet.ui.desktop.keystrokes import KeystrokeCounter
from neodeskpet.ui.desktop.music_players import MusicDetector
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.task_runner import TaskRunner


@dataclass(frozen=True, slots=True)
class ActivityContext:
    engine: Engine
    pet: PetWindow
    companion: CompanionPresenter
    attention: PresenceDetector

    @property
    def settings(self) -> PastimeSettings:
        return self.engine.settings.settings.pastimes

    def may_speak(self) -> bool:
        """Return whether a message would be visible now and would not interrupt anything."""
        companion_settings = self.engine.settings.settings.companion
        heard = self.pet.isVisible() and companion_settings.bubble and not companion_settings.quiet
        taken = self.companion.is_busy or self.companion.has_question or self.engine.chat.busy
        return heard and not taken


MUSIC_CHECK_MS = 500
_RETRY_SECONDS = 60.0
"""Seconds. The session bus may become available later."""


class MusicDance(QObject):
    def __init__(
        self,
        company: ActivityContext,
        music: MusicDetector,
        parent: QObject | None = None,
        *,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._music = music
        self._clock = clock
        self._dancing = Dancing(random or Random())
        self._on = False
        self._work = TaskRunner("music", failed=lambda error: None)
        self._timer = QTimer(self, interval=MUSIC_CHECK_MS)
        self._timer.timeout.connect(self.check)

    @property
    def playing(self) -> bool:
        return self._dancing.playing

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    def apply(self) -> None:
        """Apply changed settings."""
        wanted = self._company.settings.music
        if wanted == self._on:
            return
        self._on = wanted
        if wanted:
            self._work.replace("follow", self._follow)
        else:
            self._work.cancel_task("follow")
            self._hear(False)

    async def aclose(self) -> None:
        self._timer.stop()
        await self._work.aclose()

    @Slot()
    def check(self) -> None:
        """Perform the next dance move if it is due."""
        if not self._company.pet.is_idle:
            return
        feat = self._dancing.due(self._clock())
        if feat is not None:
            self._company.pet.perform(feat)

    async def _follow(self) -> None:
        while True:
            await self._music.watch(self._hear)
            self._hear(False)
            await asyncio.sleep(_RETRY_SECONDS)

    def _hear(self, playing: bool) -> None:
        self._dancing.set_playing(playing, self._clock())
        if playing:
            self._timer.start()
        else:
            self._timer.stop()


class TypingAlong(QObject):
    def __init__(
        self,
        company: ActivityContext,
        keystrokes: KeystrokeCounter,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._keystrokes = keystrokes
        self._clock = clock
        self._paws = TypingTaps()
        self._on = False
        company.pet.visibleChanged.connect(lambda _visible: self.apply())

    def start(self) -> None:
        """Start; the windows exist by then."""
        self.apply()

    def apply(self) -> None:
        """Apply changed settings, and whether the companion is visible."""
        wanted = self._company.settings.typing and self._company.pet.isVisible()
        if wanted == self._on:
            return
        self._on = wanted
        if wanted:
            self._keystrokes.start(self._press)
        else:
            self._keystrokes.stop()

    async def aclose(self) -> None:
        self._on = False
        self._keystrokes.stop()

    def _press(self, _count: int) -> None:
        pet = self._company.pet
        if not pet.is_idle:
            return
        feat = self._paws.press(self._clock())
        if feat is not None:
            pet.perform(feat)
