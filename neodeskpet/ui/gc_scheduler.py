"""Cyclic garbage is collected on the interface's thread alone.

Python collects wherever an object happens to be made, on worker threads too. A QObject in such
garbage would be destroyed there; one with a timer must not be ("Timers cannot be stopped from
another thread"), and others may end the process.

While nothing happens there is no garbage to look for: the looks become rarer. And what is there for
good is taken out of them by `freeze_existing_objects`: with the app's whole code among what is
looked through, one look held the window for 80 ms.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

_PERIOD_MS, _LONGEST_MS = 1000, 16_000
_FEW_OBJECTS = 100
"""So many new objects are what looking at the clock leaves, or a caret."""


def collect_due() -> int | None:
    """Collect the oldest generation that is due by Python's own thresholds; which one it was."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return generation
    return None


def next_check_ms(waited_ms: int, new: int) -> int:
    """In how many milliseconds to look again, when the last look was `waited_ms` ago and `new`
    objects came since then: twice as late while there are few.
    """
    return min(2 * waited_ms, _LONGEST_MS) if abs(new) < _FEW_OBJECTS else _PERIOD_MS


class _GcTimer(QObject):
    """Looks for garbage that is due, seldom while nothing happens."""

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
    """What is there by now is no garbage, as long as `gc_on_this_thread` lasts: code was loaded,
    windows were made. Takes no time.
    """
    gc.freeze()


@contextmanager
def gc_on_this_thread(parent: QObject) -> Iterator[None]:
    """Until it is left, garbage is collected by a timer of this thread. What is there already is
    taken for permanent.
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
