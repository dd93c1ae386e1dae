"""The outer edges of the screens: what lies beyond them isn't seen.

Pure: places are in device-independent pixels of the desktop, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from neodeskpet.live2d.place.ground import DesktopArea

EdgeSide = Literal["left", "right"]
_OVERLAP, _GAP = 1, 8
"""Pixels that two screens beside each other may overlap, or lie apart: scales are rounded."""


@dataclass(frozen=True, slots=True)
class ScreenEdge:
    """The left or the right edge of a screen."""

    side: EdgeSide
    screen: DesktopArea

    @property
    def x(self) -> int:
        return self.screen.left if self.side == "left" else self.screen.right


def outer_edges(screens: Sequence[DesktopArea], top: int, bottom: int) -> list[ScreenEdge]:
    """The edges behind which no other screen goes on between these heights. Screens that lie
    elsewhere in height have none here.
    """
    sides: tuple[EdgeSide, EdgeSide] = ("left", "right")
    here = [one for one in screens if one.top < bottom and top < one.bottom]
    edges = [ScreenEdge(side, screen) for screen in here for side in sides]
    return [edge for edge in edges if not _goes_on(edge, here)]


def full_height_edges(screens: Sequence[DesktopArea]) -> list[ScreenEdge]:
    """The edges behind which no other screen goes on anywhere in their height."""
    return [
        edge
        for screen in screens
        for edge in outer_edges(screens, screen.top, screen.bottom)
        if edge.screen == screen
    ]


def _goes_on(edge: ScreenEdge, screens: Iterable[DesktopArea]) -> bool:
    """Whether another screen begins right behind it."""
    for other in screens:
        behind = edge.x - other.right if edge.side == "left" else other.left - edge.x
        if other != edge.screen and -_OVERLAP <= behind <= _GAP:
            return True
    return False
