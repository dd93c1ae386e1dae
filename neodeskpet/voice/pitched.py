"""Changes the pitch of a synthesizer that can't do it itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from neodeskpet.core.voice.speech import Synthesizer


@dataclass(frozen=True, slots=True)
class PitchedSynthesizer:
    """A `core.voice.speech.Synthesizer`. Its sound is that of `inner`, at a higher rate: played
    faster, it is higher by the factor `pitch`. So that its speed stays the same, `inner` speaks
    more slowly by that factor.
    """

    inner: Synthesizer
    pitch: float

    @property
    def rate(self) -> int:
        return round(self.inner.rate * self.pitch)

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Raises KnownError."""
        async with aclosing(self.inner.synthesize(text, language)) as pieces:
            async for piece in pieces:
                yield piece
