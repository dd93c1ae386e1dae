"""Activities that the user starts: hide-and-seek, and snacks for the companion."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QObject, QPoint, QTimer, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.figure.behaviour.screen_edges import HidingRound, HidingStep, hiding_place
from neodeskpet.figure.behaviour.tricks import (
    BITE_SECONDS,
    BITES,
    EAT_TRICK,
    LOVE_TRICK,
    REFUSE_TRICK,
    REJOICE,
    Appetite,
    SnackReaction,
    Trick,
)
from neodeskpet.figure.poses import Pose
from neodeskpet.language import tr
from neodeskpet.ui.desktop.compositor import is_composited
from neodeskpet.ui.desktop.work_area import work_area, work_areas
from neodeskpet.ui.pet.screen_geometry import to_area
from neodeskpet.ui.pet.snack import SIZE, Snack
from neodeskpet.ui.task_runner import TaskRunner

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
        """Whether a round is in progress."""
        return self._round is not None

    def start(self) -> None:
        """Start; the windows exist by then."""

    def apply(self) -> None:
        """Apply changed settings."""
        if not self._company.settings.seek:
            self._come_back()

    async def aclose(self) -> None:
        self._timer.stop()
        self._round = None

    def start_round(self) -> None:
        """Start a round of hide-and-seek."""
        if self._round is not None:
            return
        self._company.companion.show_notice(tr("Don't look… I'm hiding!"))
        self._round = HidingRound(self._clock())
        self._timer.start()

    @Slot()
    def check(self) -> None:
        """Perform the next step of the round if it is due."""
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
        screens = [to_area(area) for area in work_areas()]
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
        """End the round and return the figure to its previous place."""
        if self._round is None:
            return
        self._round = None
        self._timer.stop()
        self._company.pet.placement.resize_to_figure()


_EATEN_KEY = "snacks"


class SnackActivity(QObject):
    """Feeds the companion. `now` returns Unix seconds."""

    def __init__(
        self,
        company: ActivityContext,
        parent: QObject | None = None,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._now = now
        self._appetite = Appetite()
        self._taste = SnackReaction.LIKES
        self._bites = 0
        self.snack: Snack | None = None
        self._work = TaskRunner("snacks", failed=lambda error: None)
        self._chewing = QTimer(self, interval=round(BITE_SECONDS * 1000))
        self._chewing.timeout.connect(self._chew)
        company.pet.visibleChanged.connect(self._seen)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._work.start("restore", self.load_eaten)

    def apply(self) -> None:
        """Apply changed settings."""

    async def aclose(self) -> None:
        self._chewing.stop()
        if self.snack is not None:
            self.snack.close()
            self.snack.deleteLater()
            self.snack = None
        await self._work.aclose()

    def offer_snack(self) -> None:
        """Show a snack beside the figure; a snack that is already shown is eaten instead."""
        pet = self._company.pet
        pet.show()
        if self.snack is not None and self.snack.isVisible():
            self._give()
            return
        if self.snack is None:
            self.snack = Snack(cut_out=not is_composited())
            self.snack.clicked.connect(self._give)
            self.snack.dropped.connect(self._drop)
        figure, screen = pet.placement.figure_rect(), work_area(pet.screen())
        side = figure.left() - SIZE
        if side < screen.left():
            side = figure.right() + SIZE
        self.snack.place_at(QPoint(side, figure.bottom() - SIZE))
        pet.look_at(side, figure.bottom() - SIZE)

    def _drop(self, point: QPoint) -> None:
        pet = self._company.pet
        if pet.placement.figure_rect().contains(point):
            self._give()
        else:
            pet.look_at(point.x(), point.y())

    def _give(self) -> None:
        pet, snack = self._company.pet, self.snack
        if snack is None or self._chewing.isActive():
            return
        self._taste = self._appetite.offer(self._now())
        if self._taste is SnackReaction.FULL:
            pet.perform(REFUSE_TRICK, asked=True)
            snack.remove()
            return
        self._work.start("keep", self._keep)
        snack.eat_at(pet.placement.mouth_point())
        self._bites = 0
        pet.perform(EAT_TRICK, asked=True)
        self._chewing.start()

    def _chew(self) -> None:
        if self.snack is None:
            return
        self._bites += 1
        if self._bites < BITES:
            self.snack.eat_at(self._company.pet.placement.mouth_point())
            self.snack.take_bite()
            return
        self._chewing.stop()
        self.snack.remove()
        if self._taste is SnackReaction.LOVES:
            self._company.pet.perform(LOVE_TRICK, asked=True)

    def _seen(self, visible: bool) -> None:
        """Remove the snack when the companion is hidden."""
        if not visible and self.snack is not None:
            self._chewing.stop()
            self.snack.remove()

    async def load_eaten(self) -> None:
        """Load what the companion ate recently."""
        self._appetite = Appetite.read(
            await self._company.engine.storage.store.get_state(_EATEN_KEY)
        )

    async def _keep(self) -> None:
        await self._company.engine.storage.store.set_state(_EATEN_KEY, self._appetite.write())
