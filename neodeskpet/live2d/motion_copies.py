"""Which copy of a motion may be started: the one that the library doesn't play any more.

live2d-py 1.0.0 frees what belongs to a motion each time it reaches its end; a motion started again
while its first run still fades out reaches its end twice, and the second time ends the process
(docs/upstream/live2d-py-double-free.md). So every motion is loaded twice, and a copy is never
started while an earlier run of it may still be in the library's queue: both runs end once, and the
library fades from one to the other as from any motion to any other.

Pure: the owner tells what it did. Times are seconds of the library's own clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from neodeskpet.live2d.liveliness import Motion

COPIES = 2
_MARGIN = 0.5
"""The library adds up its time in single precision."""


@dataclass(slots=True)
class _Run:
    """A run of one copy. It lasts until `until`, which is known once it is being replaced."""

    replaced: bool = False
    until: float = math.inf


class MotionCopies:
    """`fades` are the fade-out times of motions, where they are known (s): a run that is replaced
    leaves the library's queue after that. Of the others only an empty queue tells it.
    """

    def __init__(self, fades: Mapping[Motion, float], copies: int = COPIES) -> None:
        self._fades = fades
        self._copies = range(copies)
        self._runs: dict[tuple[Motion, int], _Run] = {}
        self._time = 0.0

    def free(self, motion: Motion) -> int | None:
        """The copy of `motion` to start; None while all of them are in use."""
        for copy in self._copies:
            run = self._runs.get((motion, copy))
            if run is None or self._time > run.until:
                return copy
        return None

    def start(self, motion: Motion, copy: int) -> None:
        """This copy was started, which makes all others fade out."""
        for run in self._runs.values():
            run.replaced = True
        self._runs[motion, copy] = _Run()

    def update(self, seconds: float) -> None:
        """The library moved on; what was replaced before began to fade out in that step."""
        self._time += max(0.0, seconds)
        for (motion, _), run in self._runs.items():
            if run.replaced and run.until == math.inf:
                run.until = self._time + self._fades.get(motion, math.inf) + _MARGIN

    def clear(self) -> None:
        """The library's queue is empty."""
        self._runs.clear()
        self._time = 0.0
