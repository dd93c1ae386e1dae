"""Moves the figure away from the app's own windows, and back when they are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QPointF, QTimer, Signal, Slot

from neodeskpet.figure.behaviour.free_place import OwnWindow, PlaceKind, WindowChanges
from neodeskpet.figure.behaviour.screen_edges import eased_share
from neodeskpet.figure.poses import RestPose
from neodeskpet.ui.pet.pet_window import PetWindow

_GLIDE_SECONDS = 0.24
_RETRY_MS = 300
_PEEKING: Mapping[str, RestPose] = {
    "left": RestPose.PEEKING_RIGHT,
    "right": RestPose.PEEKING_LEFT,
}
_RESTS = frozenset({RestPose.SITTING, *_PEEKING.values()})


class OwnWindowAvoidance(QObject):
    """The figure doesn't move while `busy` returns True: the user drags, answers or types to it. It
    is hidden while the windows leave no place at all (`indoors_changed`).
    """

    indoors_changed = Signal(bool)

    def __init__(
        self, pet: PetWindow, busy: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._busy = busy
        self._changes = WindowChanges()
        self._reduced_motion = False
        self._start: QPoint | None = None
        self._began = 0.0
        self._hid = False
        self._posed = False
        self._retry = QTimer(self, interval=_RETRY_MS)
        self._retry.timeout.connect(self._apply)
        pet.placement.place_changed.connect(self._show_place)
        pet.advanced.connect(self._advance)
        pet.picked_up.connect(self._stop_glide)
        pet.visibleChanged.connect(self._on_visible)

    @property
    def is_indoors(self) -> bool:
        return self._hid

    def set_windows(self, windows: Sequence[OwnWindow]) -> None:
        self._changes.request(windows)
        self._apply()

    def set_reduced_motion(self, on: bool) -> None:
        self._reduced_motion = on

    def close(self) -> None:
        self._retry.stop()
        self._hid = False
        self._stop_glide()

    @Slot()
    def _apply(self) -> None:
        pet = self._pet
        busy = pet.is_held or self._busy()
        if not self._changes.apply(busy=busy):
            if self._changes.waiting:
                self._retry.start()
            else:
                self._retry.stop()
            return
        self._retry.stop()
        glide = not self._reduced_motion and pet.isVisible()
        before = pet.position()
        pet.set_own_windows(self._changes.current, glide=glide)
        if glide and pet.placement.place.kind is not PlaceKind.INDOORS:
            self._glide()
        elif glide:
            pet.setPosition(before)
        self._show_place()

    # Moving

    def _glide(self) -> None:
        pet = self._pet
        if pet.position() == pet.placement.window_corner():
            return
        if self._start is None:
            pet.frames.set_moving(True)
        self._start, self._began = pet.position(), -1.0
        pet.frames.wake(0.5)

    def _advance(self, now: float) -> None:
        if self._start is None:
            return
        self._pet.frames.wake(0.3)
        if self._began < 0.0:
            self._began = now
        share = (now - self._began) / _GLIDE_SECONDS
        if share >= 1.0:
            self._stop_glide()
            self._pet.placement.resize_to_figure()
            return
        way = QPointF(self._pet.placement.window_corner() - self._start) * eased_share(share)
        self._pet.setPosition(self._start + way.toPoint())

    @Slot()
    def _stop_glide(self) -> None:
        if self._start is not None:
            self._start = None
            self._pet.frames.set_moving(False)

    # Pose

    @Slot()
    def _show_place(self) -> None:
        """Show its pose for the place, or hide it if there is no place."""
        place = self._pet.placement.place
        match place.kind:
            case PlaceKind.TITLE_BAR:
                self._set_rest(RestPose.SITTING)
            case PlaceKind.EDGE if place.side is not None:
                self._set_rest(_PEEKING[place.side])
            case _:
                self._end_rest()
        if place.kind is PlaceKind.INDOORS and self._pet.isVisible() and not self._hid:
            self._stop_glide()
            self._hid = True
            self._pet.hide()
            self.indoors_changed.emit(True)
        elif place.kind is not PlaceKind.INDOORS and self._hid:
            self._hid = False
            self._pet.show()
            self.indoors_changed.emit(False)

    def _set_rest(self, rest: RestPose) -> None:
        self._posed = True
        self._pet.set_rest(rest)

    def _end_rest(self) -> None:
        if self._posed:
            self._posed = False
            side = self._pet.placement.retreat_side
            self._pet.set_rest(_PEEKING[side.side] if side is not None else RestPose.STANDING)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        """Keep it visible until the windows change if the user shows it without a place."""
        self._stop_glide()
        if visible and self._hid:
            self._hid = False
            self.indoors_changed.emit(False)
