"""Cyclic garbage is collected on the interface's thread alone.

Python collects wherever an object happens to be made, on worker threads too. A QObject in such
garbage would be destroyed there; one with a timer must not be ("Timers cannot be stopped from
another thread"), and others may end the process.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer

_PERIOD_MS = 1000


def collect_due() -> int | None:
    """Collect the oldest generation that is due by Python's own thresholds; which one it was."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return generation
    return None


@contextmanager
def collecting_here(parent: QObject) -> Iterator[None]:
    """Until it is left, garbage is collected by a timer of this thread. What is there already is
    taken for permanent, so that a collection stays short.
    """
    automatic = gc.isenabled()
    gc.disable()
    gc.freeze()
    timer = QTimer(parent, interval=_PERIOD_MS)
    timer.timeout.connect(collect_due)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        timer.deleteLater()
        gc.unfreeze()
        if automatic:
            gc.enable()
