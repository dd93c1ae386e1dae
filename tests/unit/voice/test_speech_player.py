"""Lines are spoken in order; nothing of what was stopped is heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.errors import KnownError, Unreachable
from neodeskpet.core.voice.speech import Synthesizer
from neodeskpet.voice.chirp import ChirpSynthesizer
from neodeskpet.voice.sound_files import RecordingOutput, VirtualClock
from neodeskpet.voice.speech_player import SpeechPlayer

RATE = 1_000


@dataclass
class ScriptedSynthesizer:
    """0.1 seconds for each line; the samples name the line."""

    rate: int = RATE
    fails: bool = False
    made: list[str] = field(default_factory=list)

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        if self.fails:
            raise Unreachable
        self.made.append(text)
        number = int(text.split()[-1])
        for _ in range(2):
            await asyncio.sleep(0)
            yield number.to_bytes(2, "little") * (RATE // 20)


class Scene:
    def __init__(self, synthesizer: Synthesizer | None) -> None:
        self.synthesizer = synthesizer
        self.clock = VirtualClock()
        self.output = RecordingOutput(self.clock, RATE)
        self.finished = 0
        self.failures: list[KnownError] = []
        self.player = SpeechPlayer(
            self.output,
            lambda: self.synthesizer,
            on_finished=self._finish,
            on_failed=self.failures.append,
            sleep=self._sleep,
        )

    def _finish(self) -> None:
        self.finished += 1

    async def _sleep(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await asyncio.sleep(0)

    async def settle(self) -> None:
        for _ in range(200):
            await asyncio.sleep(0)

    def heard(self) -> list[int]:
        """The lines of which anything was played, in order."""
        self.output.take()
        data = bytes(self.output.recorded)
        numbers = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
        return list(dict.fromkeys(number for number in numbers if number))


def play(
    story: Callable[[Scene], Awaitable[None]], synthesizer: Synthesizer | None = None
) -> Scene:
    scene = Scene(synthesizer or ScriptedSynthesizer())

    async def run() -> None:
        await story(scene)
        await scene.player.aclose()

    asyncio.run(run())
    return scene


def test_lines_are_played_in_order_and_the_end_is_reported_once() -> None:
    async def story(scene: Scene) -> None:
        assert scene.player.speak("line 1")
        assert scene.player.speak("line 2")
        await scene.settle()
        assert not scene.player.is_speaking

    scene = play(story)
    assert scene.heard() == [1, 2]
    assert scene.finished == 1


def test_the_next_line_is_made_while_one_plays() -> None:
    synthesizer = ScriptedSynthesizer()

    async def story(scene: Scene) -> None:
        scene.player.speak("line 1")
        scene.player.speak("line 2")
        for _ in range(50):
            if len(synthesizer.made) == 2:
                break
            await asyncio.sleep(0)
        assert synthesizer.made == ["line 1", "line 2"]
        assert scene.output.position < 0.1, "the first one is still playing"

    play(story, synthesizer)


def test_stopped_it_is_silent_and_says_nothing_of_it() -> None:
    async def story(scene: Scene) -> None:
        scene.player.speak("line 1")
        await asyncio.sleep(0)
        scene.player.stop()
        scene.player.speak("line 2")
        await scene.settle()

    scene = play(story)
    assert scene.heard() == [2]
    assert scene.finished == 1


def test_off_or_with_nothing_to_say_it_does_not_speak() -> None:
    async def story(scene: Scene) -> None:
        assert not scene.player.speak("🎉")
        scene.synthesizer = None
        assert not scene.player.speak("line 1")
        await scene.settle()

    assert play(story).heard() == []


def test_a_service_that_fails_is_reported_once_and_not_asked_again() -> None:
    synthesizer = ScriptedSynthesizer(fails=True)

    async def story(scene: Scene) -> None:
        assert scene.player.speak("line 1")
        await scene.settle()
        assert not scene.player.speak("line 2")
        synthesizer.fails = False
        scene.player.reset()
        assert scene.player.speak("line 3")
        await scene.settle()

    scene = play(story, synthesizer)
    assert [type(error) for error in scene.failures] == [Unreachable]
    assert scene.finished == 2
    assert scene.heard() == [3]


@given(st.lists(st.sampled_from(["speak", "stop", "wait"]), max_size=30))
def test_nothing_of_before_a_stop_is_heard_after_it(acts: list[str]) -> None:
    allowed: set[int] = set()

    async def story(scene: Scene) -> None:
        number = 0
        for act in acts:
            if act == "speak":
                number += 1
                scene.player.speak(f"line {number}")
                allowed.add(number)
            elif act == "stop":
                scene.player.stop()
                scene.heard()
                scene.output.recorded.clear()
                allowed.clear()
            else:
                scene.clock.advance(0.03)
                await asyncio.sleep(0)
        await scene.settle()

    scene = play(story)
    heard = scene.heard()
    assert set(heard) <= allowed
    assert heard == sorted(heard)


@pytest.mark.parametrize("text", ["Hello, is anybody there?", "你好，世界", "42"])
def test_chirps_are_short_and_not_silent(text: str) -> None:
    async def make() -> bytes:
        return b"".join([piece async for piece in ChirpSynthesizer().synthesize(text)])

    pcm = asyncio.run(make())
    assert any(pcm)
    assert 0.1 < len(pcm) / 2 / ChirpSynthesizer.rate < 3.0
