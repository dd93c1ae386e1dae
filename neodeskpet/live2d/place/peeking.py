"""Peeking: sent aside, it looks out from behind an outer edge of the screens.

Pure: places are in device-independent pixels of the desktop, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from neodeskpet.live2d.place.ground import Area

Side = Literal["left", "right"]
SHOWN = 0.52
"""The share of its head that would look out if it stood upright."""
LEAN = 18.0
"""Degrees that it leans inwards, which brings its face out."""
_PUSHED = 0.22
"""Who is carried beyond an edge by more than this share of its width is sent aside."""
_FAST, _LEAST, _MOST = 1600.0, 0.3, 0.9
"""Pixels a second that it goes there and back, and the seconds that this takes, at least and at
most."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The left or the right edge of a screen."""

    side: Side
    screen: Area

    @property
    def x(self) -> int:
        return self.screen.left if self.side == "left" else self.screen.right


@dataclass(frozen=True, slots=True)
class Retreat:
    """From which side it looks out, near which point: the screen's edge, and its feet's height."""

    side: Side
    x: int
    y: int


def outer_edges(screens: Sequence[Area], top: int, bottom: int) -> list[Edge]:
    """The edges behind which no other screen goes on between these heights. Screens that lie
    elsewhere in height have none here.
    """
    sides: tuple[Side, Side] = ("left", "right")
    here = [one for one in screens if one.top < bottom and top < one.bottom]
    edges = [Edge(side, screen) for screen in here for side in sides]
    return [edge for edge in edges if not _goes_on(edge, screens, top, bottom)]


def _goes_on(edge: Edge, screens: Iterable[Area], top: int, bottom: int) -> bool:
    """Whether a screen begins within a few pixels behind it."""
    for other in screens:
        behind = edge.x - other.right if edge.side == "left" else other.left - edge.x
        if other != edge.screen and -1 <= behind <= 8 and other.top < bottom and top < other.bottom:
            return True
    return False


def pushed_to(
    screens: Sequence[Area], figure: Area, beyond: int, feet: tuple[int, int]
) -> Retreat | None:
    """Where it goes that a hand has carried `beyond` pixels further to the right (negative: to the
    left) than its screen allows; None if that isn't far, or another screen goes on there.
    """
    if abs(beyond) < _PUSHED * figure.width:
        return None
    side: Side = "left" if beyond < 0 else "right"
    edges = [one for one in outer_edges(screens, figure.top, figure.bottom) if one.side == side]
    touched = figure.left if side == "left" else figure.right
    edge = next((one for one in edges if abs(one.x - touched) <= 2), None)
    return Retreat(side, edge.x, feet[1]) if edge is not None else None


def nearest_retreat(screens: Sequence[Area], figure: Area, feet: tuple[int, int]) -> Retreat | None:
    """Where it goes if it is told to go aside; None without a screen."""
    edges = outer_edges(screens, figure.top, figure.bottom) or [
        edge for one in screens for edge in outer_edges(screens, one.top, one.bottom)
    ]
    edge = min(edges, key=lambda one: abs(one.x - feet[0]), default=None)
    return Retreat(edge.side, edge.x, feet[1]) if edge is not None else None


def peek_at(
    screens: Sequence[Area], retreat: Retreat, head: tuple[int, int], height: int
) -> tuple[int, int] | None:
    """The left upper corner of a figure of this height, whose head is between `head` pixels from
    its left side, where it looks out from the edge that is nearest to its retreat. None without.
    """
    top = retreat.y - height
    edges = [
        edge for edge in outer_edges(screens, top, retreat.y) if edge.side == retreat.side
    ] or [
        edge
        for one in screens
        for edge in outer_edges(screens, one.top, one.bottom)
        if edge.side == retreat.side
    ]
    edge = min(edges, key=lambda one: abs(one.x - retreat.x), default=None)
    if edge is None:
        return None
    seen = SHOWN * (head[1] - head[0])
    x = edge.x + seen - head[1] if retreat.side == "left" else edge.x - seen - head[0]
    lowest = max(edge.screen.top, edge.screen.bottom - height)
    return round(x), min(max(top, edge.screen.top), lowest)


def seconds_for(distance: float) -> float:
    """How long the way there or back takes."""
    return min(_MOST, max(_LEAST, abs(distance) / _FAST))


def eased(share: float) -> float:
    """Of the time, as a share of the way: it starts and arrives gently."""
    share = min(1.0, max(0.0, share))
    return share * share * (3.0 - 2.0 * share)
