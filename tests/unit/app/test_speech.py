"""The bubble's lines are spoken according to the settings; a failure never delays the text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import LocalEngines, NoVoiceService, VoiceServices
from neodeskpet.characters.cards.character_card import USUAL_VOICE, CharacterVoice
from neodeskpet.core.costs import RequestCost
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.ports import NoAudioDevice, Played
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from neodeskpet.voice.sound_files import RecordingOutput, VirtualClock
from neodeskpet.voice.synthesizers.kokoro import KokoroEngine
from tests.support.scenario import until
from tests.support.speech_server import SpeechServer


class Output(RecordingOutput):
    """A device that plays as fast as its position is read."""

    def __init__(self, *, missing: bool = False) -> None:
        self.clock = VirtualClock()
        super().__init__(self.clock, 24_000)
        self.missing = missing
        self.closed = False
        self.volumes: list[float] = []

    def play(self, generation: int, pcm: bytes) -> None:
        if self.missing:
            raise NoAudioDevice(device="x")
        super().play(generation, pcm)

    @property
    def position(self) -> float:
        self.clock.advance(0.5)
        return super().position

    def set_volume(self, volume: float) -> None:
        self.volumes.append(volume)
        super().set_volume(volume)

    def close(self) -> None:
        self.closed = True


class Scene:
    def __init__(self, home: Path, output: Output, client: HttpClient) -> None:
        self.settings = SettingsStore(home / "settings.json")
        self.output = output
        self.devices: list[str] = []
        self.finished = 0
        self.failures: list[KnownError] = []
        self.now = 0.0
        self.quiet = False
        self.shared = False
        self.style = USUAL_VOICE
        self.spent: list[RequestCost] = []
        self.services = services = VoiceServices(
            self.settings, Secrets(home / "secrets.json"), client, count=self.spent.append
        )
        self.speech = CompanionSpeech(
            services,
            on_failed=self.failures.append,
            make_output=self._make,
            is_quiet=lambda: self.quiet,
            style=lambda: self.style,
            clock=lambda: self.now,
            idle=0.01,
            read_shared=lambda: self.shared,
        )
        self.speech.on_finished = self._finish
        self.active: list[bool] = []
        self.speech.on_active = self.active.append

    def _make(self, device: str, on_played: Played) -> Output:
        self.on_played = on_played
        self.devices.append(device)
        return self.output

    def _finish(self) -> None:
        self.finished += 1


def play(
    home: Path, story: Callable[[Scene], Awaitable[None]], output: Output | None = None
) -> Scene:
    scenes: list[Scene] = []

    async def run() -> None:
        client = HttpClient()
        scene = Scene(home, output or Output(), client)
        scenes.append(scene)
        try:
            await story(scene)
        finally:
            await scene.speech.aclose()
            await client.aclose()

    asyncio.run(run())
    return scenes[0]


def test_switched_off_nothing_is_opened(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        assert not scene.speech.speak("Hello", is_reply=True)
        scene.speech.stop()

    assert play(tmp_path, story).devices == []


def test_the_app_is_active_only_around_speech(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        assert not scene.speech.speak("Hello", is_reply=True)
        assert scene.active == [], "nothing is watched while speaking is off"
        scene.settings.change("voice", "speak", "chirp")
        assert scene.speech.speak("Hello there", is_reply=True)
        assert scene.active == [True]
        await until(lambda: scene.output.closed)
        assert scene.active == [True, False]
        assert scene.speech.speak("Again", is_reply=True)
        assert scene.active == [True, False, True]

    play(tmp_path, story)


def test_tones(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        assert scene.speech.speak("Hello there", is_reply=True)
        await until(lambda: scene.finished == 1)

    scene = play(tmp_path, story)
    assert any(scene.output.recorded)
    assert scene.output.closed


def test_a_service_is_requested_with_voice_and_speed(tmp_path: Path) -> None:
    server = SpeechServer()

    async def story(scene: Scene) -> None:
        for name, value in {
            "speak": "service",
            "address": server.url,
            "voice": "nova",
            "speed": 1.5,
        }.items():
            scene.settings.change("voice", name, value)
        assert scene.speech.speak("Good morning 😀", is_reply=True)
        await until(lambda: scene.finished == 1)
        scene.style = CharacterVoice("shimmer", speed=1.2, pitch=0.8, volume=0.5)
        assert scene.speech.speak("Of the character", is_reply=True)
        await until(lambda: scene.finished == 2)

    try:
        scene = play(tmp_path, story)
    finally:
        server.close()
    assert [(one.model, one.purpose) for one in scene.spent] == [("tts-1", "speech")] * 2
    ((_, _, body), (_, _, other)) = server.requests
    assert other["voice"] == "shimmer"
    assert other["speed"] == 2.25, "0.8 times the pitch makes it slower by that"
    assert scene.output.volumes == [0.8, 0.4]
    assert (body["input"], body["voice"], body["speed"]) == ("Good morning", "nova", 1.5)


def test_without_a_device_it_says_so_once_and_the_text_continues(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        for _ in range(2):
            assert scene.speech.speak("Hello there", is_reply=True)
            await until(lambda: not scene.speech.is_speaking)
            assert not scene.speech.speak("Hello again", is_reply=True), (
                "it is tried again after a minute"
            )
            scene.now += 61
        scene.output.missing = False
        assert scene.speech.speak("Hello there", is_reply=True)
        await until(lambda: not scene.speech.is_speaking)

    scene = play(tmp_path, story, Output(missing=True))
    assert [type(error) for error in scene.failures] == [NoAudioDevice]
    assert scene.finished == 3
    assert any(scene.output.recorded)


def test_without_a_service_it_says_what_to_do(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "service")
        assert not scene.speech.speak("Hello", is_reply=True)
        assert not scene.speech.speak("Hello", is_reply=True)

    assert [type(one) for one in play(tmp_path, story).failures] == [NoVoiceService]


def test_another_speaker_is_used_for_the_next_line(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.speak("Hello there", is_reply=True)
        scene.settings.change("voice", "output_device", "Headphones")
        assert not scene.speech.is_speaking
        scene.speech.speak("Hello there", is_reply=True)
        await until(lambda: not scene.speech.is_speaking)

    scene = play(tmp_path, story)
    assert scene.devices == ["", "Headphones"]
    assert scene.finished == 2


def test_after_a_pause_it_continues_from_the_start_of_the_sentence(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.begin_reply()
        scene.speech.speak("This is the first one. This is the second one.", is_reply=True)
        await until(lambda: "first one." in scene.speech.heard)
        assert scene.speech.mouth_level is not None
        scene.speech.set_ducked(True)
        scene.speech.pause()
        assert scene.speech.mouth_level is None
        assert scene.speech.is_speaking
        assert scene.speech.heard.startswith("This is the first one.")
        scene.speech.set_ducked(False)
        scene.speech.resume()
        await until(lambda: scene.finished == 1)
        assert scene.speech.heard == "This is the first one. This is the second one."
        scene.speech.begin_reply()
        assert scene.speech.heard == ""

    play(tmp_path, story)


def test_the_offline_voice_is_loaded_when_a_reply_begins(tmp_path: Path) -> None:
    class Engine(KokoroEngine):
        warmed = 0

        async def warm_up(self) -> None:
            self.warmed += 1

    async def story(scene: Scene) -> None:
        engine = Engine()
        services = replace(scene.services, local=LocalEngines(engine))
        speech = CompanionSpeech(
            services, on_failed=scene.failures.append, is_quiet=lambda: scene.quiet
        )
        speech.begin_reply()
        scene.settings.change("voice", "speak", "local")
        scene.quiet = True
        speech.begin_reply()
        await asyncio.sleep(0)
        assert engine.warmed == 0
        scene.quiet = False
        speech.begin_reply()
        await until(lambda: engine.warmed == 1)
        await speech.aclose()

    play(tmp_path, story)


def test_a_paused_reply_is_not_spoken_after_the_next_one_has_begun(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.begin_reply()
        scene.speech.speak("This is the first one. This is the second one.", is_reply=True)
        await until(lambda: "first one." in scene.speech.heard)
        scene.speech.pause()
        scene.speech.begin_reply()
        scene.speech.speak("Here is the answer.", is_reply=True)
        scene.speech.resume()
        await until(lambda: scene.finished == 1)
        assert scene.speech.heard == "Here is the answer."

    play(tmp_path, story)


def test_on_a_locked_screen_it_waits(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.begin_reply()
        scene.speech.speak("This is the first one. This is the second one.", is_reply=True)
        await until(lambda: "first one." in scene.speech.heard)
        scene.speech.hold(True)
        assert not scene.speech.is_audible
        assert not scene.speech.speak("Nobody hears this.", is_reply=True)
        scene.speech.resume()
        assert not scene.speech.is_audible, "the screen is still locked"
        scene.speech.hold(False)
        await until(lambda: scene.finished == 1)
        assert scene.speech.heard == "This is the first one. This is the second one."
        assert scene.speech.speak("Hello.", is_reply=True)

    play(tmp_path, story)


def test_after_silencing_it_speaks_again_with_the_next_reply(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.begin_reply()
        assert scene.speech.speak("Hello there", is_reply=True)
        await until(lambda: scene.speech.heard != "")
        scene.speech.silence()
        assert not scene.speech.is_speaking
        assert scene.finished == 1
        assert not scene.speech.speak("The rest of it", is_reply=True)
        assert scene.speech.speak("A timer rings", is_reply=False)
        scene.speech.begin_reply()
        assert scene.speech.speak("Hello again", is_reply=True)

    play(tmp_path, story)


def test_remarks_are_spoken_if_that_is_wanted(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.settings.change("voice", "remarks", False)
        assert not scene.speech.speak("A timer rings", is_reply=False)
        assert scene.speech.speak("Hello", is_reply=True)

    play(tmp_path, story)


def test_played_sound_is_passed_to_echo_cancellation_at_its_rate(tmp_path: Path) -> None:
    heard: list[tuple[int, float]] = []

    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.speak("Hello", is_reply=True)
        scene.on_played(bytes(480), 1.0)
        scene.speech.reference = lambda pcm, at: heard.append((len(pcm), at))
        scene.on_played(bytes(480), 2.0)

    play(tmp_path, story)
    assert heard == [(320, 2.0)]


def test_in_quiet_mode_it_reads_only_text_that_the_user_chose(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.speak("Hello there", is_reply=True)
        scene.settings.change("companion", "quiet", True)
        assert not scene.speech.is_speaking
        scene.quiet = True
        scene.speech.begin_reply()
        assert not scene.speech.speak("Hello again", is_reply=True)
        scene.speech.read_aloud(["Read this"])
        assert scene.speech.is_reading
        await until(lambda: not scene.speech.is_speaking)
        assert not scene.speech.is_reading

    play(tmp_path, story)


def test_reading_aloud_without_a_service_says_what_to_do(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.speech.read_aloud(["Read this"])
        await until(lambda: bool(scene.failures))

    assert [type(one) for one in play(tmp_path, story).failures] == [NoVoiceService]


@pytest.mark.parametrize("change", [("speak", "off"), ("volume", 0.1)])
def test_a_change_of_the_settings_takes_effect_at_once(
    tmp_path: Path, change: tuple[str, object]
) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.speech.speak("Hello there", is_reply=True)
        scene.settings.change("voice", *change)
        assert scene.speech.speak("Again", is_reply=True) is (change[1] != "off")
        await until(lambda: scene.finished == 1)

    play(tmp_path, story)


def test_nothing_is_spoken_by_itself_while_the_screen_is_shared(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.shared = True
        scene.speech.begin_reply()
        await until(lambda: scene.speech.is_silent)
        assert not scene.speech.speak("A secret.", is_reply=True)
        assert scene.devices == []
        scene.speech.read_aloud(["Chosen by the user."])
        assert scene.devices == [""]
        scene.speech.stop()
        scene.shared = False
        scene.speech.begin_reply()
        await until(lambda: not scene.speech.is_silent)
        assert scene.speech.speak("No secret.", is_reply=True)

    play(tmp_path, story)


def test_a_screen_that_is_shared_while_it_speaks_silences_it(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.shared = True
        assert scene.speech.speak("A reminder.", is_reply=False)
        await until(lambda: scene.speech.is_silent and not scene.speech.is_speaking)
        assert not scene.speech.speak("Another one.", is_reply=False)

    play(tmp_path, story)


def test_an_expression_waits_for_the_sound_of_its_reply(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        speech, done = scene.speech, list[str]()
        speech.when_heard(lambda: done.append("off"))
        assert done == ["off"], "nothing is spoken"
        scene.settings.change("voice", "speak", "chirp")
        speech.begin_reply()
        speech.when_heard(lambda: done.append("first"))
        assert done == ["off"]

        def started() -> None:
            done.append("sound")
            speech.when_heard(lambda: done.append("heard already"))

        speech.on_started = started
        assert speech.speak("Hello there", is_reply=True)
        assert done == ["off"], "the sound isn't ready"
        await until(lambda: len(done) > 1)
        assert done == ["off", "first", "sound", "heard already"]
        await until(lambda: scene.finished == 1)
        speech.when_heard(lambda: done.append("of a reply without text"))
        assert done[-1] == "heard already"
        speech.end_reply()
        assert done[-1] == "of a reply without text"
        speech.when_heard(lambda: done.append("silenced"))
        speech.silence()
        assert done[-1] == "silenced"

    play(tmp_path, story)


def test_a_device_that_is_connected_again_is_used_for_the_next_reply(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "chirp")
        scene.output.missing = True
        assert scene.speech.speak("Hello there", is_reply=True)
        await until(lambda: scene.finished == 1)
        scene.output.missing = False
        assert not scene.speech.speak("The same reply goes on silently.", is_reply=True)
        scene.speech.begin_reply()
        assert scene.speech.speak("The next reply", is_reply=True)
        await until(lambda: scene.finished == 2)
        assert [one.code for one in scene.failures] == ["no_audio_device"]

    play(tmp_path, story)


def test_an_address_is_not_spoken(tmp_path: Path) -> None:
    server = SpeechServer()

    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "speak", "service")
        scene.settings.change("voice", "address", server.url)
        assert scene.speech.speak("Look at (link) for more.", is_reply=True)
        await until(lambda: scene.finished == 1)

    try:
        play(tmp_path, story)
    finally:
        server.close()
    ((_, _, body),) = server.requests
    assert body["input"] == "Look at for more."
