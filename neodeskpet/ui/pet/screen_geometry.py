"""Positions of the companion and its bubble: geometry of screens, independent of windows.

All values are device-independent pixels of the virtual desktop, y down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPoint, QRect, QSize

from neodeskpet.figure.behaviour.ground import DesktopArea

_BELOW_HEADER = 96
"""Pixels from the top of the screen where a maximized window's title bar and header end."""
_TITLE_BAR_ROOM = 40
"""Pixels above a window for the title bar that the desktop adds."""
_APART = 0.15
"""The gap between two figures, in widths of the new one."""


class TailSide(StrEnum):
    """The side of the bubble with its tail; NONE without a figure to point at."""

    BELOW = "below"
    ABOVE = "above"
    LEFT = "left"
    RIGHT = "right"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class BubblePosition:
    """The body of a bubble, and the position of the tail along its side, from the body's left or
    top.
    """

    body: QRect
    side: TailSide
    tail: int


def to_area(place: QRect) -> DesktopArea:
    """Convert a rectangle to a `DesktopArea` for code without Qt."""
    return DesktopArea(place.left(), place.top(), place.right() + 1, place.bottom() + 1)


def to_rect(area: DesktopArea) -> QRect:
    return QRect(area.left, area.top, area.width, area.height)


def nearest_screen(figure: QRect, screens: Sequence[QRect]) -> QRect:
    """Return the screen that shows most of `figure`, else the nearest to its centre."""

    def shown(screen: QRect) -> int:
        part = screen.intersected(figure)
        return part.width() * part.height() if part.isValid() else 0

    def distance(screen: QRect) -> int:
        middle = figure.center()
        dx = max(screen.left() - middle.x(), 0, middle.x() - screen.right())
        dy = max(screen.top() - middle.y(), 0, middle.y() - screen.bottom())
        return dx * dx + dy * dy

    best = max(screens, key=shown)
    return best if shown(best) else min(screens, key=distance)


def offset_onto_screen(figure: QRect, screens: Sequence[QRect]) -> QPoint:
    """Return the offset that moves `figure` entirely onto a screen; a figure that is too large
    keeps its bottom and left side there.
    """
    if not screens:
        return QPoint(0, 0)
    screen = nearest_screen(figure, screens)
    dx = max(screen.left() - figure.left(), min(0, screen.right() - figure.right()))
    dy = min(screen.bottom() - figure.bottom(), max(0, screen.top() - figure.top()))
    return QPoint(dx, dy)


def find_free_place(size: QSize, first: QRect, others: Sequence[QRect], screen: QRect) -> QRect:
    """Return the position of a figure of `size` on the ground of `first`, as near to it as possible
    without overlapping it or the others; on its left if both sides are equally near. Without room
    on the screen, left of `first`.
    """
    gap = round(size.width() * _APART)
    taken = [first, *others]
    lefts = [one.left() - gap - size.width() for one in taken]
    lefts += [one.right() + 1 + gap for one in taken]
    top = first.bottom() + 1 - size.height()
    places = [QRect(QPoint(left, top), size) for left in lefts]
    free = [
        place
        for place in places
        if screen.left() <= place.left()
        and place.right() <= screen.right()
        and not any(place.intersects(one) for one in taken)
    ]

    def distance(place: QRect) -> int:
        return max(first.left() - place.right(), place.left() - first.right())

    return min(free, key=distance, default=places[0])


def window_beside(
    size: QSize, least: QSize, figure: QRect, screen: QRect, *, gap: int = 24
) -> QRect:
    """Return the position of a window of `size` beside the figure, on the side with more room, with
    its lower edge at the feet; narrower, down to `least`, if it would cover the figure; always on
    the screen, with room for a title bar above it, even if it covers the figure then. It is lower,
    down to `least`, if the screen is.
    """
    # The frame isn't known before the window is shown. Without room for it, the window would be
    # moved right after it has appeared.
    screen = screen.adjusted(0, _TITLE_BAR_ROOM, 0, 0)
    left_room, right_room = figure.left() - screen.left(), screen.right() - figure.right()
    on_left = left_room >= right_room
    room = (left_room if on_left else right_room) - gap
    width = max(min(size.width(), room), least.width())
    left = figure.left() - gap - width if on_left else figure.right() + gap
    height = max(min(size.height(), screen.height()), least.height())
    body = QRect(left, figure.bottom() - height, width, height)
    return _inside(body, screen)


