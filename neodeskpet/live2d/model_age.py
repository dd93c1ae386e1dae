"""When a model has moved for so long that a fresh copy of it takes its place.

The library counts its time in single precision, in seconds from the load. After 12 hours that
counts in steps of 4 ms, after 36 hours in steps of 8 to 16 ms: motions stutter, at last they stand
still.
"""

from __future__ import annotations

MOST_MODEL_SECONDS = 12 * 3600.0
"""Seconds. From here on it is replaced as soon as nobody sees it,"""
_LATEST = 2
"""and after so many times that at the next moment in which it doesn't move."""


class ModelAge:
    """Tell it how far the model was moved on (`advance`) and when a fresh one came (`renew`)."""

    def __init__(self, limit: float = MOST_MODEL_SECONDS) -> None:
        self._limit = limit
        self._seconds = 0.0

    def advance(self, seconds: float) -> None:
        self._seconds += seconds

    def renew(self) -> None:
        self._seconds = 0.0

    def is_due(self, *, seen: bool, asleep: bool, moving: bool) -> bool:
        """Whether this is a moment for it. `asleep`: the companion's eyes are shut."""
        if self._seconds < self._limit:
            return False
        if not seen:
            return True
        return not moving and (asleep or self._seconds >= _LATEST * self._limit)
