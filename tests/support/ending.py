"""What a process of the tests has begun is ended with its session, and not in an atexit hook: a
worker whose interpreter takes more than ten seconds to end is killed, and with it goes what
coverage would have written last.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable

_works: list[Callable[[], object]] = []


def at_end(work: Callable[[], object]) -> None:
    """Have it done when the session is over; at the process's end where there is none."""
    if not _works:
        atexit.register(end_all)
    _works.append(work)


def end_all() -> None:
    """Do it now, the last first."""
    while _works:
        _works.pop()()
