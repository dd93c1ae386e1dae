"""Music by a script, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class ScriptedMusicDetector:
    """A `MusicDetector`. `begun` and `ended` count who follows it."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self._tell: Callable[[bool], None] | None = None
        self._over = asyncio.Event()

    async def watch(self, tell: Callable[[bool], None]) -> None:
        self.begun += 1
        self._tell = tell
        self._over.clear()
        try:
            await self._over.wait()
        finally:
            self.ended += 1
            self._tell = None

    def play(self, playing: bool) -> None:
        """It begins or stops; nobody hears it whom nobody told."""
        if self._tell is not None:
            self._tell(playing)

    def end(self) -> None:
        """The bus is gone."""
        self._over.set()
