"""Listening with the settings, a recorded microphone and a service on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from neodeskpet.app.listening import CompanionListening
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import NoVoiceService, VoiceServices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import Phase
from neodeskpet.core.voice.ports import (
    FRAME_MS,
    AudioInput,
    NoAudioDevice,
    VoicePackageMissing,
)
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from tests.support.scenario import until
from tests.support.sounds import LoudnessJudge, OpenInput, WakingJudge, tone
from tests.support.transcription_server import TranscriptionServer


class MissingInput:
    async def frames(self) -> AsyncGenerator[bytes, None]:
        raise NoAudioDevice(device="x")
        yield b""


class View:
    """The displayed states in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.errors: list[KnownError] = []

    def show_phase(self, phase: Phase) -> None:
        self.lines.append(phase.name)

    def show_microphone(self, is_open: bool) -> None:
        self.lines.append("open" if is_open else "closed")

    def show_text(self, text: str, is_final: bool) -> None:
        self.lines.append(text)

    def mark_interrupted(self) -> None:
        self.lines.append("interrupted")

    def show_nothing_heard(self) -> None:
        self.lines.append("nothing")

    def show_error(self, error: KnownError) -> None:
        self.errors.append(error)


class Scene:
    def __init__(self, home: Path, client: HttpClient) -> None:
        self.settings = SettingsStore(home / "settings.json")
        self.services = VoiceServices(self.settings, Secrets(home / "secrets.json"), client)
        self.speech = CompanionSpeech(self.services, on_failed=lambda error: None)
        self.view = View()
        self.devices: list[str] = []
        self.judge = LoudnessJudge()
        self.microphone: AudioInput = OpenInput(tone(5000, 0.5))
        self.listening = CompanionListening(
            self.services,
            self.speech,
            self.view,
            make_microphone=self._open,
            make_judge=lambda: (self.judge, FRAME_MS),
        )

    def _open(self, device: str) -> AudioInput:
        self.devices.append(device)
        return self.microphone


@pytest.fixture
def server() -> Iterator[TranscriptionServer]:
    made = TranscriptionServer()
    yield made
    made.close()


def play(home: Path, story: Callable[[Scene], Awaitable[None]]) -> Scene:
    scenes: list[Scene] = []

    async def run() -> None:
        client = HttpClient()
        scene = Scene(home, client)
        scenes.append(scene)
        try:
            await story(scene)
        finally:
            await scene.listening.aclose()
            await scene.speech.aclose()
            await client.aclose()

    asyncio.run(run())
    return scenes[0]


def test_switched_off_no_microphone_is_opened(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.listening.start()
        scene.listening.talk()
        scene.listening.end_talk()

    assert play(tmp_path, story).devices == []


def test_push_to_talk(tmp_path: Path, server: TranscriptionServer) -> None:
    async def story(scene: Scene) -> None:
        for name, value in {
            "listen": "push_to_talk",
            "listen_address": server.url,
            "listen_language": "en",
            "input_device": "Headset",
        }.items():
            scene.settings.change("voice", name, value)
        scene.listening.start()
        assert scene.devices == [], "it waits for the key"
        assert scene.listening.level == 0.0
        scene.listening.talk()
        await until(lambda: scene.listening.level > 0.0)
        await asyncio.sleep(0.05)
        assert scene.listening.phase is Phase.HEARING
        scene.listening.talk()
        scene.listening.end_talk()
        await until(lambda: "Hello there." in scene.view.lines)
        assert scene.listening.phase is Phase.CLOSED

    scene = play(tmp_path, story)
    assert scene.devices == ["Headset"]
    assert scene.view.lines == [
        "open",
        "HEARING",
        "closed",
        "RECOGNIZING",
        "Hello there.",
        "CLOSED",
    ]
    assert server.forms[0]["language"].get_payload() == "en"


def test_without_words_a_message_is_shown(tmp_path: Path, server: TranscriptionServer) -> None:
    server.body = '{"text": "  "}'

    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "listen", "push_to_talk")
        scene.settings.change("voice", "listen_address", server.url)
        scene.listening.talk()
        scene.listening.end_talk()
        await until(lambda: "nothing" in scene.view.lines)

    assert play(tmp_path, story).view.errors == []


