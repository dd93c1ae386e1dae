"""Hide and seek: the companion goes, looks out from an edge of a screen, and a click finds it."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QObject, QPoint, QTimer, Slot
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.pastimes.company import ActivityContext
from neodeskpet.language import tr
from neodeskpet.live2d.life.feats import Trick
from neodeskpet.live2d.life.hiding import HidingRound, HidingStep, hiding_place
from neodeskpet.live2d.life.turning import REJOICE
from neodeskpet.live2d.poses import Pose
from neodeskpet.ui.pet.placement import to_area

SEEK_CHECK_MS = 250
GIGGLE_TRICK = Trick(("giggle", "laugh", "nod"), pose=Pose.HAPPY)


class HideAndSeek(QObject):
    def __init__(
        self,
        company: ActivityContext,
        parent: QObject | None = None,
        *,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._random = random or Random()
        self._clock = clock
        self._round: HidingRound | None = None
        self._timer = QTimer(self, interval=SEEK_CHECK_MS)
        self._timer.timeout.connect(self.check)
        pet = company.pet
        pet.touched.connect(lambda _area: self._found())
        pet.placement.placed.connect(lambda _screen, _feet: self._found())
        pet.visibleChanged.connect(self._seen)

    @property
    def hidden(self) -> bool:
        """Whether a round goes on."""
        return self._round is not None

    def start(self) -> None:
        """The windows are there."""

    def apply(self) -> None:
        """The settings are others."""
        if not self._company.settings.seek:
            self._come_back()

    async def aclose(self) -> None:
        self._timer.stop()
        self._round = None

    def start_round(self) -> None:
        """The person wants to seek."""
        if self._round is not None:
            return
        self._company.companion.show_notice(tr("Don't look… I'm hiding!"))
        self._round = HidingRound(self._clock())
        self._timer.start()

    @Slot()
    def check(self) -> None:
        """Is something to be done?"""
        step = self._round.due(self._clock()) if self._round is not None else None
        if step is HidingStep.HIDE:
            self._hide()
        elif step is HidingStep.HINT:
            self._company.pet.perform(GIGGLE_TRICK, asked=True)
        elif step is HidingStep.GIVE_UP:
            self._come_back()
            self._company.companion.show_notice(tr("Here I am! You nearly had me."))

    def _hide(self) -> None:
        pet = self._company.pet
        figure = to_area(pet.placement.figure_rect())
        screens = [to_area(screen.availableGeometry()) for screen in QGuiApplication.screens()]
        place = hiding_place(screens, figure, self._random)
        if place is None:
            self._come_back()
            return
        inset = QPoint(figure.left, figure.top) - pet.position()
        pet.setPosition(QPoint(*place) - inset)

    def _found(self) -> None:
        if self._round is None:
            return
        self._come_back()
        self._company.companion.show_notice(tr("You found me!"))
        self._company.pet.perform(REJOICE, asked=True)

    def _seen(self, visible: bool) -> None:
        if not visible:
            self._come_back()

    def _come_back(self) -> None:
        """Where it stood before."""
        if self._round is None:
            return
        self._round = None
        self._timer.stop()
        self._company.pet.placement.resize_to_figure()
