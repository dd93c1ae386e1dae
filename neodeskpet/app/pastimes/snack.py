"""A snack for the companion: by the menu it lies beside them; dragged to them, or clicked, it is
eaten, unless they are full.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QTimer

from neodeskpet.app.pastimes.company import Company
from neodeskpet.live2d.life.appetite import (
    BITE_SECONDS,
    BITES,
    EAT,
    LOVE,
    REFUSE,
    Appetite,
    Taste,
)
from neodeskpet.ui.desktop.compositor import is_composited
from neodeskpet.ui.pastimes.snack import SIZE, Snack
from neodeskpet.ui.work import Work

_EATEN = "snacks"


class Snacks(QObject):
    """`now` tells unix seconds."""

    def __init__(
        self,
        company: Company,
        parent: QObject | None = None,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._now = now
        self._appetite = Appetite()
        self._taste = Taste.LIKES
        self._bites = 0
        self.snack: Snack | None = None
        self._work = Work("snacks", failed=lambda error: None)
        self._chewing = QTimer(self, interval=round(BITE_SECONDS * 1000))
        self._chewing.timeout.connect(self._chew)
        company.pet.visibleChanged.connect(self._seen)

    def begin(self) -> None:
        """The windows are there."""
        self._work.start("restore", self.restore)

    def apply(self) -> None:
        """The settings are others."""

    async def close(self) -> None:
        self._chewing.stop()
        if self.snack is not None:
            self.snack.close()
            self.snack.deleteLater()
            self.snack = None
        await self._work.close()

    def bring(self) -> None:
        """The person wants to give one; while one lies there, that is given."""
        pet = self._company.pet
        pet.show()
        if self.snack is not None and self.snack.isVisible():
            self._give()
            return
        if self.snack is None:
            self.snack = Snack(cut_out=not is_composited())
            self.snack.offered.connect(self._give)
            self.snack.dropped.connect(self._drop)
        figure, screen = pet.stand.figure_rect(), pet.screen().availableGeometry()
        side = figure.left() - SIZE
        if side < screen.left():
            side = figure.right() + SIZE
        self.snack.put_at(QPoint(side, figure.bottom() - SIZE))
        pet.look_at(side, figure.bottom() - SIZE)

    def _drop(self, point: QPoint) -> None:
        pet = self._company.pet
        if pet.stand.figure_rect().contains(point):
            self._give()
        else:
            pet.look_at(point.x(), point.y())

    def _give(self) -> None:
        pet, snack = self._company.pet, self.snack
        if snack is None or self._chewing.isActive():
            return
        self._taste = self._appetite.offer(self._now())
        if self._taste is Taste.FULL:
            pet.do(REFUSE, asked=True)
            snack.take_away()
            return
        self._work.start("keep", self._keep)
        snack.hold_at(pet.stand.mouth_point())
        self._bites = 0
        pet.do(EAT, asked=True)
        self._chewing.start()

    def _chew(self) -> None:
        if self.snack is None:
            return
        self._bites += 1
        if self._bites < BITES:
            self.snack.hold_at(self._company.pet.stand.mouth_point())
            self.snack.bite()
            return
        self._chewing.stop()
        self.snack.take_away()
        if self._taste is Taste.LOVES:
            self._company.pet.do(LOVE, asked=True)

    def _seen(self, visible: bool) -> None:
        """Without anybody who eats there is nothing to eat."""
        if not visible and self.snack is not None:
            self._chewing.stop()
            self.snack.take_away()

    async def restore(self) -> None:
        """What it ate lately is remembered."""
        self._appetite = Appetite.read(await self._company.engine.store.get_state(_EATEN))

    async def _keep(self) -> None:
        await self._company.engine.store.set_state(_EATEN, self._appetite.write())
