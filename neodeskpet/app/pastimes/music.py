"""Music makes the companion nod, sway and dance. Nothing listens while the switch is off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.pastimes.company import ActivityContext
from neodeskpet.live2d.life.music import Dancing
from neodeskpet.ui.desktop.music.port import MusicDetector
from neodeskpet.ui.work import TaskRunner

MUSIC_CHECK_MS = 500
_RETRY_SECONDS = 60.0
"""Seconds. A session bus that isn't there may come."""


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
        """The windows are there."""
        self.apply()

    def apply(self) -> None:
        """The settings are others."""
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
        """Is it time to do something?"""
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
