"""Observers: a list of functions, each called independently of the others.

A failure of one observer must not stop the caller or other observers. It is logged once for each
origin (the line that raised it), because a view that fails at every delta must not fill the log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, ParamSpec

_log = logging.getLogger(__name__)

P = ParamSpec("P")


class Observers(Generic[P]):
    """Calls observers in the order of subscription. They may subscribe and unsubscribe during a
    notification.
    """

    def __init__(self, *observers: Callable[P, object]) -> None:
        self._observers: list[Observer[P]] = [Observer(observer) for observer in observers]

    def subscribe(self, observer: Callable[P, object]) -> Callable[[], None]:
        """Subscribe `observer`; return a function that unsubscribes (a second call does
        nothing).
        """
        return self.subscribe_observer(Observer(observer))

    def subscribe_observer(self, observer: Observer[P]) -> Callable[[], None]:
        """Like `subscribe`, for an observer with several subscriptions: each of its failures is
        logged once.
        """
        self._observers.append(observer)

        def end() -> None:
            if observer in self._observers:
                self._observers.remove(observer)

        return end

    def notify(self, *values: P.args, **named: P.kwargs) -> None:
        for observer in tuple(self._observers):
            try:
                observer.callback(*values, **named)
            except Exception as error:  # noqa: BLE001 - see above; it is in the log
                observer.report(error, values)


class Observer(Generic[P]):
    """An observer, and the origins of its logged failures."""

    def __init__(self, callback: Callable[P, object]) -> None:
        self.callback = callback
        self._reported: set[tuple[type[Exception], str, int]] = set()

    def report(self, error: Exception, values: tuple[object, ...]) -> None:
        origin = _origin(error)
        if origin in self._reported:
            return
        self._reported.add(origin)
        types = ", ".join(type(value).__name__ for value in values)
        _log.error("A listener failed at (%s): %r", types, self.callback, exc_info=error)


def _origin(error: Exception) -> tuple[type[Exception], str, int]:
    """Return the type of `error`, and the file and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error), "", 0
    return type(error), trace.tb_frame.f_code.co_filename, trace.tb_lineno
