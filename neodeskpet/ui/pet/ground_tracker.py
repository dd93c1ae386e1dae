"""Keeps the companion on the ground or on a window's upper edge: it falls, moves with the window,
and sits down on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from PySide6.QtCore import QObject, QPoint, QPointF, QRect, Signal
from PySide6.QtGui import QGuiApplication

from neodeskpet.figure.behaviour.free_place import PlaceKind
from neodeskpet.figure.behaviour.ground import (
    FLOOR_WINDOW,
    DesktopArea,
    Fall,
    Foothold,
    Ledge,
    SittingState,
    VisibleWindow,
    floors,
    is_supported,
    ledge_near,
    ledges,
    seat_offset,
)
from neodeskpet.figure.poses import TURN_POSES, Pose, RestPose
from neodeskpet.ui.desktop.desktop_windows import own_window_ids
from neodeskpet.ui.desktop.window_watcher import WindowWatcher
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen, to_area

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
        Pose.IDLE,
        Pose.SLEEPY,
        Pose.ASLEEP,
        Pose.WAKING,
        Pose.GROGGY,
        Pose.DRAGGED,
        Pose.LANDING,
        Pose.SURPRISED,
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
        seated = self._pet.placement.place.kind is PlaceKind.TITLE_BAR
        if self._pet.placement.retreat_side is None and not seated:
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
        pet.placement.set_avoiding(False)
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
            self._pet.placement.set_avoiding(True)
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


_STAYS = frozenset({Pose.IDLE, *TURN_POSES})
"""What it may be asked while it sits. What has a motion of its own it shows standing."""


class EdgeSitter(QObject):
    """`walking` tells whether it is on its way; `clock` is that of the window's frames."""

    def __init__(
        self,
        pet: PetWindow,
        footing: GroundTracker,
        parent: QObject | None = None,
        *,
        walking: Callable[[], bool] = lambda: False,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._footing = footing
        self._walking = walking
        self._on = False
        self._lowered = 0.0
        self._at = clock()
        self._sitting = SittingState(random or Random(), self._at)
        pet.advanced.connect(self._advance)
        pet.picked_up.connect(self._stand)
        footing.landed.connect(self._stand)

    def set_enabled(self, on: bool) -> None:
        """Whether it may sit down at all."""
        self._on = on
        if not on:
            self._stand()

    def _advance(self, now: float) -> None:
        """A frame is due."""
        before, self._at = self._at, now
        displaced = self._pet.placement.place.kind is not PlaceKind.HOME
        if displaced or not (self._on or self._lowered):
            return
        pet, seat = self._pet, self._seat
        sits = self._sitting.advance(now, can=seat > 0.0 and self._may())
        if sits and pet.is_idle and not pet.is_lying:
            pet.set_rest(RestPose.SITTING)
        elif not sits and self._pet.rest is RestPose.SITTING:
            pet.set_rest(RestPose.STANDING)
        goal = seat if pet.current_rest is RestPose.SITTING else 0.0
        if self._lowered != goal:
            depth = max(seat, self._lowered)
            self._lower(seat_offset(self._lowered, goal, now - before, depth))
            pet.frames.wake(0.3)

    def _may(self) -> bool:
        pet = self._pet
        there = (
            self._footing.standing_on not in (None, FLOOR_WINDOW) and not self._footing.is_falling
        )
        free = pet.current_pose in _STAYS and not (
            pet.is_held or pet.placement.is_displaced or self._walking()
        )
        return self._on and there and free and pet.placement.retreat_side is None

    @property
    def _seat(self) -> float:
        """Pixels that its seat is above its feet; 0 if nobody knows."""
        found = self._pet.description
        return found.seat * self._pet.placement.figure_rect().height() if found is not None else 0.0

    def _stand(self) -> None:
        """At once, where it is carried or lands."""
        self._sitting.stand(self._at)
        if self._pet.rest is RestPose.SITTING:
            self._pet.set_rest(RestPose.STANDING)
        if self._lowered:
            self._lower(0.0)

    def _lower(self, pixels: float) -> None:
        self._lowered = pixels
        self._pet.placement.set_lowered(round(pixels))
