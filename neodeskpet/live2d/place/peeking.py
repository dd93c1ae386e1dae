"""Peeking: sent aside, it looks out from behind an outer edge of the screens.

Pure: places are in device-independent pixels of the desktop, y down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neodeskpet.live2d.place.edges import EdgeSide, full_height_edges, outer_edges
from neodeskpet.live2d.place.ground import DesktopArea

HEAD_SHARE_SHOWN = 0.52
"""The share of its head that would look out if it stood upright."""
_PUSHED = 0.22
"""Who is carried beyond an edge by more than this share of its width is sent aside."""
_FAST, _LEAST, _MOST = 1600.0, 0.3, 0.9
"""Pixels a second that it goes there and back, and the seconds that this takes, at least and at
most."""


@dataclass(frozen=True, slots=True)
class PeekPosition:
    """From which side it looks out, near which point: the screen's edge, and its feet's height."""

    side: EdgeSide
    x: int
    y: int


def peek_after_drag(
    screens: Sequence[DesktopArea], figure: DesktopArea, beyond: int, feet: tuple[int, int]
) -> PeekPosition | None:
    """Where it goes that a hand has carried `beyond` pixels further to the right (negative: to the
    left) than its screen allows; None if that isn't far, or another screen goes on there.
    """
    if abs(beyond) < _PUSHED * figure.width:
        return None
    side: EdgeSide = "left" if beyond < 0 else "right"
    edges = [one for one in outer_edges(screens, figure.top, figure.bottom) if one.side == side]
    touched = figure.left if side == "left" else figure.right
    edge = next((one for one in edges if abs(one.x - touched) <= 2), None)
    return PeekPosition(side, edge.x, feet[1]) if edge is not None else None


def nearest_peek(
    screens: Sequence[DesktopArea], figure: DesktopArea, feet: tuple[int, int]
) -> PeekPosition | None:
    """Where it goes if it is told to go aside; None without a screen."""
    edges = outer_edges(screens, figure.top, figure.bottom) or full_height_edges(screens)
    edge = min(edges, key=lambda one: abs(one.x - feet[0]), default=None)
    return PeekPosition(edge.side, edge.x, feet[1]) if edge is not None else None


def peek_corner(
    screens: Sequence[DesktopArea], retreat: PeekPosition, head: tuple[int, int], height: int
) -> tuple[int, int] | None:
    """The left upper corner of a figure of this height, whose head is between `head` pixels from
    its left side, where it looks out from the edge that is nearest to its retreat. None without.
    """
    top = retreat.y - height
    near = [one for one in outer_edges(screens, top, retreat.y) if one.side == retreat.side]
    edges = near or [one for one in full_height_edges(screens) if one.side == retreat.side]
    edge = min(edges, key=lambda one: abs(one.x - retreat.x), default=None)
    if edge is None:
        return None
    seen = HEAD_SHARE_SHOWN * (head[1] - head[0])
    x = edge.x + seen - head[1] if retreat.side == "left" else edge.x - seen - head[0]
    lowest = max(edge.screen.top, edge.screen.bottom - height)
    return round(x), min(max(top, edge.screen.top), lowest)


def peek_seconds(distance: float) -> float:
    """How long the way there or back takes."""
    return min(_MOST, max(_LEAST, abs(distance) / _FAST))


def eased_share(share: float) -> float:
    """Of the time, as a share of the way: it starts and arrives gently."""
    share = min(1.0, max(0.0, share))
    return share * share * (3.0 - 2.0 * share)
