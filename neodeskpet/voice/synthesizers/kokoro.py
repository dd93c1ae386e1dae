"""Speaks on this computer with Kokoro-82M in a child process; nothing is sent over the network."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path

from neodeskpet.core.voice.heard_text import split_clauses
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.core.voice.speech import SPEECH_RATE, spoken_language
from neodeskpet.voice.engine_process import EngineProcess
from neodeskpet.voice.local_voice import KOKORO
from neodeskpet.voice.synthesizers.kokoro_child import KOKORO_ENGINE

CHILD = "speak"
DEFAULT_KOKORO_VOICES = {"zh": "zf_xiaobei", "en": "af_heart"}
"""The usual voice of each language."""
KOKORO_VOICES = (
    "zf_xiaobei",
    "zf_xiaoni",
    "zf_xiaoxiao",
    "zf_xiaoyi",
    "zm_yunjian",
    "zm_yunxi",
    "af_heart",
    "af_bella",
    "bf_emma",
    "am_michael",
    "bm_george",
    "jf_alpha",
    "jf_gongitsune",
    "jf_nezumi",
    "jf_tebukuro",
    "jm_kumo",
)
"""The first letter is the language that the voice was made of (z: Chinese, a: American, b: British
English, j: Japanese), the second is f for female, m for male.
"""
_SHORTEST_TEXT = "a."
_CLAUSE_GAP = bytes(SPEECH_RATE // 10 * 2)


class KokoroEngine:
    """The process; one per app, shared by all voices."""

    def __init__(self, engine: str = KOKORO_ENGINE, *, extra: Path | None = None) -> None:
        self._process = EngineProcess(CHILD, engine, KOKORO, extra=extra)

    @property
    def running(self) -> bool:
        return self._process.running

    async def speak(self, text: str, voice: str, speed: float, pitch: float = 1.0) -> bytes:
        """Raises VoiceError."""
        question = {"text": text, "voice": voice, "speed": speed, "pitch": pitch}
        return await self._process.ask(json.dumps(question).encode())

    async def warm_up(self) -> None:
        """Load the model before there is text, so that the first sound comes sooner. A failure is
        reported when something is spoken.
        """
        if not self.running:
            with contextlib.suppress(VoiceError):
                await self.speak(_SHORTEST_TEXT, "", 1.0)

    async def aclose(self) -> None:
        await self._process.aclose()


class KokoroSynthesizer:
    """A `core.voice.speech.Synthesizer`. A voice that it doesn't know is the usual one of the
    language.
    """

    rate = SPEECH_RATE

    def __init__(
        self, engine: KokoroEngine, voice: str = "", speed: float = 1.0, pitch: float = 1.0
    ) -> None:
        self._engine = engine
        self._voice = voice if voice in KOKORO_VOICES else ""
        self._speed = speed
        self._pitch = pitch

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Clause by clause, so that the first sound comes early. Raises VoiceError."""
        usual = DEFAULT_KOKORO_VOICES.get(language) or DEFAULT_KOKORO_VOICES[spoken_language(text)]
        voice = self._voice or usual
        first = True
        for clause in split_clauses(text):
            pcm = await self._engine.speak(clause, voice, self._speed, self._pitch)
            if pcm:
                yield pcm if first else _CLAUSE_GAP + pcm
                first = False
