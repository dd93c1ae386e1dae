"""Keeps the companion on the ground or on a window's upper edge: it falls, moves with the window,
and sits down on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from PySide6.QtCore import QObject, QPoint, QPointF, Signal

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
from neodeskpet.figure.poses import SHAKE_OFF_MOTIONS, TURN_POSES, Pose, RestPose, find_name
from neodeskpet.ui.desktop.desktop_windows import own_window_ids
from neodeskpet.ui.desktop.window_watcher import WindowWatcher
from neodeskpet.ui.desktop.work_area import work_areas
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen, to_area

_REACH = 28.0
"""Distance in pixels to a window's edge at which the figure is placed on it."""
_SLOW = 400.0
"""Speed (px/s) above which a release is a throw."""
_ROOM = 0.6
"""The share of its height that must be on the screen above an edge."""
_AT_ONCE = 600
"""Maximum number of steps of 0.1 s in a simulated fall."""
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
"""Poses that a fall may interrupt: not those of a turn."""


class GroundTracker(QObject):
    """The ground of the figure. The user's settings are `set_fall` and the windows of
    `set_windows`; without the latter only floors count. With reduced motion it lands at once.
    """

    landed = Signal()
    ground_lost = Signal()
    """Its ground has moved or is gone."""

    def __init__(self, pet: PetWindow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pet = pet
        self._around: WindowWatcher | None = None
        self._wants_fall = False
        self._calm = False
        self._fall: Fall | None = None
        self._thrown = False
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
        """The window it stands on; FLOOR_WINDOW, or None if it stands on nothing."""
        if self._hold is not None:
            return self._hold.window
        return FLOOR_WINDOW if self._on_floor else None

    @property
    def _stays(self) -> bool:
        """Whether it is in its place: not falling, held, or at an edge."""
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
        """Set whether to reduce motion."""
        self._calm = calm

    def set_windows(self, around: WindowWatcher | None) -> None:
        """Set the source of window positions, None for none. `windows_changed` must be called when
        a window has moved.
        """
        self._around = around
        self._hold = None

    def ground(self) -> Ledge | None:
        """The ledge it stands on, or would walk along at its height; None while it is in
        the air.
        """
        if not self._stays:
            return None
        feet = self._pet.placement.feet
        hold = self._hold
        if hold is not None:
            own = [one for one in self._ledges() if one.window == hold.window]
            return ledge_near(feet.x(), feet.y(), own, 1.5)
        screen = nearest_screen(self._pet.placement.figure_rect(), work_areas())
        return Ledge(FLOOR_WINDOW, screen.left(), screen.right() + 1, feet.y())

    def step_to(self, x: float, lift: float = 0.0) -> None:
        """Move along its ground, `lift` pixels above it."""
        feet = self._pet.placement.feet
        hold = self._hold
        if hold is not None:
            left = feet.x() - round(hold.along)
            self._hold = Foothold(hold.window, round(x) - left)
        self._pet.placement.move_feet_to(QPoint(round(x), feet.y()), round(lift))

    def find_ground(self) -> None:
        """Find the ground below its feet at the current position."""
        if self._stays:
            self._come_down(QPointF())

    def leave_ground(self) -> None:
        """Leave the ground."""
        self._leave()

    def close(self) -> None:
        self.set_windows(None)
        self._end_fall()

    # Dragging

    def _leave(self) -> None:
        self._end_fall()
        self._hold = None
        self._on_floor = False

    def _let_go(self, velocity: QPointF) -> None:
        seated = self._pet.placement.place.kind is PlaceKind.TITLE_BAR
        if self._pet.placement.retreat_side is None and not seated:
            self._come_down(velocity)

    def _come_down(self, velocity: QPointF) -> None:
        """Place it on a near ledge, else let it fall, else keep it here."""
        feet = self._pet.placement.feet
        near = ledge_near(feet.x(), feet.y(), self._ledges(), _REACH)
        if near is not None and velocity.manhattanLength() < _SLOW and self._takes(near):
            self._stand_on(near, feet.x())
        elif self._wants_fall:
            self._begin_fall(velocity)

    def _takes(self, near: Ledge) -> bool:
        """Whether it may be placed on this ledge: on the floor only with `set_fall`."""
        return near.window != FLOOR_WINDOW or self._wants_fall

    # Changes of windows

    def windows_changed(self) -> None:
        """Follow a change of the windows."""
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
        """Handle the loss of its ground."""
        self.ground_lost.emit()
        self._hold = None
        self._on_floor = False
        if self._wants_fall:
            self._begin_fall(QPointF())

    # Falling

    def _begin_fall(self, velocity: QPointF) -> None:
        pet, feet = self._pet, self._pet.placement.feet
        figure = pet.placement.figure_rect()
        screen = nearest_screen(figure, work_areas())
        half = figure.width() // 2
        bounds = DesktopArea(
            screen.left() + half,
            screen.top() + figure.height(),
            max(screen.right() + 2 - half, screen.left() + half + 1),
            screen.bottom() + 1,
        )
        self._fall = Fall(feet.x(), feet.y(), bounds, velocity.x(), velocity.y())
        self._thrown = velocity.manhattanLength() >= _SLOW
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
        """Update for a new frame."""
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
            shakes = find_name(SHAKE_OFF_MOTIONS, self._pet.motions()) if self._thrown else None
            if shakes is not None:
                self._pet.pose(Pose.IDLE)
                self._pet.play(shakes)
            else:
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

    # Surroundings

    def _windows(self) -> Sequence[VisibleWindow]:
        """Return the windows without the companion's own and transient ones."""
        if self._around is None:
            return ()
        own = own_window_ids(frameless=True)
        return [one for one in self._around.windows() if one.window not in own]

    def _ledges(self) -> Sequence[Ledge]:
        return self._edges(self._windows())

    def _edges(self, windows: Sequence[VisibleWindow]) -> Sequence[Ledge]:
        room = round(self._pet.placement.figure_rect().height() * _ROOM)
        return ledges(windows, _screens(), room)


def _screens() -> list[DesktopArea]:
    return [to_area(one) for one in work_areas()]


_STAYS = frozenset({Pose.IDLE, *TURN_POSES})
"""Poses that are possible while it sits. Poses with their own motion are shown standing."""


class EdgeSitter(QObject):
    """`walking` returns whether it is walking; `clock` is the clock of the window's frames."""

    def __init__(
        self,
        pet: PetWindow,
        tracker: GroundTracker,
        parent: QObject | None = None,
        *,
        walking: Callable[[], bool] = lambda: False,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._tracker = tracker
        self._walking = walking
        self._on = False
        self._lowered = 0.0
        self._at = clock()
        self._sitting = SittingState(random or Random(), self._at)
        pet.advanced.connect(self._advance)
        pet.picked_up.connect(self._stand)
        tracker.landed.connect(self._stand)

    def set_enabled(self, on: bool) -> None:
        """Set whether it may sit down."""
        self._on = on
        if not on:
            self._stand()

    def _advance(self, now: float) -> None:
        """Update for a new frame."""
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
            self._tracker.standing_on not in (None, FLOOR_WINDOW) and not self._tracker.is_falling
        )
        free = pet.current_pose in _STAYS and not (
            pet.is_held or pet.placement.is_displaced or self._walking()
        )
        return self._on and there and free and pet.placement.retreat_side is None

    @property
    def _seat(self) -> float:
        """Height in pixels of its seat above its feet; 0 if unknown."""
        found = self._pet.description
        return found.seat * self._pet.placement.figure_rect().height() if found is not None else 0.0

    def _stand(self) -> None:
        """Stand up at once, when it is carried or lands."""
        self._sitting.stand(self._at)
        if self._pet.rest is RestPose.SITTING:
            self._pet.set_rest(RestPose.STANDING)
        if self._lowered:
            self._lower(0.0)

    def _lower(self, pixels: float) -> None:
        self._lowered = pixels
        self._pet.placement.set_lowered(round(pixels))
