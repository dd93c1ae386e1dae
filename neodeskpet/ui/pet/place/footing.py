"""What the companion stands on: it falls when there is nothing, and goes along with a window.

It moves with its own frames, so that it costs nothing while it stands: who moves a window tells it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Signal
from PySide6.QtGui import QGuiApplication

from neodeskpet.live2d.place.falling import Fall
from neodeskpet.live2d.place.ground import (
    FLOOR_WINDOW,
    DesktopArea,
    Foothold,
    Ledge,
    VisibleWindow,
    floors,
    is_supported,
    ledge_near,
    ledges,
)
from neodeskpet.live2d.poses import Pose
from neodeskpet.ui.desktop.around.port import WindowWatcher
from neodeskpet.ui.desktop.own_windows import own_window_ids
from neodeskpet.ui.pet.placement import nearest_screen, to_area
from neodeskpet.ui.pet.window import PetWindow

_REACH = 28.0
"""Pixels from a window's edge in which it is put onto it."""
_SLOW = 400.0
"""Who lets it go faster than this (px/s) throws it."""
_ROOM = 0.6
"""The share of its height that has to be on the screen above an edge."""
_AT_ONCE = 600
"""Steps of a tenth of a second that are more than any fall takes."""
_CALM_POSES = frozenset(
    {
        *(Pose.IDLE, Pose.SLEEPY, Pose.ASLEEP, Pose.WAKING, Pose.GROGGY),
        *(Pose.DRAGGED, Pose.LANDING, Pose.SURPRISED),
    }
)
"""What a fall may interrupt: not a turn that it shows."""


