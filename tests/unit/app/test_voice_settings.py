"""The voice page: a sample and the test of the microphone, with recorded devices."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.app.voice_services import NoVoiceService, VoiceServices
from neodeskpet.app.voice_settings import VoiceSettingsAdapter, loudness
from neodeskpet.characters.cards.character_card import CharacterVoice
from neodeskpet.core.errors import LlmError
from neodeskpet.core.voice.ports import FRAME_BYTES, FRAME_MS
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.characters_port import OfferedVoices
from neodeskpet.voice.wake_word import WakeWordNotHeard, read_examples
from tests.support.sounds import LoudnessJudge, OpenInput, PlayedOutput, speaker, tone
from tests.support.speech_server import SpeechServer
from tests.support.transcription_server import TranscriptionServer


def play(
    home: Path,
    story: Callable[[VoiceSettingsAdapter, SettingsStore], Awaitable[None]],
    output: PlayedOutput,
) -> None:
    async def run() -> None:
        client = HttpClient()
        settings = SettingsStore(home / "settings.json")
        adapter = VoiceSettingsAdapter(
            VoiceServices(settings, Secrets(home / "secrets.json"), client),
            make_output=speaker(output),
            make_microphone=lambda _device: OpenInput(tone(4_000, 1.0)),
        )
        try:
            await story(adapter, settings)
        finally:
            await client.aclose()

    asyncio.run(run())


def test_a_sample_is_played_to_its_end(tmp_path: Path) -> None:
    output = PlayedOutput(step=0.1)

    async def story(adapter: VoiceSettingsAdapter, settings: SettingsStore) -> None:
        await adapter.play_sample("Hello")
        assert not any(output.take()), "speaking is off"
        settings.change("voice", "speak", "chirp")
        await adapter.play_sample("Hello")

    play(tmp_path, story, output)
    assert any(output.recorded)


def test_a_failing_service_is_reported(tmp_path: Path) -> None:
    server = SpeechServer()
    server.status, server.pieces = 400, [b'{"error": {"message": "No such voice"}}']

    async def story(adapter: VoiceSettingsAdapter, settings: SettingsStore) -> None:
        settings.change("voice", "speak", "service")
        settings.change("voice", "address", server.url)
        with pytest.raises(LlmError, match="No such voice"):
            await adapter.play_sample("Hello")

    try:
        play(tmp_path, story, PlayedOutput(step=0.1))
    finally:
        server.close()


def test_the_microphone_is_recorded_and_recognised(tmp_path: Path) -> None:
    server = TranscriptionServer()
    levels: list[float] = []

    async def story(adapter: VoiceSettingsAdapter, settings: SettingsStore) -> None:
        with pytest.raises(NoVoiceService):
            await adapter.test_microphone(levels.append)
        assert levels[0] == pytest.approx(0.5)
        settings.change("voice", "listen_address", server.url)
        assert await adapter.test_microphone(levels.append) == "Hello there."
        assert levels[-1] == 0.0

    try:
        play(tmp_path, story, PlayedOutput())
    finally:
        server.close()


def test_voices_and_loudness(tmp_path: Path) -> None:
    async def story(adapter: VoiceSettingsAdapter, settings: SettingsStore) -> None:
        assert ("nova", "nova") in adapter.voices("service")
        assert ("zf_xiaobei", "Xiaobei (Chinese, female)") in adapter.voices("local")
        assert adapter.voices("chirp") == ()

    play(tmp_path, story, PlayedOutput())
    assert loudness(b"") == 0.0
    assert loudness(tone(30_000, 0.1)) == 1.0


def test_a_character_may_have_the_voices_of_the_current_engine(tmp_path: Path) -> None:
    output = PlayedOutput(step=0.1)

    async def story(adapter: VoiceSettingsAdapter, settings: SettingsStore) -> None:
        settings.change("voice", "speak", "local")
        offered = adapter.offered_voices()
        assert offered.default == "Heart (American English, female)" and not offered.others
        assert ("zf_xiaobei", "Xiaobei (Chinese, female)") in offered.voices
        assert adapter.find_voice("小贝") == "zf_xiaobei"
        assert adapter.find_voice("Zarvox") == "Zarvox"
        settings.change("voice", "speak", "service")
        settings.change("voice", "voice", "nova")
        offered = adapter.offered_voices()
        assert offered.default == "nova" and offered.others and offered.voices
        assert adapter.find_voice("小贝") == "小贝", "no voice of the service"
        settings.change("voice", "address", "tcp://127.0.0.1:10200")
        assert adapter.offered_voices() == OfferedVoices("nova", others=True)
        settings.change("voice", "speak", "chirp")
        assert adapter.offered_voices() == OfferedVoices()
        await adapter.play_character_sample("Hello", CharacterVoice(volume=0.5))

    play(tmp_path, story, output)
    assert any(output.recorded)


def test_a_wake_word_is_recorded_three_times(tmp_path: Path) -> None:
    numbers: list[tuple[int, int]] = []
    spoken = (bytes(FRAME_BYTES) * 100 + tone(4_000, 0.5) + bytes(FRAME_BYTES) * 70) * 3

    async def run() -> None:
        client = HttpClient()
        settings = SettingsStore(tmp_path / "settings.json")
        services = VoiceServices(settings, Secrets(tmp_path / "secrets.json"), client)
        adapter = VoiceSettingsAdapter(
            services,
            make_microphone=lambda _device: OpenInput(spoken),
            make_judge=lambda: (LoudnessJudge(), FRAME_MS),
            load_features=lambda: lambda frame: [[1.0] * 96],
        )
        assert not adapter.has_wake_word
        await adapter.record_wake_word(lambda number, count: numbers.append((number, count)))
        assert adapter.has_wake_word
        assert settings.settings.voice.wake_word_recorded == 1
        assert len(read_examples(services.wake_word_file)) == 3
        with pytest.raises(WakeWordNotHeard):
            await VoiceSettingsAdapter(
                services,
                make_microphone=lambda _device: OpenInput(b""),
                make_judge=lambda: (LoudnessJudge(), FRAME_MS),
                load_features=lambda: lambda frame: [],
            ).record_wake_word(lambda number, count: None)
        await client.aclose()

    asyncio.run(run())
    assert numbers == [(1, 3), (2, 3), (3, 3)]
