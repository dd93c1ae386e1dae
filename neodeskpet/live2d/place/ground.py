"""What there is to stand on: the lower ends of the screens, and the upper edges of windows.

Pure: all in device-independent pixels of the desktop, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