class GroundTracker(QObject):
    """`fall` and `perch` are what the person wants; without anybody who tells where windows are
    (`set_windows`) there are the floors alone. `calm`: it is where it lands at once.
    """

    landed = Signal()
    ground_lost = Signal()
    """What it stands on has moved, or is gone."""

    def __init__(self, pet: PetWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pet = pet
        self._around: WindowWatcher | None = None
        self._wants_fall = False
        self._calm = False
        self._fall: Fall | None = None
        self._at = 0.0
        self._hold: Foothold | None = None
        self._on_floor = False
        pet.picked_up.connect(self._leave)
        pet.released.connect(self._let_go)
        pet.advanced.connect(self._advance)

    @property
    def is_falling(self) -> bool:
        return self._fall is not None

    @property
    def standing_on(self) -> int | None:
        """The window it stands on; FLOOR, or None where it stands on nothing."""
        if self._hold is not None:
            return self._hold.window
        return FLOOR_WINDOW if self._on_floor else None

    @property
    def _stays(self) -> bool:
        """Whether it is where it belongs: not in the air, in a hand, or sent aside."""
        return (
            self._fall is None
            and not self._pet.is_held
            and self._pet.placement.retreat_side is None
        )

    def set_fall(self, on: bool) -> None:
        self._wants_fall = on
        if not on:
            self._end_fall()

    def set_reduced_motion(self, calm: bool) -> None:
        """Whether less is to move."""
        self._calm = calm

    def set_windows(self, around: WindowWatcher | None) -> None:
        """Who tells where other windows are, None for nobody. `follow` is to be called when one of
        them has moved.
        """
        self._around = around
        self._hold = None

    def ground(self) -> Ledge | None:
        """What it stands on, or would walk along at its height; None while it is in the air."""
        if not self._stays:
            return None
        feet = self._pet.placement.feet
        hold = self._hold
        if hold is not None:
            own = [one for one in self._ledges() if one.window == hold.window]
            return ledge_near(feet.x(), feet.y(), own, 1.5)
        screen = nearest_screen(self._pet.placement.figure_rect(), _rects())
        return Ledge(FLOOR_WINDOW, screen.left(), screen.right() + 1, feet.y())

    def step_to(self, x: float, lift: float = 0.0) -> None:
        """Go on along what it stands on, `lift` pixels above it."""
        feet = self._pet.placement.feet
        hold = self._hold
        if hold is not None:
            left = feet.x() - round(hold.along)
            self._hold = Foothold(hold.window, round(x) - left)
        self._pet.placement.move_feet_to(QPoint(round(x), feet.y()), round(lift))

    def find_ground(self) -> None:
        """Find what is under its feet, where it stands now."""
        if self._stays:
            self._come_down(QPointF())

    def leave_ground(self) -> None:
        """It goes elsewhere."""
        self._leave()

    def close(self) -> None:
        self.set_windows(None)
        self._end_fall()

    # The hand

    def _leave(self) -> None:
        self._end_fall()
        self._hold = None
        self._on_floor = False

    def _let_go(self, velocity: QPointF) -> None:
        if self._pet.placement.retreat_side is None:
            self._come_down(velocity)

    def _come_down(self, velocity: QPointF) -> None:
        """Onto what is right here, else by a fall, else it stays."""
        feet = self._pet.placement.feet
        near = ledge_near(feet.x(), feet.y(), self._ledges(), _REACH)
        if near is not None and velocity.manhattanLength() < _SLOW and self._takes(near):
            self._stand_on(near, feet.x())
        elif self._wants_fall:
            self._begin_fall(velocity)

    def _takes(self, near: Ledge) -> bool:
        """On the floor alone it is put by those who want it to fall."""
        return near.window != FLOOR_WINDOW or self._wants_fall

    # What happens to the windows

    def windows_changed(self) -> None:
        """Something has changed among the windows."""
        if not self._stays:
            return
        windows = self._windows()
        if self._hold is not None:
            self._go_along(self._hold, windows)
        elif self._on_floor:
            feet = self._pet.placement.feet
            if not is_supported(feet.x(), feet.y(), floors(_screens())):
                self._lose()

    def _go_along(self, hold: Foothold, windows: Sequence[VisibleWindow]) -> None:
        there = hold.feet(windows)
        if there is None or not is_supported(*there, self._edges(windows)):
            self._lose()
            return
        feet = QPoint(round(there[0]), round(there[1]))
        if feet != self._pet.placement.feet:
            self.ground_lost.emit()
            self._pet.placement.move_feet_to(feet)

    def _lose(self) -> None:
        """There is nothing under its feet any more."""
        self.ground_lost.emit()
        self._hold = None
        self._on_floor = False
        if self._wants_fall:
            self._begin_fall(QPointF())

    # The fall

    def _begin_fall(self, velocity: QPointF) -> None:
        pet, feet = self._pet, self._pet.placement.feet
        figure = pet.placement.figure_rect()
        screen = nearest_screen(figure, _rects())
        half = figure.width() // 2
        bounds = DesktopArea(
            screen.left() + half,
            screen.top() + figure.height(),
            max(screen.right() + 2 - half, screen.left() + half + 1),
            screen.bottom() + 1,
        )
        self._fall = Fall(feet.x(), feet.y(), bounds, velocity.x(), velocity.y())
        self._hold = None
        self._on_floor = False
        if self._calm:
            self._fall_at_once(self._fall)
            return
        if pet.current_pose in _CALM_POSES:
            pet.pose(Pose.FALLING)
        self._at = -1.0
        pet.frames.set_moving(True)
        pet.frames.wake(0.5)

    def _fall_at_once(self, fall: Fall) -> None:
        found = self._ledges()
        ledge = next(filter(None, (fall.advance(0.1, found) for _ in range(_AT_ONCE))), None)
        if ledge is not None:
            self._land(fall, ledge)

    def _advance(self, now: float) -> None:
        """A frame is due."""
        fall = self._fall
        if fall is None:
            return
        self._pet.frames.wake(0.5)
        before, self._at = self._at, now
        if before < 0.0 or self._pet.is_held:
            return
        ledge = fall.advance(now - before, self._ledges())
        if ledge is not None:
            self._land(fall, ledge)
        else:
            self._pet.placement.move_feet_to(QPoint(round(fall.x), round(fall.y)))

    def _land(self, fall: Fall, ledge: Ledge) -> None:
        self._end_fall()
        if self._pet.current_pose in (Pose.FALLING, *_CALM_POSES):
            self._pet.pose(Pose.LANDING if fall.heavy else Pose.IDLE)
        self._stand_on(ledge, fall.x)
        self.landed.emit()

    def _end_fall(self) -> None:
        if self._fall is not None:
            self._fall = None
            self._pet.frames.set_moving(False)
            if self._pet.current_pose is Pose.FALLING:
                self._pet.pose(Pose.IDLE)

    def _stand_on(self, ledge: Ledge, x: float) -> None:
        own = next((one for one in self._windows() if one.window == ledge.window), None)
        self._hold = None if own is None else Foothold(own.window, x - own.place.left)
        self._on_floor = self._hold is None
        self._pet.placement.move_feet_to(QPoint(round(x), ledge.top))
        self._pet.placement.save_position()

    # What there is

    def _windows(self) -> Sequence[VisibleWindow]:
        """Without the companion's own, and what lies there for a moment."""
        if self._around is None:
            return ()
        own = own_window_ids(frameless=True)
        return [one for one in self._around.windows() if one.window not in own]

    def _ledges(self) -> Sequence[Ledge]:
        return self._edges(self._windows())

    def _edges(self, windows: Sequence[VisibleWindow]) -> Sequence[Ledge]:
        room = round(self._pet.placement.figure_rect().height() * _ROOM)
        return ledges(windows, _screens(), room)


def _rects() -> list[QRect]:
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def _screens() -> list[DesktopArea]:
    return [to_area(one) for one in _rects()]
