"""The companion sits down on a window's upper edge, its legs before the window.

It does so with the figure's own motion, and where the figure's side file says how high the seat is.
It moves with the frames that are drawn anyway.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QObject

from neodeskpet.live2d.place.ground import FLOOR_WINDOW
from neodeskpet.live2d.place.sitting import SittingState, seat_offset
from neodeskpet.live2d.poses import TURN_POSES, Pose, RestPose
from neodeskpet.ui.pet.place.footing import GroundTracker
from neodeskpet.ui.pet.window import PetWindow

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
        if not (self._on or self._lowered):
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
