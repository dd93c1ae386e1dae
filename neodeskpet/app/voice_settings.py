"""The settings page's port onto sound devices and voice services."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from neodeskpet.app.listening import make_detector, open_microphone
from neodeskpet.app.speech import open_speaker
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.characters.cards.character_card import USUAL_VOICE, CharacterVoice
from neodeskpet.core.errors import KnownError
from neodeskpet.core.text_language import CHINESE
from neodeskpet.core.voice.ports import FRAME_MS, AudioInput, Played
from neodeskpet.core.voice.speech import Synthesizer
from neodeskpet.language import language
from neodeskpet.ui.settings.characters_port import OfferedVoices
from neodeskpet.ui.settings.voice_page import OfflineVoicePort
from neodeskpet.voice.local_voice import KOKORO, LOCAL_ADDRESS, is_installed

if TYPE_CHECKING:
    from neodeskpet.app.speech import ClosableOutput
    from neodeskpet.voice.listener import ReferencedJudge
    from neodeskpet.voice.wake_word import Features

_TEST_MS = 4_000
_WORD_WITHIN_MS, _AFTER_WORD_MS = 8_000, 600
"""The time in which a wake word is spoken, and the silence that ends it."""
_LOUD = 8_000.0
"""The root mean square of samples at which the meter is full."""
_METER_FRAMES = 5
"""Frames of one reading of the meter."""
# fmt: off
SERVICE_VOICES = (
    "alloy", "ash", "ballad", "coral", "echo", "fable", "nova",
    "onyx", "sage", "shimmer", "verse",
)
# fmt: on
"""The voices of OpenAI's speech service; others may be typed."""


def _load_features() -> Features:
    from neodeskpet.voice.wake_word import load_features

    return load_features()


