"""The ground of the figure (the bottom of the screens, the upper edges of windows), falling onto
it, and sitting down. Pure: device-independent pixels of the desktop, y down; seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

FLOOR_WINDOW = 0
"""The `window` of a ledge at the bottom of a screen."""
LEAST_LEDGE_WIDTH = 48
"""A visible part of an edge that is narrower is no ledge."""


@dataclass(frozen=True, slots=True)
class DesktopArea:
    """A rectangle; `right` and `bottom` are the first pixels outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def share_of(self, other: DesktopArea) -> float:
        """Return the share of `other` that this area covers."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0, width) * max(0, height) / max(1, other.width * other.height)

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True, slots=True)
class VisibleWindow:
    """A visible window. `full`: it fills its screen. `firm`: the figure can stand on it."""

    window: int
    place: DesktopArea
    full: bool = False
    firm: bool = True


@dataclass(frozen=True, slots=True)
class Ledge:
    """A range at the height `top` on which feet may stand."""

    window: int
    left: int
    right: int
    top: int

    def holds(self, x: float) -> bool:
        return self.left <= x < self.right


def floors(screens: Iterable[DesktopArea]) -> list[Ledge]:
    """Return the bottom of each screen, above its taskbars."""
    return [Ledge(FLOOR_WINDOW, one.left, one.right, one.bottom) for one in screens]


def ledges(
    windows: Sequence[VisibleWindow], screens: Sequence[DesktopArea], room: int
) -> list[Ledge]:
    """Return all ledges; `windows` topmost first. An edge counts where it is visible and where
    `room` pixels above it are still on its screen. The floors come last.
    """
    found: list[Ledge] = []
    above: list[DesktopArea] = []
    for one in windows:
        if one.firm and not one.full:
            found.extend(_edges(one, above, screens, room))
        above.append(one.place)
    return [*found, *floors(screens)]


def _edges(
    one: VisibleWindow, above: Iterable[DesktopArea], screens: Iterable[DesktopArea], room: int
) -> Iterable[Ledge]:
    top = one.place.top
    spans = [
        (max(one.place.left, screen.left), min(one.place.right, screen.right))
        for screen in screens
        if screen.top + room <= top < screen.bottom
    ]
    for other in above:
        if other.top <= top < other.bottom:
            spans = [part for span in spans for part in _without(span, other)]
    return [
        Ledge(one.window, left, right, top)
        for left, right in spans
        if right - left >= LEAST_LEDGE_WIDTH
    ]


def _without(span: tuple[int, int], other: DesktopArea) -> Iterable[tuple[int, int]]:
    left, right = span
    return [(left, min(right, other.left)), (max(left, other.right), right)]


def ledge_near(x: float, y: float, found: Iterable[Ledge], reach: float) -> Ledge | None:
    """Return the ledge nearest to feet at `x`, `y`, above or below, at most `reach` away."""
    near = [one for one in found if one.holds(x) and abs(one.top - y) <= reach]
    return min(near, key=lambda one: abs(one.top - y), default=None)


def ledge_between(x: float, above: float, below: float, found: Iterable[Ledge]) -> Ledge | None:
    """Return the first ledge that feet meet when they fall at `x` from `above` to `below`."""
    met = [one for one in found if one.holds(x) and above <= one.top <= below]
    return min(met, key=lambda one: one.top, default=None)


@dataclass(frozen=True, slots=True)
class Foothold:
    """A place on a window: `along` pixels from the window's left side."""

    window: int
    along: float

    def feet(self, windows: Iterable[VisibleWindow]) -> tuple[float, float] | None:
        """Return where the feet are now; None if that window is no longer visible."""
        own = next((one.place for one in windows if one.window == self.window), None)
        return None if own is None else (own.left + self.along, float(own.top))


def is_fullscreen(screen: DesktopArea, windows: Iterable[VisibleWindow]) -> bool:
    """Return whether a full-screen window is in use on a screen: a window fills it, and none covers
    most of it. `windows` topmost first.
    """
    for one in windows:
        share = one.place.share_of(screen)
        if one.full and share > 0.9:
            return True
        if one.firm and share > 0.5:
            return False
    return False


def is_supported(x: float, y: float, found: Iterable[Ledge]) -> bool:
    """Return whether a ledge is directly under feet at `x`, `y`."""
    return ledge_near(x, y, found, 1.5) is not None


GRAVITY = 2600.0
FASTEST_FALL = 2200.0
"""The maximum speed of a fall (px/s); the figure is light."""
_THROWN = 1800.0
"""The maximum sideways speed (px/s)."""
_LIFT = 1400.0
_AIR = 1.6
"""The share of its sideways speed that the figure loses in a second."""
_WALL = 0.35
"""The share of that speed that is left after the figure hits the side of the screen."""
_STEP = 1 / 120
_LONGEST = 0.1
"""Seconds that one step covers at most: after a longer pause the figure would seem to jump."""
HEAVY_FALL_PIXELS = 250.0
"""A fall of fewer pixels ends in a light landing."""


@dataclass(slots=True)
class Fall:
    """A fall. `bounds`: the limits of `x` and the smallest `y`."""

    x: float
    y: float
    bounds: DesktopArea
    across: float = 0.0
    down: float = 0.0
    depth: float = 0.0
    """The pixels fallen so far."""

    def __post_init__(self) -> None:
        self.across = max(-_THROWN, min(_THROWN, self.across))
        self.down = max(-_LIFT, min(FASTEST_FALL, self.down))

    @property
    def heavy(self) -> bool:
        return self.depth >= HEAVY_FALL_PIXELS

    def advance(self, seconds: float, found: Sequence[Ledge]) -> Ledge | None:
        """Continue the fall by `seconds`; return the ledge that the figure lands on, None while it
        falls.
        """
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


_STANDS = (45.0, 150.0)
_SITS = (60.0, 240.0)
SIT_SECONDS = 0.45
"""Seconds in which it sits down, or stands up."""


class SittingState:
    """Whether the figure sits. Where it can't sit, it stands, and the time until it sits starts
    again.
    """

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._sits = False
        self._until = now
        self.stand(now)

    def stand(self, now: float) -> None:
        """Stand up, for a while at least."""
        self._sits = False
        self._until = now + self._random.uniform(*_STANDS)

    def advance(self, now: float, *, can: bool) -> bool:
        """Update the state; `can`: the figure is on an edge where it may sit."""
        if not can or (self._sits and now >= self._until):
            self.stand(now)
        elif not self._sits and now >= self._until:
            self._sits = True
            self._until = now + self._random.uniform(*_SITS)
        return self._sits


def seat_offset(now: float, goal: float, seconds: float, depth: float) -> float:
    """Return how many pixels the figure is below its standing place, `seconds` later than at `now`,
    on its way to `goal`; the whole `depth` takes SIT_SECONDS.
    """
    step = depth * seconds / SIT_SECONDS
    return min(goal, now + step) if goal > now else max(goal, now - step)