def bubble_position(
    size: QSize,
    figure: QRect,
    mouth: QPoint,
    screen: QRect,
    *,
    gap: int = 14,
    covered: Sequence[QRect] = (),
    kept: Sequence[QRect] = (),
    head: QRect | None = None,
) -> BubblePosition:
    """Return the position of a bubble of `size`: above the figure if there is room, else beside it
    (on the side with more room), else below; always on the screen. The tail points at `mouth`.

    It is over one of the `covered` areas only if there is no other room on the screen, and over one
    of the `kept` areas only if there is no room beside them. Without room beside the figure it
    covers the body, but never the `head` if there is room anywhere else on the screen.
    """
    spots = _bubble_spots(size, figure, mouth, screen, gap)
    if head is not None and not head.isEmpty():
        spots = [spot for spot in spots if not spot.body.intersects(head)]
        spots = spots or _spots_beside_face(size, head, mouth, screen, gap)
        spots = spots or [_least_of_face(size, head, screen)]
    if not spots:
        body = _inside(QRect(QPoint(mouth.x() - size.width() // 2, screen.top()), size), screen)
        spots = [BubblePosition(body, TailSide.BELOW, mouth.x() - body.left())]
    faces = [head] if head is not None and not head.isEmpty() else []
    for areas, solid in (([*covered, *kept], [figure, *faces]), (kept, faces)):
        free = [spot for spot in spots if not _is_over(spot.body, areas)]
        if free:
            return free[0]
        place = _nearest_free_place(size, mouth, screen, [*areas, *solid])
        if place is not None:
            return _pointing_at(mouth, place)
    return spots[0]


def _is_over(body: QRect, areas: Sequence[QRect]) -> bool:
    return any(body.intersects(area) for area in areas)


def _nearest_free_place(
    size: QSize, point: QPoint, screen: QRect, areas: Sequence[QRect]
) -> QRect | None:
    """Return the free place of `size` on the screen whose centre is nearest to `point`; None if
    there is none. It touches edges of the areas or of the screen, or is centred at the point.
    """
    last = screen.bottomRight() - QPoint(size.width() - 1, size.height() - 1)
    lefts = {screen.left(), last.x(), point.x() - size.width() // 2}
    tops = {screen.top(), last.y(), point.y() - size.height() // 2}
    for area in areas:
        lefts |= {area.left() - size.width(), area.right() + 1}
        tops |= {area.top() - size.height(), area.bottom() + 1}
    places = [QRect(QPoint(left, top), size) for left in lefts for top in tops]

    def distance(place: QRect) -> tuple[int, int, int]:
        way = place.center() - point
        return QPoint.dotProduct(way, way), place.left(), place.top()

    places = [place for place in places if screen.contains(place)]
    free = (one for one in sorted(places, key=distance) if not _is_over(one, areas))
    return next(free, None)


def _pointing_at(mouth: QPoint, body: QRect) -> BubblePosition:
    """Return the position with the tail at the side that faces the mouth."""
    along_x, along_y = mouth.x() - body.left(), mouth.y() - body.top()
    if body.bottom() < mouth.y():
        return BubblePosition(body, TailSide.BELOW, along_x)
    if body.top() > mouth.y():
        return BubblePosition(body, TailSide.ABOVE, along_x)
    side = TailSide.RIGHT if body.right() < mouth.x() else TailSide.LEFT
    return BubblePosition(body, side, along_y)


def _bubble_spots(
    size: QSize, figure: QRect, mouth: QPoint, screen: QRect, gap: int
) -> list[BubblePosition]:
    """Return all positions with enough room, the best first."""
    width, height = size.width(), size.height()
    spots: list[BubblePosition] = []
    if figure.top() - gap - height >= screen.top():
        # Slightly left of the mouth, as in comics, so that the tail leans towards it;
        # or entirely to one side.
        for left in (mouth.x() - round(width * 0.72), mouth.x() - 40, mouth.x() + 40 - width):
            body = _inside(QRect(left, figure.top() - gap - height, width, height), screen)
            spots.append(BubblePosition(body, TailSide.BELOW, mouth.x() - body.left()))
    left_room = figure.left() - screen.left()
    right_room = screen.right() - figure.right()
    for on_left in (left_room >= right_room, left_room < right_room):
        if (left_room if on_left else right_room) >= width + gap:
            x = figure.left() - gap - width if on_left else figure.right() + gap
            body = _inside(QRect(x, mouth.y() - height // 2, width, height), screen)
            spots.append(
                BubblePosition(
                    body, TailSide.RIGHT if on_left else TailSide.LEFT, mouth.y() - body.top()
                )
            )
    if screen.bottom() - figure.bottom() - gap >= height:
        body = QRect(mouth.x() - width // 2, figure.bottom() + gap, width, height)
        body = _inside(body, screen)
        spots.append(BubblePosition(body, TailSide.ABOVE, mouth.x() - body.left()))
    return spots


def _spots_beside_face(
    size: QSize, face: QRect, mouth: QPoint, screen: QRect, gap: int
) -> list[BubblePosition]:
    """Return all positions beside the face, the side with most room first; without a gap if
    necessary.
    """
    width, height = size.width(), size.height()
    for space in (gap, 0):
        sides = (
            (face.left() - screen.left() - width, TailSide.RIGHT, face.left() - space - width),
            (screen.right() - face.right() - width, TailSide.LEFT, face.right() + 1 + space),
            (screen.bottom() - face.bottom() - height, TailSide.ABOVE, face.bottom() + 1 + space),
            (face.top() - screen.top() - height, TailSide.BELOW, face.top() - space - height),
        )
        found = []
        for room, side, at in sorted(sides, key=lambda one: -one[0]):
            if room < space:
                continue
            if side in (TailSide.LEFT, TailSide.RIGHT):
                body = _inside(QRect(QPoint(at, mouth.y() - height // 2), size), screen)
                found.append(BubblePosition(body, side, mouth.y() - body.top()))
            else:
                body = _inside(QRect(QPoint(mouth.x() - width // 2, at), size), screen)
                found.append(BubblePosition(body, side, mouth.x() - body.left()))
        if found:
            return found
    return []


def _least_of_face(size: QSize, face: QRect, screen: QRect) -> BubblePosition:
    """Return the corner of the screen that hides least of the face."""
    far = QPoint(screen.right() - size.width() + 1, screen.bottom() - size.height() + 1)
    corners = (QPoint(x, y) for x in (screen.left(), far.x()) for y in (screen.top(), far.y()))

    def hidden(corner: QPoint) -> int:
        part = QRect(corner, size).intersected(face)
        return part.width() * part.height()

    return BubblePosition(_inside(QRect(min(corners, key=hidden), size), screen), TailSide.NONE, 0)


def corner_position(
    size: QSize,
    screen: QRect,
    *,
    margin: int = 16,
    covered: Sequence[QRect] = (),
    kept: Sequence[QRect] = (),
) -> BubblePosition:
    """Return the position of a notice while the companion is hidden: the lower right corner,
    another one that isn't covered, or the nearest other free place. If all is covered, below the
    upper edge, so that text at the bottom of a window stays visible, but not over the `kept` areas
    while there is room beside them.
    """
    right = screen.right() - margin - size.width() + 1
    bottom = screen.bottom() - margin - size.height() + 1
    left, top = screen.left() + margin, screen.top() + margin
    corners = [QPoint(right, bottom), QPoint(right, top), QPoint(left, bottom), QPoint(left, top)]
    below_title = QRect(QPoint(right, screen.top() + _BELOW_HEADER), size)
    areas = [*covered, *kept]
    bodies = [QRect(corner, size) for corner in corners]
    body = next((one for one in bodies if not _is_over(one, areas)), None)
    body = body or _nearest_free_place(size, screen.bottomRight(), screen, areas)
    if body is None and not _is_over(below_title, kept):
        body = below_title
    body = body or _nearest_free_place(size, screen.topRight(), screen, kept)
    return BubblePosition(body or below_title, TailSide.NONE, 0)


def _inside(body: QRect, screen: QRect) -> QRect:
    dx = max(screen.left() - body.left(), min(0, screen.right() - body.right()))
    dy = max(screen.top() - body.top(), min(0, screen.bottom() - body.bottom()))
    return body.translated(dx, dy)
