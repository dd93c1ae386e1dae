"""What the figure can stand on (the lower ends of the screens, the upper edges of windows), falling
onto it, and sitting down. Pure: device-independent pixels of the desktop, y down; seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

FLOOR_WINDOW = 0
"""The `window` of a ledge that is the lower end of a screen."""
LEAST_LEDGE_WIDTH = 48
"""What is seen of an edge and is narrower is nothing to stand on."""


@dataclass(frozen=True, slots=True)
class DesktopArea:
    """`right` and `bottom` are the first pixel beyond."""

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
        """Which share of `other` it covers."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0, width) * max(0, height) / max(1, other.width * other.height)

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True, slots=True)
class VisibleWindow:
    """A window that is to be seen. `full`: it fills its screen. `firm`: one can stand on it."""

    window: int
    place: DesktopArea
    full: bool = False
    firm: bool = True


@dataclass(frozen=True, slots=True)
class Ledge:
    """A stretch at the height `top` that feet may stand on."""

    window: int
    left: int
    right: int
    top: int

    def holds(self, x: float) -> bool:
        return self.left <= x < self.right


def floors(screens: Iterable[DesktopArea]) -> list[Ledge]:
    """The lower ends of what of each screen is free of taskbars."""
    return [Ledge(FLOOR_WINDOW, one.left, one.right, one.bottom) for one in screens]


def ledges(
    windows: Sequence[VisibleWindow], screens: Sequence[DesktopArea], room: int
) -> list[Ledge]:
    """All there is; `windows` topmost first. An edge counts where it is seen and where `room`
    pixels above it are still on its screen. The floors come last.
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
    """The ledge under or over feet at `x`, `y` that is the nearest, at most `reach` away."""
    near = [one for one in found if one.holds(x) and abs(one.top - y) <= reach]
    return min(near, key=lambda one: abs(one.top - y), default=None)


def ledge_between(x: float, above: float, below: float, found: Iterable[Ledge]) -> Ledge | None:
    """The first ledge that feet meet which fall at `x` from `above` to `below`."""
    met = [one for one in found if one.holds(x) and above <= one.top <= below]
    return min(met, key=lambda one: one.top, default=None)


@dataclass(frozen=True, slots=True)
class Foothold:
    """Where on a window it stands: `along` pixels from that window's left side."""

    window: int
    along: float

    def feet(self, windows: Iterable[VisibleWindow]) -> tuple[float, float] | None:
        """Where the feet are now; None if that window isn't to be seen any more."""
        own = next((one.place for one in windows if one.window == self.window), None)
        return None if own is None else (own.left + self.along, float(own.top))


def is_fullscreen(screen: DesktopArea, windows: Iterable[VisibleWindow]) -> bool:
    """Whether somebody looks at a full screen there: a window fills it, and none lies over most of
    it. `windows` topmost first.
    """
    for one in windows:
        share = one.place.share_of(screen)
        if one.full and share > 0.9:
            return True
        if one.firm and share > 0.5:
            return False
    return False


def is_supported(x: float, y: float, found: Iterable[Ledge]) -> bool:
    """Whether there is something right under feet at `x`, `y`."""
    return ledge_near(x, y, found, 1.5) is not None


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


_STANDS = (45.0, 150.0)
_SITS = (60.0, 240.0)
SIT_SECONDS = 0.45
"""In which it goes down to its seat, and up again."""


class SittingState:
    """Whether it wants to sit now. Wherever it can't, it stands, and begins anew later."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._sits = False
        self._until = now
        self.stand(now)

    def stand(self, now: float) -> None:
        """It stands, for a while at least."""
        self._sits = False
        self._until = now + self._random.uniform(*_STANDS)

    def advance(self, now: float, *, can: bool) -> bool:
        """Time passes; `can`: it is on an edge where it may sit."""
        if not can or (self._sits and now >= self._until):
            self.stand(now)
        elif not self._sits and now >= self._until:
            self._sits = True
            self._until = now + self._random.uniform(*_SITS)
        return self._sits


def seat_offset(now: float, goal: float, seconds: float, depth: float) -> float:
    """How many pixels it is below where it stands, `seconds` later than at `now`, on its way to
    `goal`; the whole `depth` takes SECONDS.
    """
    step = depth * seconds / SIT_SECONDS
    return min(goal, now + step) if goal > now else max(goal, now - step)
