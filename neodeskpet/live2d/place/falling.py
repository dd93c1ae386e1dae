"""A fall: from where it was let go to the first thing that it can land on.

Pure. Pixels, seconds, y down; the point that falls is the one between its feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.live2d.place.ground import DesktopArea, Ledge, ledge_between

GRAVITY = 2600.0
FASTEST_FALL = 2200.0
"""It is light and furry: it doesn't fall faster (px/s)."""
_THROWN = 1800.0
"""Nor does it fly faster than this to the side."""
_LIFT = 1400.0
_AIR = 1.6
"""By which share of its speed to the side the air slows it in a second."""
_WALL = 0.35
"""How much of that speed is left when it meets the side of the screen."""
_STEP = 1 / 120
_LONGEST = 0.1
"""A longer pause is not caught up with: it would seem to jump."""
HEAVY_FALL_PIXELS = 250.0
"""Who falls less deep than this many pixels lands lightly."""


@dataclass(slots=True)
class Fall:
    """`bounds`: between which `x` and above which `y` it stays."""

    x: float
    y: float
    bounds: DesktopArea
    across: float = 0.0
    down: float = 0.0
    depth: float = 0.0
    """How deep it has fallen."""

    def __post_init__(self) -> None:
        self.across = max(-_THROWN, min(_THROWN, self.across))
        self.down = max(-_LIFT, min(FASTEST_FALL, self.down))

    @property
    def heavy(self) -> bool:
        return self.depth >= HEAVY_FALL_PIXELS

    def advance(self, seconds: float, found: Sequence[Ledge]) -> Ledge | None:
        """Fall on by `seconds`; what it stands on now, None while it falls."""
        left = min(seconds, _LONGEST)
        while left > 1e-9:
            step = min(left, _STEP)
            left -= step
            landed = self._fall(step, found)
            if landed is not None:
                return landed
        return None

    def _fall(self, step: float, found: Sequence[Ledge]) -> Ledge | None:
        before = self.y
        self.down = min(FASTEST_FALL, self.down + GRAVITY * step)
        self.across -= self.across * min(1.0, _AIR * step)
        self.x += self.across * step
        self.y += self.down * step
        self._stay_inside()
        if self.down <= 0.0:
            return None
        self.depth += self.y - before
        landed = ledge_between(self.x, before, self.y, found)
        if landed is None and self.y >= self.bounds.bottom:
            landed = Ledge(0, self.bounds.left, self.bounds.right, self.bounds.bottom)
        if landed is not None:
            self.y = float(landed.top)
        return landed

    def _stay_inside(self) -> None:
        kept = max(float(self.bounds.left), min(self.bounds.right - 1.0, self.x))
        if kept != self.x:
            self.x = kept
            self.across *= -_WALL
        if self.y < self.bounds.top:
            self.y = float(self.bounds.top)
            self.down = max(0.0, self.down)
