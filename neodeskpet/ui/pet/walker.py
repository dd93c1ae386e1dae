"""Lets the companion walk along its ground, within the user's limits.

No timer runs while it is disabled or the companion isn't visible; while walking it moves with the
window's frames.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from random import Random

from PySide6.QtCore import QObject, QRect, QTimer, Slot
from PySide6.QtGui import QCursor, QGuiApplication, QScreen

from neodeskpet.figure.behaviour.walking import (
    Walk,
    WalkContext,
    WalkRange,
    WalkSchedule,
    walk_goal,
    walkable_range,
)
from neodeskpet.figure.poses import WALK_POSES, Pose
from neodeskpet.ui.desktop.work_area import work_area, work_areas
from neodeskpet.ui.pet.ground_tracker import GroundTracker
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen

CHECK_MS = 5_000
Limits = Mapping[str, tuple[int, int]]
"""Walking limits in pixels from the left side, by screen name."""


class Walker(QObject):
    """`idle` returns the seconds without user input, None if unknown; `wanted` returns whether the
    user is using the companion. `clock` is the clock of the window's frames.
    """

    def __init__(
        self,
        pet: PetWindow,
        tracker: GroundTracker,
        parent: QObject | None = None,
        *,
        idle: Callable[[], float | None] = lambda: None,
        wanted: Callable[[], bool] = lambda: False,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._tracker = tracker
        self._idle = idle
        self._wanted = wanted
        self._random = random or Random()
        self._clock = clock
        self._on = False
        self._limits: Limits = {}
        self._outings = WalkSchedule(self._random, clock())
        self._walk: Walk | None = None
        self._at = 0.0
        self._drawn_at = 0.0
        self._under_way = False
        self._timer = QTimer(self, interval=CHECK_MS)
        self._timer.timeout.connect(self.consider_walk)
        pet.advanced.connect(self._advance)
        pet.command_given.connect(self._on_command)
        pet.picked_up.connect(self.stop)
        pet.touched.connect(self.stop)
        pet.visibleChanged.connect(self._seen)
        tracker.ground_lost.connect(self.stop)

    @property
    def is_walking(self) -> bool:
        return self._walk is not None

    def set_enabled(self, on: bool) -> None:
        if on is not self._on:
            self._on = on
            self._outings.put_off(self._clock())
            self._seen(self._pet.isVisible())

    def set_limits(self, limits: Limits) -> None:
        """Set the limits of each screen; without an entry it walks anywhere."""
        self._limits = dict(limits)
        self.ground_changed()

    @Slot()
    def consider_walk(self) -> None:
        """Start a walk if one is due."""
        now = self._clock()
        if self._walk is not None or self._pet.is_user_working or not self._outings.due(now):
            return  # a due walk begins when the user pauses
        if not self._scene().free or self._pet.placement.is_displaced:
            self._outings.postpone(now)
            return
        self.start_walk()

    def start_walk(self) -> bool:
        """Start a walk now; return False if there is no way long enough."""
        self._outings.put_off(self._clock())
        if self._walk is not None or not self._pet.is_idle:
            return False
        goal = self._find_goal()
        if goal is not None:
            self._begin(goal)
        return goal is not None

    @Slot()
    def stop(self) -> None:
        """Stop at once, where its feet were last drawn."""
        walk, self._walk = self._walk, None
        if walk is None:
            return
        x = self._seen_at(walk)
        self._outings.put_off(self._clock())
        self._pet.frames.set_moving(False)
        if self._pet.current_pose in WALK_POSES:
            self._pet.walk(Pose.IDLE)
        self._tracker.step_to(x)
        self._pet.placement.save_position()

    def ground_changed(self) -> None:
        """Check whether the way still exists after a change of windows or limits."""
        walk = self._walk
        if walk is not None:
            room = self._room()
            if room is None or not room.holds(walk.goal):
                self.stop()

    def close(self) -> None:
        self.set_enabled(False)

    # Walking

    def _begin(self, goal: float) -> None:
        pet = self._pet
        height = pet.placement.figure_rect().height()
        right = goal > pet.placement.feet.x()
        steps = pet.walk(Pose.WALKING_RIGHT if right else Pose.WALKING_LEFT)
        gait = pet.description.gait if pet.description is not None and steps else None
        self._walk = Walk(pet.placement.feet.x(), goal, height, steps, gait)
        self._at, self._drawn_at = -1.0, self._walk.x
        self._under_way = False
        pet.frames.set_moving(True)
        pet.frames.wake(0.5)

    def _advance(self, now: float) -> None:
        """Update for a new frame."""
        walk = self._walk
        if walk is None:
            return
        if walk.over or self._is_hindered(walk):
            self.stop()
            return
        self._pet.frames.wake(0.5)
        self._drawn_at = self._seen_at(walk)
        before, self._at = self._at, now
        if before < 0.0 or not self._strides(walk):
            return  # an earlier command isn't finished, or it isn't standing
        self._under_way = True
        walk.advance(now - before)
        self._tracker.step_to(walk.x, walk.lift)
        if self._pet.placement.is_displaced:
            self.stop()  # a window ahead must stay visible

    @Slot()
    def _on_command(self) -> None:
        """Handle a command: one that replaces its steps ends the walk at once, since the next frame
        shows it.
        """
        walk = self._walk
        if walk is not None and self._is_diverted(walk):
            self.stop()

    def _seen_at(self, walk: Walk) -> float:
        """Return its position when its steps were last drawn; the window may have moved since."""
        return walk.x if self._pet.frames.last_frame_time >= self._at else self._drawn_at

    def _strides(self, walk: Walk) -> bool:
        return self._pet.walking or not walk.steps

    def _is_diverted(self, walk: Walk) -> bool:
        stays = self._strides(walk) or not self._under_way
        return self._pet.current_pose not in WALK_POSES or not stays

    def _is_hindered(self, walk: Walk) -> bool:
        pet = self._pet
        over = pet.placement.figure_rect().contains(pet.pointer)
        gone = pet.is_held or pet.placement.retreat_side is not None
        return gone or over or self._is_diverted(walk) or self._wanted()

    # Surroundings

    def _scene(self) -> WalkContext:
        pet = self._pet
        figure, pointer = pet.placement.figure_rect(), QCursor.pos()
        beside = max(figure.left() - pointer.x(), pointer.x() - figure.right(), 0)
        above = max(figure.top() - pointer.y(), pointer.y() - figure.bottom(), 0)
        free = pet.is_idle and not pet.is_lying and self._tracker.ground() is not None
        return WalkContext(free, self._wanted(), self._idle(), math.hypot(beside, above))

    def _find_goal(self) -> float | None:
        room, stand = self._room(), self._pet.placement
        if room is None:
            return None
        return walk_goal(room, stand.feet.x(), stand.figure_rect().height(), self._random)

    def _room(self) -> WalkRange | None:
        ground = self._tracker.ground()
        screen = screen_under(self._pet)
        if ground is None or screen is None:
            return None
        area, figure = work_area(screen), self._pet.placement.figure_rect()
        feet = self._pet.placement.feet.x()
        limits = self._limits.get(screen.name())
        within = WalkRange(*(area.left() + edge for edge in limits)) if limits is not None else None
        whole = WalkRange(area.left(), area.right() + 1)
        reach = (feet - figure.left(), figure.right() + 1 - feet)
        return walkable_range(ground, whole, within, reach)

    def _seen(self, visible: bool) -> None:
        if self._on and visible:
            self._timer.start()
        else:
            self._timer.stop()
            self.stop()


def screen_under(pet: PetWindow) -> QScreen | None:
    """Return the screen of the companion."""
    screens = QGuiApplication.screens()
    places: list[QRect] = work_areas()
    if not places:
        return None
    return screens[places.index(nearest_screen(pet.placement.figure_rect(), places))]
