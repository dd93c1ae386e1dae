"""What tells that a key was pressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class KeystrokeCounter(Protocol):
    """Nothing listens before `begin` and after `end`. Which key it was isn't known."""

    def start(self, tell: Callable[[int], None]) -> bool:
        """Call `tell` with how many keys were pressed since the last call, soon after each. False
        where nobody tells.
        """
        ...

    def stop(self) -> None: ...
