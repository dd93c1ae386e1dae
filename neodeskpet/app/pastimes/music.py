"""Music makes the companion nod, sway and dance. Nothing listens while the switch is off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.pastimes.company import Company
from neodeskpet.live2d.life.music import Dancing
from neodeskpet.ui.desktop.music.port import Music
from neodeskpet.ui.work import Work

LOOK_MS = 500
_RETRY = 60.0
"""Seconds. A session bus that isn't there may come."""


class MusicDance(QObject):
    def __init__(
        self,
        company: Company,
        music: Music,
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
        self._work = Work("music", failed=lambda error: None)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def playing(self) -> bool:
        return self._dancing.playing

    def begin(self) -> None:
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
            self._work.stop("follow")
            self._hear(False)

    async def close(self) -> None:
        self._timer.stop()
        await self._work.close()

    @Slot()
    def look(self) -> None:
        """Is it time to do something?"""
        if not self._company.pet.at_leisure:
            return
        feat = self._dancing.due(self._clock())
        if feat is not None:
            self._company.pet.do(feat)

    async def _follow(self) -> None:
        while True:
            await self._music.follow(self._hear)
            self._hear(False)
            await asyncio.sleep(_RETRY)

    def _hear(self, playing: bool) -> None:
        self._dancing.hear(playing, self._clock())
        if playing:
            self._timer.start()
        else:
            self._timer.stop()
