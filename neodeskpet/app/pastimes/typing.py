"""The companion's paws tap with the person's keys. Nothing listens while the switch is off, or
while nobody sees the companion.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject

from neodeskpet.app.pastimes.company import ActivityContext
from neodeskpet.live2d.life.paws import TypingTaps
from neodeskpet.ui.desktop.typing.port import KeystrokeCounter


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
        """The windows are there."""
        self.apply()

    def apply(self) -> None:
        """The settings are others, or it came or went."""
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
