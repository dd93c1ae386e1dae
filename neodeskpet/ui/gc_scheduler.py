"""Runs the cyclic garbage collector in the UI thread only.

Python collects in whatever thread creates an object. A QObject in such garbage would be destroyed
in a worker thread; that must not happen to one with a timer ("Timers cannot be stopped from another
thread"), and others may crash the process. While nothing happens there is no garbage: checks become
rarer. And `freeze_existing_objects` excludes permanent objects: with the app's whole code included,
one collection blocked the window for 80 ms.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

_PERIOD_MS, _LONGEST_MS = 1000, 16_000
_FEW_OBJECTS = 100
"""Number of new objects that a clock or a caret creates between checks."""


def collect_due() -> int | None:
    """Collect the oldest generation that is due by Python's own thresholds; return it."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return generation
    return None


def next_check_ms(waited_ms: int, new: int) -> int:
    """Return the milliseconds until the next check, after `waited_ms` and `new` objects since the
    last one: doubled while there are few.
    """
    return min(2 * waited_ms, _LONGEST_MS) if abs(new) < _FEW_OBJECTS else _PERIOD_MS


class _GcTimer(QObject):
    """Checks whether a collection is due, rarely while nothing happens."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._seen = gc.get_count()[0]
        self._timer = QTimer(self, interval=_PERIOD_MS, singleShot=True)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        new = gc.get_count()[0] - self._seen
        collected = collect_due() is not None
        self._seen = gc.get_count()[0]
        waited = self._timer.interval()
        self._timer.start(_PERIOD_MS if collected else next_check_ms(waited, new))

    def stop(self) -> None:
        self._timer.stop()


def freeze_existing_objects() -> None:
    """Exclude all existing objects from collections while `gc_on_this_thread` lasts: loaded code,
    created windows. Takes no time.
    """
    gc.freeze()


@contextmanager
def gc_on_this_thread(parent: QObject) -> Iterator[None]:
    """Collect garbage with a timer of this thread inside the block. Existing objects count as
    permanent.
    """
    automatic = gc.isenabled()
    gc.disable()
    freeze_existing_objects()
    looks = _GcTimer(parent)
    try:
        yield
    finally:
        looks.stop()
        looks.deleteLater()
        gc.unfreeze()
        if automatic:
            gc.enable()
