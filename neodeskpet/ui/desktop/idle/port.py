"""What tells how long nobody touched a key or moved the pointer."""

from __future__ import annotations

from typing import Protocol


class IdleTime(Protocol):
    """No key, place or time of one is read or kept, only how long ago the last was."""

    def seconds(self) -> float | None:
        """Since the last input of the person, to any program; None while that isn't known. Called
        every few seconds on the window's thread: it doesn't wait.
        """
        ...

    def close(self) -> None: ...
