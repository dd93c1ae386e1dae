"""Processes that tests have started end with the test session, and not in an atexit hook: a worker
whose interpreter takes more than ten seconds to end is killed, and coverage loses its last data.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable

_works: list[Callable[[], object]] = []


def at_end(work: Callable[[], object]) -> None:
    """Register a function for the end of the session, or of the process without one."""
    if not _works:
        atexit.register(end_all)
    _works.append(work)


def end_all() -> None:
    """Run them now, the last first."""
    while _works:
        _works.pop()()
