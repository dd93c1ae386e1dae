"""The character's sounds are played with its acts, and never when they would disturb."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from neodeskpet.app.figure_sounds import FigureSounds
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.characters.cards.character_card import CharacterVoice
from neodeskpet.core.voice.ports import NoAudioDevice, Played
from neodeskpet.figure.behaviour.idling import Liveliness
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from tests.support.scenario import until


class Output:
    """A device that counts what it gets."""

    rate = 24_000
    position = 0.0

    def __init__(self, name: str, *, missing: bool = False) -> None:
        self.name = name
        self.missing = missing
        self.volume = 1.0
        self.played: list[bytes] = []
        self.stops = 0
        self.closed = False

    def play(self, generation: int, pcm: bytes) -> None:
        if self.missing:
            raise NoAudioDevice(device=self.name)
        self.played.append(pcm)

    def stop(self) -> int:
        self.stops += 1
        return self.stops

    def set_volume(self, volume: float) -> None:
        self.volume = volume

    def close(self) -> None:
        self.closed = True


class Scene:
    def __init__(self, home: Path, client: HttpClient) -> None:
        self.settings = SettingsStore(home / "settings.json")
        self.settings.change("companion", "character_sounds", True)
        self.now = 0.0
        self.hushed = self.shared = self.missing = False
        self.liveliness = Liveliness.NORMAL
        self.outputs: list[Output] = []
        services = VoiceServices(self.settings, Secrets(home / "secrets.json"), client)
        self.speech = CompanionSpeech(
            services, on_failed=lambda error: None, style=lambda: CharacterVoice(volume=0.5)
        )
        self.sounds = FigureSounds(
            self.settings,
            self.speech,
            is_hushed=lambda: self.hushed,
            read_shared=lambda: self.shared,
            liveliness=lambda: self.liveliness,
            clock=lambda: self.now,
            idle=0.3,
        )
        self.sounds.make_output = self._make

    def _make(self, device: str, _on_played: Played) -> Output:
        self.outputs.append(Output(device, missing=self.missing))
        return self.outputs[-1]

    @property
    def played(self) -> list[bytes]:
        return [pcm for output in self.outputs for pcm in output.played]

    async def rest(self) -> None:
        """Wait until nothing goes on."""
        await self.sounds.wait_until_silent()


def play(home: Path, story: Callable[[Scene], Awaitable[None]]) -> Scene:
    scenes: list[Scene] = []

    async def run() -> None:
        client = HttpClient()
        scene = Scene(home, client)
        scenes.append(scene)
        try:
            await story(scene)
        finally:
            await scene.sounds.aclose()
            await scene.speech.aclose()
            await client.aclose()

    asyncio.run(run())
    return scenes[0]


def test_an_act_is_heard_with_the_volume_of_the_voice(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("voice", "volume", 0.6)
        scene.sounds.act(("tapbody", "giggle"))
        await until(lambda: bool(scene.played))
        (output,) = scene.outputs
        assert output.volume == pytest.approx(0.3)
        assert any(output.played[0])
        await until(lambda: output.closed)

    play(tmp_path, story)


def test_the_device_of_the_voice_is_used_and_followed(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        for now, device in enumerate(("", "Headphones")):
            scene.settings.change("voice", "output_device", device)
            scene.now = 100.0 * now
            scene.sounds.act(("land",))
            await until(lambda: len(scene.played) == now + 1)  # noqa: B023 - awaited here
            await scene.rest()
        assert [output.name for output in scene.outputs] == ["", "Headphones"]
        assert scene.outputs[0].closed

    play(tmp_path, story)


def test_switched_off_hushed_or_shared_it_is_silent(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.settings.change("companion", "character_sounds", False)
        scene.sounds.act(("giggle",))
        scene.settings.change("companion", "character_sounds", True)
        scene.hushed = True
        scene.sounds.act(("giggle",))
        await scene.rest()
        assert scene.outputs == [], "nothing was opened"
        scene.hushed, scene.shared = False, True
        scene.sounds.act(("giggle",))
        await scene.rest()
        scene.now, scene.shared = 100.0, False
        scene.sounds.act(("sneeze",))
        scene.hushed = True
        await scene.rest()
        assert scene.outputs == [], "hushed between the start of the act and its sound"
        scene.now, scene.hushed, scene.liveliness = 200.0, False, Liveliness.CALM
        scene.sounds.act(("yawn",))
        await scene.rest()

    assert play(tmp_path, story).outputs == []


def test_a_sound_ends_when_the_companion_begins_to_speak(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.sounds.act(("purr",))
        await until(lambda: bool(scene.played))
        before = scene.outputs[0].stops
        scene.hushed = True
        await until(lambda: scene.outputs[0].stops > before)

    play(tmp_path, story)


def test_without_a_device_it_stays_silent_for_a_minute(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        scene.missing = True
        scene.sounds.act(("giggle",))
        await until(lambda: bool(scene.outputs))
        await scene.rest()
        scene.now, scene.missing = 30.0, False
        scene.sounds.act(("giggle",))
        await scene.rest()
        assert len(scene.outputs) == 1
        scene.now = 70.0
        scene.sounds.act(("giggle",))
        await until(lambda: bool(scene.played))

    play(tmp_path, story)
