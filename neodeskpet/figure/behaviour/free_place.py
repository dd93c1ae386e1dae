"""Finds a place for the figure that leaves the app's own windows free.

Pure: positions are in device-independent pixels of the desktop, y down. The order is: the figure's
usual place, beside the windows, smaller beside them, on a title bar, behind a screen edge, and
finally none on the desktop (the chat shows the portrait instead).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.figure.behaviour.screen_edges import (
    HEAD_SHARE_SHOWN,
    EdgeSide,
    ScreenEdge,
    full_height_edges,
)

SCALES = (1.0, 0.8, 0.6, 0.45)
"""Sizes to try, as shares of the size that the user chose."""
SMALLEST_HEIGHT = 96
GAP = 8
"""Pixels between the figure and a window."""
ROOM_ABOVE_TITLE_BAR = 120
LEGS_OVER_TITLE_BAR = 12
TITLE_BAR_BUTTONS = 138
"""Width of the buttons at the right end of a title bar."""
_BESIDE_BUTTONS = 16
LEAST_SHOWN = 48
"""Pixels of the figure that stay visible at a screen edge."""


class PlaceKind(Enum):
    HOME = auto()
    BESIDE = auto()
    TITLE_BAR = auto()
    EDGE = auto()
    INDOORS = auto()
    """There is no place on the desktop."""


@dataclass(frozen=True, slots=True)
class OwnWindow:
    """A visible window of the app with its frame. `title_bar` is the height of the frame above the
    contents, 0 if there is none. The figure doesn't sit on a window that isn't `firm`.
    """

    area: DesktopArea
    title_bar: int = 0
    firm: bool = True

    @property
    def controls(self) -> tuple[DesktopArea, DesktopArea]:
        """The contents, and the buttons in the title bar."""
        area, edge = self.area, min(self.area.bottom, self.area.top + self.title_bar)
        buttons = max(area.left, area.right - TITLE_BAR_BUTTONS)
        return (
            DesktopArea(area.left, edge, area.right, area.bottom),
            DesktopArea(buttons, area.top, area.right, edge),
        )


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """`area` is where the figure stands, `scale` the share of the size that the user chose. With
    EDGE a part of `area` is beyond the screen edge on `side`.
    """

    kind: PlaceKind
    area: DesktopArea
    scale: float = 1.0
    side: EdgeSide | None = None


def find_place(
    home: DesktopArea,
    head_width: int,
    screens: Sequence[DesktopArea],
    windows: Sequence[OwnWindow],
    *,
    preferred: PlaceKind | None = None,
) -> FigurePlace:
    """The place of a figure that belongs to `home`, an area on a screen. `preferred` is tried
    first: TITLE_BAR on the window under it, where the user dropped it, or EDGE, where the user sent
    it aside.
    """
    taken = [one.area for one in windows]
    if not screens or not any(_overlap(home, area) for area in taken):
        return FigurePlace(PlaceKind.HOME, home)
    own = nearest_area(home, screens)
    under = [one for one in windows if _overlap(home, one.area)]
    first: Mapping[PlaceKind | None, Callable[[], FigurePlace | None]] = {
        PlaceKind.TITLE_BAR: lambda: next(_seats(home, own, under, taken), None),
        PlaceKind.EDGE: lambda: _at_edge(home, head_width, screens, taken),
    }
    ways = (
        first.get(preferred, lambda: None),
        lambda: _beside(home, [own], taken),
        lambda: next(_seats(home, own, windows, taken), None),
        lambda: _beside(home, [one for one in screens if one != own], taken),
        lambda: _at_edge(home, head_width, screens, taken),
    )
    found = (way() for way in ways)
    nowhere = FigurePlace(PlaceKind.INDOORS, home)
    return next((place for place in found if place is not None), nowhere)


@dataclass(slots=True)
class WindowChanges:
    """The windows that the figure keeps clear of. A change waits while the user drags the figure,
    answers it or types to it: it must not move then.
    """

    current: tuple[OwnWindow, ...] = ()
    _next: tuple[OwnWindow, ...] = ()

    @property
    def waiting(self) -> bool:
        return self._next != self.current

    def request(self, windows: Sequence[OwnWindow]) -> None:
        self._next = tuple(windows)

    def apply(self, *, busy: bool) -> bool:
        """Apply the last request, unless the user is `busy` with the figure; return whether
        something changed.
        """
        if busy or not self.waiting:
            return False
        self.current = self._next
        return True


def legs_over(feet: DesktopArea, pixels: int, windows: Sequence[OwnWindow]) -> int:
    """Return how far the figure at `feet`, which sits `pixels` lower than it stands, may hang over
    the windows below it.
    """
    lowered = DesktopArea(feet.left, feet.top, feet.right, feet.bottom + pixels)
    for one in windows:
        if _overlap(lowered, one.area):
            contents, buttons = one.controls
            inside = DesktopArea(lowered.left, one.area.top, lowered.right, contents.top)
            free = one.title_bar if not _overlap(inside, buttons) else 0
            reach = one.area.top - feet.bottom + min(LEGS_OVER_TITLE_BAR, free)
            pixels = min(pixels, max(0, reach))
    return pixels


def free_areas(screen: DesktopArea, taken: Sequence[DesktopArea]) -> list[DesktopArea]:
    """Return rectangles of the screen outside the taken ones, each as high as possible. The gaps
    between each two vertical sides are listed.
    """
    here = [one for one in taken if _overlap(one, screen)]
    sides = {screen.left, screen.right}
    sides.update(x for one in here for x in (one.left, one.right))
    xs = sorted(x for x in sides if screen.left <= x <= screen.right)
    return [
        gap
        for number, left in enumerate(xs)
        for right in xs[number + 1 :]
        for gap in _gaps(DesktopArea(left, screen.top, right, screen.bottom), here)
    ]


def nearest_area(home: DesktopArea, areas: Sequence[DesktopArea]) -> DesktopArea:
    """Return the area that shows most of `home`, else the nearest one."""

    def shown(area: DesktopArea) -> int:
        width = min(home.right, area.right) - max(home.left, area.left)
        height = min(home.bottom, area.bottom) - max(home.top, area.top)
        return max(0, width) * max(0, height)

    return max(areas, key=lambda area: (shown(area), -_distance(home, area)))


def _beside(
    home: DesktopArea, screens: Sequence[DesktopArea], taken: Sequence[DesktopArea]
) -> FigurePlace | None:
    """Yield places at the bottom of a screen, as large as possible, then as near to `home` as
    possible. Space above a window isn't used: the figure would float there.
    """
    wide = [DesktopArea(a.left - GAP, a.top - GAP, a.right + GAP, a.bottom + GAP) for a in taken]
    rooms = [
        room
        for screen in screens
        for room in free_areas(screen, wide)
        if room.bottom == screen.bottom
    ]
    for scale in SCALES:
        width, height = _size(home, scale)
        if height < SMALLEST_HEIGHT and scale < 1.0:
            break
        spots = [
            _nearest_inside(home, width, height, room)
            for room in rooms
            if room.width >= width and room.height >= height
        ]
        if spots:
            best = min(spots, key=lambda spot: _moved(home, spot))
            return FigurePlace(PlaceKind.BESIDE, best, scale)
    return None


def _seats(
    home: DesktopArea,
    screen: DesktopArea,
    windows: Sequence[OwnWindow],
    taken: Sequence[DesktopArea],
) -> Iterator[FigurePlace]:
    """Yield places on title bars, beside their buttons; the nearest window first."""
    for one in sorted(windows, key=lambda window: _moved(home, window.area)):
        area = one.area
        room = area.top - screen.top
        if room < ROOM_ABOVE_TITLE_BAR or not one.firm:
            continue
        over = min(LEGS_OVER_TITLE_BAR, one.title_bar)
        wanted = _size(home, SCALES[-1])[1]
        high = min(max(wanted, SMALLEST_HEIGHT), room + over)
        scale = high / max(1, home.height)
        width = round(home.width * scale)
        right = min(area.right, screen.right) - TITLE_BAR_BUTTONS - _BESIDE_BUTTONS
        seat = DesktopArea(right - width, area.top + over - high, right, area.top + over)
        others = [other for other in taken if other != area]
        free = not any(_overlap(seat, other) for other in others)
        whole = seat.left >= area.left and screen.share_of(seat) == 1.0
        if free and whole and scale <= 1.0:
            yield FigurePlace(PlaceKind.TITLE_BAR, seat, scale)


def _at_edge(
    home: DesktopArea,
    head_width: int,
    screens: Sequence[DesktopArea],
    taken: Sequence[DesktopArea],
) -> FigurePlace | None:
    """Yield places at an outer edge of the screens, where a strip beside it is free."""
    wide = [DesktopArea(a.left - GAP, a.top, a.right + GAP, a.bottom) for a in taken]
    for scale in SCALES:
        width, height = _size(home, scale)
        if height < SMALLEST_HEIGHT and scale < 1.0:
            break
        shown = min(width, max(LEAST_SHOWN, round(HEAD_SHARE_SHOWN * head_width * scale)))
        spots = [
            (spot, edge.side)
            for edge in full_height_edges(screens)
            for spot in _strips(home, width, height, shown, edge, wide)
        ]
        if spots:
            best, side = min(spots, key=lambda one: _moved(home, one[0]))
            return FigurePlace(PlaceKind.EDGE, best, scale, side)
    return None


def _strips(
    home: DesktopArea,
    width: int,
    height: int,
    shown: int,
    edge: ScreenEdge,
    taken: Sequence[DesktopArea],
) -> Iterator[DesktopArea]:
    """Yield places of the figure at this edge, in each gap between the windows there."""
    left = edge.x if edge.side == "left" else edge.x - shown
    strip = DesktopArea(left, edge.screen.top, left + shown, edge.screen.bottom)
    for gap in _gaps(strip, taken):
        if gap.height >= height:
            bottom = min(max(home.bottom, gap.top + height), gap.bottom)
            start = edge.x + shown - width if edge.side == "left" else edge.x - shown
            yield DesktopArea(start, bottom - height, start + width, bottom)


def _gaps(column: DesktopArea, taken: Sequence[DesktopArea]) -> Iterator[DesktopArea]:
    """Yield the free parts of a column, from top to bottom."""
    top = column.top
    across = [one for one in taken if one.left < column.right and column.left < one.right]
    for one in sorted(across, key=lambda area: area.top):
        if one.top > top:
            yield DesktopArea(column.left, top, column.right, min(one.top, column.bottom))
        top = max(top, one.bottom)
        if top >= column.bottom:
            return
    yield DesktopArea(column.left, top, column.right, column.bottom)


def _size(home: DesktopArea, scale: float) -> tuple[int, int]:
    return max(1, round(home.width * scale)), max(1, round(home.height * scale))


def _nearest_inside(home: DesktopArea, width: int, height: int, room: DesktopArea) -> DesktopArea:
    """Return an area of this size in `room`, with its feet as near to those of `home` as
    possible.
    """
    middle = (home.left + home.right) // 2
    left = min(max(middle - width // 2, room.left), room.right - width)
    bottom = min(max(home.bottom, room.top + height), room.bottom)
    return DesktopArea(left, bottom - height, left + width, bottom)


def _moved(home: DesktopArea, spot: DesktopArea) -> int:
    """Return how far the feet move from home."""
    across = abs((home.left + home.right) - (spot.left + spot.right)) // 2
    return across + abs(home.bottom - spot.bottom)


def _distance(home: DesktopArea, area: DesktopArea) -> int:
    across = max(area.left - home.right, home.left - area.right, 0)
    down = max(area.top - home.bottom, home.top - area.bottom, 0)
    return across + down


def _overlap(one: DesktopArea, other: DesktopArea) -> bool:
    return (
        one.left < other.right
        and other.left < one.right
        and one.top < other.bottom
        and other.top < one.bottom
    )
