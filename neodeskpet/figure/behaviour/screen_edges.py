"""The outer edges of the screens, peeking out from behind one of them, and hide-and-seek.

Pure: positions are in device-independent pixels of the desktop, y down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random
from typing import Literal

from neodeskpet.figure.behaviour.ground import DesktopArea

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


HIDING_SHARE_SHOWN = 0.4
"""The share of its width that looks out from behind the screen's edge."""


def hiding_place(
    screens: Sequence[DesktopArea], figure: DesktopArea, random: Random
) -> tuple[int, int] | None:
    """The left upper corner of the figure where it looks out from an edge: one with no other
    screen behind it, and not where it stands now, if there is another. None without a screen.
    """
    found = full_height_edges(screens)
    if not found:
        return None
    middle = figure.left + figure.width / 2
    edge = max(found, key=lambda one: abs(one.x - middle) * random.uniform(0.3, 1.0))
    screen, out = edge.screen, round(figure.width * HIDING_SHARE_SHOWN)
    x = edge.x + out - figure.width if edge.side == "left" else edge.x - out
    room = max(0, screen.height - figure.height)
    return x, screen.top + round(room * random.random())


class HidingStep(Enum):
    """What is to be done now."""

    HIDE = auto()
    """Turn up in the hiding place."""
    HINT = auto()
    GIVE_UP = auto()
    """It comes out by itself."""


@dataclass(slots=True)
class HidingRound:
    """One round, from `began`."""

    began: float

    AWAY = 2.5
    """Seconds for which the person may look away."""
    HINTS, PATIENCE = 15.0, 60.0
    _done: int = 0

    def due(self, now: float) -> HidingStep | None:
        """The next step, once."""
        passed = now - self.began
        steps = [(self.AWAY, HidingStep.HIDE)]
        at = self.AWAY + self.HINTS
        while at < self.PATIENCE:
            steps.append((at, HidingStep.HINT))
            at += self.HINTS
        steps.append((self.PATIENCE, HidingStep.GIVE_UP))
        if self._done < len(steps) and passed >= steps[self._done][0]:
            self._done += 1
            return steps[self._done - 1][1]
        return None
