"""When to look whether the file is still in its place: seldom while nothing is done with it.

There are five files, each with a thread of its own: every five seconds they woke an idle app once a
second. What is written meanwhile isn't lost: each work looks first, and the open file is whole.
"""

from __future__ import annotations

_MAX_FACTOR = 4
"""So many times the first pause at most."""


class CheckInterval:
    """The pauses between two looks. `pause` is the present one, in seconds."""

    def __init__(self, first: float) -> None:
        self.pause = self._first = first

    def note_work(self) -> None:
        """Something is done with the file, which was looked at for it."""
        self.pause = self._first

    def note_idle(self) -> None:
        """Nothing was done for a pause: the next one is twice as long."""
        self.pause = min(2 * self.pause, _MAX_FACTOR * self._first)