def test_an_error_is_shown(tmp_path: Path, server: TranscriptionServer) -> None:
    server.status, server.body = 400, '{"error": {"message": "The model is not loaded."}}'

    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "listen", "push_to_talk")
        scene.listening.talk()
        scene.settings.change("voice", "listen_address", server.url)
        scene.listening.talk()
        scene.listening.end_talk()
        await until(lambda: len(scene.view.errors) == 2)
        scene.microphone = MissingInput()
        scene.listening.talk()
        await until(lambda: len(scene.view.errors) == 3)
        assert scene.listening.phase is Phase.CLOSED

    errors = play(tmp_path, story).view.errors
    assert isinstance(errors[0], NoVoiceService)
    assert "not loaded" in errors[1].detail
    assert isinstance(errors[2], NoAudioDevice)


def test_a_cancelled_recording_is_not_recognised(
    tmp_path: Path, server: TranscriptionServer
) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "listen", "push_to_talk")
        scene.settings.change("voice", "listen_address", server.url)
        scene.listening.talk()
        scene.listening.cancel()
        await until(lambda: "closed" in scene.view.lines)
        assert scene.listening.phase is Phase.CLOSED

    play(tmp_path, story)
    assert server.paths == []


def test_hands_free_listens_by_itself_and_the_key_ends_it(
    tmp_path: Path, server: TranscriptionServer
) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "listen_address", server.url)
        scene.settings.change("voice", "listen", "hands_free")
        await until(lambda: "Hello there." in scene.view.lines)
        assert scene.listening.phase is Phase.WAITING
        reference = scene.speech.reference
        assert reference is not None
        reference(bytes(320), 0.0)
        scene.listening.talk()
        assert scene.listening.phase is Phase.CLOSED
        assert scene.speech.reference is None
        scene.listening.talk()
        await until(lambda: scene.listening.phase is Phase.WAITING)
        scene.settings.change("voice", "listen", "off")
        assert scene.listening.phase is Phase.CLOSED

    scene = play(tmp_path, story)
    assert scene.judge.played == 320
    assert scene.view.lines[:3] == ["open", "WAITING", "HEARING"]


def test_hands_free_without_its_packages_says_what_to_install(tmp_path: Path) -> None:
    def missing() -> tuple[LoudnessJudge, int]:
        raise VoicePackageMissing(command="neodeskpet extras add voice")

    async def story(scene: Scene) -> None:
        scene.listening.make_judge = missing
        scene.settings.change("voice", "listen", "hands_free")
        await until(lambda: bool(scene.view.errors))

    scene = play(tmp_path, story)
    assert isinstance(scene.view.errors[0], VoicePackageMissing)
    assert scene.devices == []


def test_after_the_wake_word_it_hears_and_the_button_wakes_it(
    tmp_path: Path, server: TranscriptionServer
) -> None:
    words: list[tuple[str, Path]] = []

    def make(word: str, recorded: Path) -> tuple[LoudnessJudge, int]:
        words.append((word, recorded))
        return WakingJudge(), FRAME_MS

    async def story(scene: Scene) -> None:
        scene.listening.make_waking_judge = make
        scene.settings.change("voice", "listen_address", server.url)
        scene.settings.change("voice", "wake_word", "recorded")
        assert words == [], "nothing is loaded before it is used"
        scene.settings.change("voice", "listen", "wake_word")
        await until(lambda: "Hello there." in scene.view.lines)
        await until(lambda: scene.listening.phase is Phase.ASLEEP)
        scene.listening.talk()
        assert scene.listening.phase is Phase.WAITING
        scene.listening.talk()
        assert scene.listening.phase is Phase.CLOSED

    scene = play(tmp_path, story)
    assert words == [("recorded", tmp_path / "wake_word.json")]
    assert scene.view.lines[:3] == ["open", "ASLEEP", "WAITING"]
