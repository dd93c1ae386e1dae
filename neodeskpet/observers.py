"""Who hears of something: one list of functions, each called whatever the others do.

A fault of one who hears must end neither what is told nor the others: it goes to the log, once for
each kind of fault, so that a view that fails at every delta doesn't fill it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, ParamSpec

_log = logging.getLogger(__name__)

P = ParamSpec("P")


class Observers(Generic[P]):
    """Called in the order in which they came. They may come and leave while they are told."""

    def __init__(self, *observers: Callable[P, object]) -> None:
        self._observers: list[Observer[P]] = [Observer(observer) for observer in observers]

    def add(self, observer: Callable[P, object]) -> Callable[[], None]:
        """Have `observer` hear from now on; returns what ends it (a second time does nothing)."""
        return self.join(Observer(observer))

    def join(self, observer: Observer[P]) -> Callable[[], None]:
        """Like `add`, for one who hears of other things too: each of its faults is told once."""
        self._observers.append(observer)

        def end() -> None:
            if observer in self._observers:
                self._observers.remove(observer)

        return end

    def tell(self, *values: P.args, **named: P.kwargs) -> None:
        for observer in tuple(self._observers):
            try:
                observer.hear(*values, **named)
            except Exception as error:  # noqa: BLE001 - see above; it is in the log
                observer.report(error, values)


class Observer(Generic[P]):
    """One function that hears, and which of its faults were told."""

    def __init__(self, hear: Callable[P, object]) -> None:
        self.hear = hear
        self._reported: set[type[Exception]] = set()

    def report(self, error: Exception, values: tuple[object, ...]) -> None:
        if type(error) in self._reported:
            return
        self._reported.add(type(error))
        told = ", ".join(type(value).__name__ for value in values)
        _log.error("A listener failed at (%s): %r", told, self.hear, exc_info=error)
