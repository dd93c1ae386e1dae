"""Finds when the mark at the end of a reply (`service.MARK`) was painted, in pictures of a window.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DARK = 0x60
"""The highest value of a colour of dark text."""
_MARK_WIDTH, _MARK_HEIGHT = 12, 3
"""A smaller dark rectangle is a part of a letter, not of a mark (in pixels of `Picture`)."""
_MARK_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a window, and when it was asked for (`time.perf_counter`)."""

    time: float
    pixels: NDArray[np.uint8]
    """By row and column, each second one of both: blue, green, red."""


def mark_delay(sent: float, pictures: Sequence[Picture]) -> float:
    """Return the seconds from `sent` to the first picture with a new mark; nan without one."""
    before = [mark_area(one.pixels) for one in pictures if one.time <= sent]
    after = [(one.time, mark_area(one.pixels)) for one in pictures if one.time > sent]
    if not before or not after or after[-1][1] <= before[-1]:
        return float("nan")
    least = before[-1] + _MARK_SHARE * (after[-1][1] - before[-1])
    return next(time for time, area in after if area >= least) - sent


def mark_area(pixels: NDArray[np.uint8]) -> int:
    """Return the size of the dark rectangles in a picture; those of letters are too small to
    count.
    """
    dark = (pixels < _DARK).all(axis=2)
    for axis, size in ((1, _MARK_WIDTH), (0, _MARK_HEIGHT)):
        length = dark.shape[axis] - size + 1
        if length < 1:
            return 0
        parts = [dark.take(range(at, at + length), axis=axis) for at in range(size)]
        dark = np.logical_and.reduce(parts)
    return int(dark.sum())
