"""The companion at the edge: it looks out from behind an outer edge of the screens until a click
brings it back to its position.

It moves there and back with its own frames; no timer runs while it peeks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QPointF, Signal, Slot

from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.figure.behaviour.screen_edges import (
    EdgeSide,
    PeekPosition,
    eased_share,
    nearest_peek,
    peek_after_drag,
    peek_seconds,
)
from neodeskpet.figure.poses import RestPose
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import to_area

_REST: Mapping[EdgeSide, RestPose] = {
    "left": RestPose.PEEKING_RIGHT,
    "right": RestPose.PEEKING_LEFT,
}
"""The pose at each edge."""


class EdgePeek(QObject):
    """Signals: `changed(PeekPosition | None)` after it was sent to an edge or came back;
    `returned()` when it stands again. Create it before other objects that handle the release of a
    drag. While `speaks` returns True, its whole face is on the screen.
    """

    leaving = Signal()
    """It is about to move to the edge."""
    changed = Signal(object)
    returned = Signal()

    def __init__(
        self,
        pet: PetWindow,
        parent: QObject | None = None,
        *,
        speaks: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._speaks = speaks
        self._leans_out = False
        self._on = False
        self._calm = False
        self._home = pet.placement.feet
        self._lifted_from: PeekPosition | None = None
        self._start: QPoint | None = None
        self._began = self._takes = 0.0
        pet.picked_up.connect(self._lift)
        pet.released.connect(self._let_go)
        pet.touched.connect(self.come_back)
        pet.advanced.connect(self._advance)
        pet.visibleChanged.connect(self._arrive)

    def set_enabled(self, on: bool) -> None:
        """Set whether it may be sent to an edge."""
        self._on = on
        if not on:
            self.come_back()

    def set_reduced_motion(self, calm: bool) -> None:
        """Set whether to reduce motion."""
        self._calm = calm

    def start(self) -> None:
        """Move to the nearest edge."""
        self.leaving.emit()
        stand = self._pet.placement
        feet = stand.feet
        found = nearest_peek(_screens(), to_area(stand.figure_rect()), feet.toTuple())
        if self._on and stand.retreat_side is None and found is not None:
            self._go(found, feet)

    @Slot()
    def come_back(self) -> None:
        """Return to the earlier position."""
        stand = self._pet.placement
        if stand.retreat_side is not None:
            stand.set_retreat(None)
            self._pet.set_rest(RestPose.STANDING)
            self._glide()
            self.changed.emit(None)

    # Dragging

    def _lift(self) -> None:
        """Show the whole figure when a drag starts."""
        stand = self._pet.placement
        self._arrive()
        self._home, self._lifted_from = stand.feet, stand.retreat_side
        stand.set_retreat(None)
        self._pet.set_rest(RestPose.STANDING)

    def _let_go(self, _velocity: QPointF) -> None:
        stand = self._pet.placement
        figure = to_area(stand.figure_rect())
        to = peek_after_drag(_screens(), figure, stand.overhang, stand.feet.toTuple())
        if self._on and to is not None:
            self._go(to, self._home)
        elif self._lifted_from is not None:
            self.changed.emit(None)

    def _go(self, to: PeekPosition, home: QPoint) -> None:
        stand = self._pet.placement
        stand.set_retreat(to, home)
        stand.save_position()
        self._pet.set_rest(_REST[to.side])
        self._glide()
        self.changed.emit(to)

    # Moving

    def _glide(self) -> None:
        pet = self._pet
        if self._calm or not pet.isVisible():
            self._start = pet.position()
            self._arrive()
            return
        self._start, self._began = pet.position(), -1.0
        way = (pet.placement.window_corner() - self._start).manhattanLength()
        self._takes = peek_seconds(way)
        pet.frames.set_moving(True)
        pet.frames.wake(0.5)

    def _advance(self, now: float) -> None:
        """Update for a new frame."""
        self._lean_out()
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
        way = QPointF(pet.placement.window_corner() - self._start) * eased_share(share)
        pet.setPosition(self._start + way.toPoint())

    def _lean_out(self) -> None:
        """Come out far enough for its whole face while it speaks."""
        stand = self._pet.placement
        out = stand.retreat_side is not None and self._speaks()
        if out is not self._leans_out and not self._pet.is_held:
            self._leans_out = out
            stand.set_leaning_out(out)
            if stand.retreat_side is not None:
                self._glide()

    @Slot()
    def _arrive(self) -> None:
        """Finish a movement at once."""
        if self._start is None:
            return
        self._start = None
        self._pet.frames.set_moving(False)
        self._pet.placement.resize_to_figure()
        if self._pet.placement.retreat_side is None:
            self.returned.emit()


def peek_now(pet: PetWindow, retreat: PeekPosition) -> None:
    """Show it peeking from this position at once."""
    pet.placement.set_retreat(retreat)
    pet.placement.resize_to_figure()
    pet.set_rest(_REST[retreat.side])


def _screens() -> Sequence[DesktopArea]:
    return [to_area(area) for area in work_areas()]
