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
        self._entries: list[_Entry[P]] = [_Entry(observer) for observer in observers]

    def add(self, observer: Callable[P, object]) -> Callable[[], None]:
        """Have `observer` hear from now on; returns what ends it (a second time does nothing)."""
        entry = _Entry(observer)
        self._entries.append(entry)

        def end() -> None:
            if entry in self._entries:
                self._entries.remove(entry)

        return end

    def tell(self, *values: P.args, **named: P.kwargs) -> None:
        for entry in tuple(self._entries):
            try:
                entry.observer(*values, **named)
            except Exception as error:  # noqa: BLE001 - see above; it is in the log
                entry.report(error, values)


class _Entry(Generic[P]):
    def __init__(self, observer: Callable[P, object]) -> None:
        self.observer = observer
        self._reported: set[type[Exception]] = set()

    def report(self, error: Exception, values: tuple[object, ...]) -> None:
        if type(error) in self._reported:
            return
        self._reported.add(type(error))
        told = ", ".join(type(value).__name__ for value in values)
        _log.error("A listener failed at (%s): %r", told, self.observer, exc_info=error)