class VoiceSettingsAdapter:
    """A `VoicePort` and a `CharacterVoicesPort` of `ui.settings`."""

    local_address = LOCAL_ADDRESS

    def __init__(
        self,
        services: VoiceServices,
        offline: OfflineVoicePort | None = None,
        *,
        make_output: Callable[[str, Played], ClosableOutput] = open_speaker,
        make_microphone: Callable[[str], AudioInput] = open_microphone,
        make_judge: Callable[[], tuple[ReferencedJudge, int]] = make_detector,
        load_features: Callable[[], Features] = _load_features,
    ) -> None:
        self.offline = offline
        self._services = services
        self._make_output = make_output
        self._make_microphone = make_microphone
        self._make_judge = make_judge
        self._load_features = load_features

    async def list_devices(self) -> tuple[Sequence[str], Sequence[str]]:
        from neodeskpet.voice.sound_devices import list_sound_devices

        found = await asyncio.to_thread(list_sound_devices)
        return found.outputs, found.inputs

    def voices(self, speak: str) -> Sequence[tuple[str, str]]:
        from neodeskpet.voice.synthesizers.kokoro import KOKORO_VOICES
        from neodeskpet.voice.synthesizers.kokoro_voice_names import kokoro_voice_name

        if speak == "local":
            return [(one, kokoro_voice_name(one)) for one in KOKORO_VOICES]
        return [(one, one) for one in SERVICE_VOICES] if speak == "service" else ()

    def offered_voices(self) -> OfferedVoices:
        from neodeskpet.llm.http_synthesizer import DEFAULT_VOICE
        from neodeskpet.voice.synthesizers.kokoro import DEFAULT_KOKORO_VOICES
        from neodeskpet.voice.synthesizers.kokoro_voice_names import kokoro_voice_name
        from neodeskpet.voice.wyoming_connection import SCHEME

        chosen, engine = self._services.settings.settings.voice, self._engine()
        voices = self.voices(engine)
        if engine == "local":
            usual = DEFAULT_KOKORO_VOICES["zh" if language() == CHINESE else "en"]
            default = self.find_voice(chosen.voice)
            return OfferedVoices(
                kokoro_voice_name(default if default in dict(voices) else usual), voices
            )
        if engine != "service":
            return OfferedVoices()
        default = chosen.voice or DEFAULT_VOICE
        if chosen.address.startswith(f"{SCHEME}://"):  # its server has its own names and default
            return OfferedVoices("" if default == DEFAULT_VOICE else default, others=True)
        return OfferedVoices(default, voices, others=True)

    def find_voice(self, name: str) -> str:
        from neodeskpet.voice.synthesizers.kokoro_voice_names import find_kokoro_voice

        return find_kokoro_voice(name) if name and self._engine() == "local" else name

    def _engine(self) -> str:
        """Return the kind of voice that speaks, or reads texts aloud while speaking is off."""
        speak = self._services.settings.settings.voice.speak
        if speak != "off":
            return speak
        return "local" if is_installed(KOKORO) else "service"

    async def play_sample(self, text: str) -> None:
        synthesizer = self._services.synthesizer()
        if synthesizer is not None:
            await self._play(text, synthesizer, USUAL_VOICE)

    async def play_character_sample(self, text: str, style: CharacterVoice) -> None:
        services = self._services
        synthesizer = services.synthesizer(style) or services.reading_synthesizer(style)
        await self._play(text, synthesizer, style)

    async def _play(self, text: str, synthesizer: Synthesizer, style: CharacterVoice) -> None:
        from neodeskpet.voice.speech_player import SpeechPlayer

        chosen = self._services.settings.settings.voice
        output = self._make_output(chosen.output_device, lambda _pcm, _at: None)
        output.set_volume(style.volume_at(chosen.volume))
        finished = asyncio.Event()
        failures: list[KnownError] = []

        def present() -> Synthesizer:
            return synthesizer

        player = SpeechPlayer(output, present, on_finished=finished.set, on_failed=failures.append)
        try:
            if player.speak(text):
                await finished.wait()
        finally:
            await player.aclose()
            await asyncio.shield(asyncio.to_thread(output.close))
        if failures:
            raise failures[0]

    @property
    def has_wake_word(self) -> bool:
        return self._services.wake_word_file.is_file()

    async def record_wake_word(self, on_next: Callable[[int, int], object]) -> None:
        """Raises WakeWordNotHeard, VoiceError."""
        from neodeskpet.voice.wake_word import RECORDINGS, example_of, save_examples

        settings = self._services.settings
        device = settings.settings.voice.input_device
        judge, _ = await asyncio.to_thread(self._make_judge)
        features = await asyncio.to_thread(self._load_features)
        examples = []
        async with aclosing(self._make_microphone(device).frames()) as frames:
            for number in range(1, RECORDINGS + 1):
                on_next(number, RECORDINGS)
                heard, speech = await _next_word(frames, judge)
                examples.append(await asyncio.to_thread(example_of, heard, speech, features))
        await asyncio.to_thread(save_examples, self._services.wake_word_file, examples)
        count = settings.settings.voice.wake_word_recorded
        settings.change("voice", "wake_word_recorded", count + 1)

    async def test_microphone(self, on_level: Callable[[float], object]) -> str:
        chosen = self._services.settings.settings.voice
        recorded: list[bytes] = []
        async with aclosing(self._make_microphone(chosen.input_device).frames()) as frames:
            async for frame in frames:
                recorded.append(frame)
                if len(recorded) % _METER_FRAMES == 0:
                    on_level(loudness(b"".join(recorded[-_METER_FRAMES:])))
                if len(recorded) * FRAME_MS >= _TEST_MS:
                    break
        words = ""
        texts = self._services.recognizer().recognize(b"".join(recorded), chosen.listen_language)
        async with aclosing(texts):
            async for one in texts:
                words = one.text if one.is_final else words
        return words


async def _next_word(
    frames: AsyncGenerator[bytes, None], judge: ReferencedJudge
) -> tuple[list[bytes], list[int]]:
    """Return the frames until a word was spoken, and the numbers of those with speech; all frames
    if none was spoken in time.
    """
    heard: list[bytes] = []
    speech: list[int] = []
    async for frame in frames:
        clean, judged = judge.process(frame)
        if any(judged):
            speech.append(len(heard))
        heard.append(clean)
        if len(heard) * FRAME_MS >= _WORD_WITHIN_MS:
            break
        if speech and (len(heard) - speech[-1]) * FRAME_MS >= _AFTER_WORD_MS:
            break
    return heard, speech


def loudness(pcm: bytes) -> float:
    """The loudness of sound, from 0 to 1."""
    samples = array("h", pcm)
    if not samples:
        return 0.0
    mean = (sum(one * one for one in samples) / len(samples)) ** 0.5
    return min(1.0, float(mean) / _LOUD)
