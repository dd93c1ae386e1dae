"""Resolves paths within a deadline. The caller runs on the event loop, and a network mount whose
server is gone never answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from neodeskpet.core.grant_scope import PathUnknown

_SECONDS = 0.04
_SECONDS_AFTER = 0.005
"""The limit while another path is still unresolved: together they must not hold the loop long."""
_MOST = 8
"""Most threads that may wait. When all are in use, a path counts as unknown at once."""


class TimelyPaths:
    """Resolves in daemon threads, which may outlive the deadline. Call it from one thread only."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._waiting: dict[str, threading.Thread] = {}

    def tell(self, real: Callable[[str], str | None], path: str) -> str | None:
        """Return the result of `real(path)`. Raises PathUnknown if it takes too long."""
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
