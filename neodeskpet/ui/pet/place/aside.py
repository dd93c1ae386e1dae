"""The companion sent aside: it looks out from behind an outer edge of the screens, until a click
brings it back to where it stood.

It goes there and back with its own frames; while it peeks nothing runs that didn't run before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QPointF, Signal, Slot
from PySide6.QtGui import QGuiApplication

from neodeskpet.live2d.place.edges import Side
from neodeskpet.live2d.place.ground import Area
from neodeskpet.live2d.place.peeking import (
    Retreat,
    eased,
    nearest_retreat,
    pushed_to,
    seconds_for,
)
from neodeskpet.live2d.poses import Rest
from neodeskpet.ui.pet.placement import area_of
from neodeskpet.ui.pet.window import PetWindow

_REST: Mapping[Side, Rest] = {"left": Rest.PEEKING_RIGHT, "right": Rest.PEEKING_LEFT}
"""From which edge it looks out to which side."""


class Aside(QObject):
    """`changed(Retreat | None)`: it was sent aside, or came back; `came`: it stands again. To be
    made before whatever else hears that the hand has let it go.
    """

    leaving = Signal()
    """It is about to go there."""
    changed = Signal(object)
    came = Signal()

    def __init__(self, pet: PetWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pet = pet
        self._on = False
        self._calm = False
        self._home = pet.stand.feet
        self._lifted_from: Retreat | None = None
        self._start: QPoint | None = None
        self._began = self._takes = 0.0
        pet.lifted.connect(self._lift)
        pet.let_go.connect(self._let_go)
        pet.touched.connect(self.come_back)
        pet.advanced.connect(self._advance)
        pet.visibleChanged.connect(self._arrive)

    def set_on(self, on: bool) -> None:
        """Whether it may be sent aside at all."""
        self._on = on
        if not on:
            self.come_back()

    def set_calm(self, calm: bool) -> None:
        """Whether less is to move."""
        self._calm = calm

    def go(self) -> None:
        """Step aside, to the nearest edge."""
        self.leaving.emit()
        stand = self._pet.stand
        feet = stand.feet
        found = nearest_retreat(_screens(), area_of(stand.figure_rect()), feet.toTuple())
        if self._on and stand.aside is None and found is not None:
            self._go(found, feet)

    @Slot()
    def come_back(self) -> None:
        """Stand again where it stood."""
        stand = self._pet.stand
        if stand.aside is not None:
            stand.retreat(None)
            self._pet.set_rest(Rest.STANDING)
            self._glide()
            self.changed.emit(None)

    # The hand

    def _lift(self) -> None:
        """It comes out with the hand."""
        stand = self._pet.stand
        self._arrive()
        self._home, self._lifted_from = stand.feet, stand.aside
        stand.retreat(None)
        self._pet.set_rest(Rest.STANDING)

    def _let_go(self, _velocity: QPointF) -> None:
        stand = self._pet.stand
        figure = area_of(stand.figure_rect())
        to = pushed_to(_screens(), figure, stand.beyond, stand.feet.toTuple())
        if self._on and to is not None:
            self._go(to, self._home)
        elif self._lifted_from is not None:
            self.changed.emit(None)

    def _go(self, to: Retreat, home: QPoint) -> None:
        stand = self._pet.stand
        stand.retreat(to, home)
        stand.settle()
        self._pet.set_rest(_REST[to.side])
        self._glide()
        self.changed.emit(to)

    # The way there and back

    def _glide(self) -> None:
        pet = self._pet
        if self._calm or not pet.isVisible():
            self._start = pet.position()
            self._arrive()
            return
        self._start, self._began = pet.position(), -1.0
        way = (pet.stand.corner() - self._start).manhattanLength()
        self._takes = seconds_for(way)
        pet.frames.hurry(True)
        pet.frames.wake(0.5)

    def _advance(self, now: float) -> None:
        """A frame is due."""
        if self._start is None:
            return
        pet = self._pet
        pet.frames.wake(0.5)
        if self._began < 0.0:
            self._began = now
        share = (now - self._began) / self._takes
        if share >= 1.0:
            self._arrive()
            return
        way = QPointF(pet.stand.corner() - self._start) * eased(share)
        pet.setPosition(self._start + way.toPoint())

    @Slot()
    def _arrive(self) -> None:
        """Be where it was going, if it was."""
        if self._start is None:
            return
        self._start = None
        self._pet.frames.hurry(False)
        self._pet.stand.fit()
        if self._pet.stand.aside is None:
            self.came.emit()


def send_aside(pet: PetWindow, retreat: Retreat) -> None:
    """Let it look out from there, at once."""
    pet.stand.retreat(retreat)
    pet.stand.fit()
    pet.set_rest(_REST[retreat.side])


def _screens() -> Sequence[Area]:
    return [area_of(screen.availableGeometry()) for screen in QGuiApplication.screens()]
