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
"""Pixels that two neighbouring screens may overlap or be apart: scales are rounded."""


@dataclass(frozen=True, slots=True)
class ScreenEdge:
    """The left or the right edge of a screen."""

    side: EdgeSide
    screen: DesktopArea

    @property
    def x(self) -> int:
        return self.screen.left if self.side == "left" else self.screen.right


def outer_edges(screens: Sequence[DesktopArea], top: int, bottom: int) -> list[ScreenEdge]:
    """Return the edges without another screen behind them between these heights. Screens at other
    heights have none here.
    """
    sides: tuple[EdgeSide, EdgeSide] = ("left", "right")
    here = [one for one in screens if one.top < bottom and top < one.bottom]
    edges = [ScreenEdge(side, screen) for screen in here for side in sides]
    return [edge for edge in edges if not _goes_on(edge, here)]


def full_height_edges(screens: Sequence[DesktopArea]) -> list[ScreenEdge]:
    """Return the edges without another screen behind them at any height."""
    return [
        edge
        for screen in screens
        for edge in outer_edges(screens, screen.top, screen.bottom)
        if edge.screen == screen
    ]


def _goes_on(edge: ScreenEdge, screens: Iterable[DesktopArea]) -> bool:
    """Return whether another screen starts directly behind the edge."""
    for other in screens:
        behind = edge.x - other.right if edge.side == "left" else other.left - edge.x
        if other != edge.screen and -_OVERLAP <= behind <= _GAP:
            return True
    return False


HEAD_SHARE_SHOWN = 0.52
"""The share of its head that would be visible if the figure stood upright."""
SPEAKING_SHARE_SHOWN = 0.95
"""The same while it speaks: its face is on the screen."""
_PUSHED = 0.22
"""A figure that is dragged beyond an edge by more than this share of its width moves aside."""
_FAST, _LEAST, _MOST = 1600.0, 0.3, 0.9
"""The speed of the way there and back (px/s), and the least and largest duration in seconds."""


@dataclass(frozen=True, slots=True)
class PeekPosition:
    """The edge from which the figure peeks, and the height of its feet."""

    side: EdgeSide
    x: int
    y: int


def peek_after_drag(
    screens: Sequence[DesktopArea], figure: DesktopArea, beyond: int, feet: tuple[int, int]
) -> PeekPosition | None:
    """Return where a figure goes that was dragged `beyond` pixels further to the right (negative:
    to the left) than its screen allows; None if that isn't far enough, or another screen continues
    there.
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
    """Return where the figure goes if it is sent aside; None without a screen."""
    edges = outer_edges(screens, figure.top, figure.bottom) or full_height_edges(screens)
    edge = min(edges, key=lambda one: abs(one.x - feet[0]), default=None)
    return PeekPosition(edge.side, edge.x, feet[1]) if edge is not None else None


def peek_corner(
    screens: Sequence[DesktopArea],
    retreat: PeekPosition,
    head: tuple[int, int],
    height: int,
    shown: float = HEAD_SHARE_SHOWN,
) -> tuple[int, int] | None:
    """Return the upper left corner of a figure of this height, whose head starts `head` pixels from
    its left side, when it peeks from the edge nearest to its position; `shown` is the share of
    the head that is on the screen. None if there is no edge.
    """
    top = retreat.y - height
    near = [one for one in outer_edges(screens, top, retreat.y) if one.side == retreat.side]
    edges = near or [one for one in full_height_edges(screens) if one.side == retreat.side]
    edge = min(edges, key=lambda one: abs(one.x - retreat.x), default=None)
    if edge is None:
        return None
    seen = shown * (head[1] - head[0])
    x = edge.x + seen - head[1] if retreat.side == "left" else edge.x - seen - head[0]
    lowest = max(edge.screen.top, edge.screen.bottom - height)
    return round(x), min(max(top, edge.screen.top), lowest)


def peek_seconds(distance: float) -> float:
    """Return the duration of the way there or back."""
    return min(_MOST, max(_LEAST, abs(distance) / _FAST))


def eased_share(share: float) -> float:
    """Map a share of the time to a share of the way: slow at the start and at the end."""
    share = min(1.0, max(0.0, share))
    return share * share * (3.0 - 2.0 * share)


HIDING_SHARE_SHOWN = 0.4
"""The share of its width that is visible beside the screen's edge."""


def hiding_place(
    screens: Sequence[DesktopArea], figure: DesktopArea, random: Random
) -> tuple[int, int] | None:
    """Return the upper left corner of the hidden figure: at an edge without another screen behind
    it, and not at its current edge if there is another one. None without a screen.
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
    """The next step of a round."""

    HIDE = auto()
    """Move to the hiding place."""
    HINT = auto()
    GIVE_UP = auto()
    """End the round: the figure comes out by itself."""


@dataclass(slots=True)
class HidingRound:
    """One round of hide-and-seek."""

    began: float

    AWAY = 2.5
    """Seconds that the user has to look away."""
    HINTS, GIVE_UP_AFTER = 15.0, 60.0
    _done: int = 0

    def due(self, now: float) -> HidingStep | None:
        """Return the next step when it is due, once."""
        passed = now - self.began
        steps = [(self.AWAY, HidingStep.HIDE)]
        at = self.AWAY + self.HINTS
        while at < self.GIVE_UP_AFTER:
            steps.append((at, HidingStep.HINT))
            at += self.HINTS
        steps.append((self.GIVE_UP_AFTER, HidingStep.GIVE_UP))
        if self._done < len(steps) and passed >= steps[self._done][0]:
            self._done += 1
            return steps[self._done - 1][1]
        return None
