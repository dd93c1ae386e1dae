"""What tells whether music plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class MusicDetector(Protocol):
    """Nothing is open before `follow` and after it. Which program, and which piece, isn't asked."""

    async def watch(self, tell: Callable[[bool], None]) -> None:
        """Call `tell` whenever music begins or ends, until this is cancelled. Returns where nobody
        tells any more (no session bus, it ended).
        """
        ...
