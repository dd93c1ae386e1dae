"""Speaks on this computer with Kokoro-82M in a child process; nothing is sent over the network."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path

from neodeskpet.core.voice.heard_text import split_clauses
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.voice.engine_process import EngineProcess
from neodeskpet.voice.local_voice import KOKORO
from neodeskpet.voice.synthesizers.kokoro_child import KOKORO_ENGINE

CHILD = "speak"
KOKORO_VOICES = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")
DEFAULT_KOKORO_VOICE = KOKORO_VOICES[0]
_SHORTEST_TEXT = "a."
_CLAUSE_GAP = bytes(SPEECH_RATE // 10 * 2)


class KokoroEngine:
    """The process; one per app, shared by all voices."""

    def __init__(self, engine: str = KOKORO_ENGINE, *, extra: Path | None = None) -> None:
        self._process = EngineProcess(CHILD, engine, KOKORO, extra=extra)

    @property
    def running(self) -> bool:
        return self._process.running

    async def speak(self, text: str, voice: str, speed: float) -> bytes:
        """Raises VoiceError."""
        question = {"text": text, "voice": voice, "speed": speed}
        return await self._process.ask(json.dumps(question).encode())

    async def warm_up(self) -> None:
        """Load the model before there is text, so that the first sound comes sooner. A failure is
        reported when something is spoken.
        """
        if not self.running:
            with contextlib.suppress(VoiceError):
                await self.speak(_SHORTEST_TEXT, DEFAULT_KOKORO_VOICE, 1.0)

    async def aclose(self) -> None:
        await self._process.aclose()


class KokoroSynthesizer:
    """A `core.voice.speech.Synthesizer`. A voice that it doesn't know is the default one."""

    rate = SPEECH_RATE

    def __init__(self, engine: KokoroEngine, voice: str = "", speed: float = 1.0) -> None:
        self._engine = engine
        self._voice = voice if voice in KOKORO_VOICES else DEFAULT_KOKORO_VOICE
        self._speed = speed

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Clause by clause, so that the first sound comes early. Raises VoiceError."""
        first = True
        for clause in split_clauses(text):
            pcm = await self._engine.speak(clause, self._voice, self._speed)
            if pcm:
                yield pcm if first else _CLAUSE_GAP + pcm
                first = False
