"""Tells what paths are within a deadline: a network mount whose server is gone answers never, and
the question is asked on the event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from neodeskpet.core.scope import PathUnknown

_SECONDS = 0.04
_SECONDS_AFTER = 0.005
"""While another path isn't answered: together they must not hold the loop for long."""
_MOST = 8
"""Threads that wait for an answer. With more, nothing is asked."""


class TimelyPaths:
    """Asks in threads that may be left behind. Used from one thread."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._waiting: dict[str, threading.Thread] = {}

    def tell(self, real: Callable[[str], str | None], path: str) -> str | None:
        """`real(path)`. Raises PathUnknown when the answer doesn't come in time."""
        self._waiting = {one: thread for one, thread in self._waiting.items() if thread.is_alive()}
        if path in self._waiting or len(self._waiting) >= _MOST:
            raise PathUnknown
        found: list[str | None] = []
        thread = threading.Thread(
            target=lambda: found.append(real(path)), name="paths", daemon=True
        )
        thread.start()
        thread.join(_SECONDS_AFTER if self._waiting else self._seconds)
        if thread.is_alive():
            self._waiting[path] = thread
        if not found:
            raise PathUnknown
        return found[0]
