"""Recognizes speech on this computer with Whisper base in a child process; nothing is sent over the
network.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

from neodeskpet.core.voice.ports import LISTEN_RATE, Transcript, VoiceError
from neodeskpet.voice.engine_process import EngineProcess
from neodeskpet.voice.local_voice import WHISPER
from neodeskpet.voice.recognizers.whisper_child import LANGUAGE_BYTES, WHISPER_ENGINE

CHILD = "listen"
_MOST_SECONDS = 300
"""Longer recordings are cut, because each answer has a time limit."""


class WhisperRecognizer:
    """A `core.voice.ports.EarlyRecognizer`; one per app."""

    def __init__(self, engine: str = WHISPER_ENGINE, *, extra: Path | None = None) -> None:
        self._process = EngineProcess(CHILD, engine, WHISPER, extra=extra, seconds=120.0)

    @property
    def running(self) -> bool:
        return self._process.running

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        """Raises VoiceError."""
        code = language[:LANGUAGE_BYTES].ljust(LANGUAGE_BYTES).encode("ascii", "replace")
        answer = await self._process.ask(code + pcm[: LISTEN_RATE * 2 * _MOST_SECONDS])
        yield Transcript(answer.decode("utf-8", "replace"), is_final=True)

    async def warm_up(self) -> None:
        """Implement `core.voice.ports.EarlyRecognizer`."""
        if not self.running:
            with contextlib.suppress(VoiceError):
                await self._process.ask(b" " * LANGUAGE_BYTES)

    async def aclose(self) -> None:
        await self._process.aclose()
