"""Lines are spoken in order; nothing that was stopped is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.errors import KnownError, Unreachable
from neodeskpet.core.voice.ports import AudioDeviceLost
from neodeskpet.core.voice.speech import Synthesizer
from neodeskpet.voice.chirp import ChirpSynthesizer
from neodeskpet.voice.sound_files import RecordingOutput, VirtualClock
from neodeskpet.voice.speech_player import SpeechPlayer

RATE = 1_000


@dataclass
class ScriptedSynthesizer:
    """`seconds` for each line; the samples identify the line."""

    rate: int = RATE
    fails: bool = False
    seconds: float = 0.1
    made: list[str] = field(default_factory=list)

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        if self.fails:
            raise Unreachable
        self.made.append(text)
        number = int(text.split()[-1])
        for _ in range(2):
            await asyncio.sleep(0)
            yield number.to_bytes(2, "little") * int(RATE * self.seconds / 2)


async def until_task(happened: Callable[[], bool]) -> None:
    """Let other tasks run until it has happened."""
    for _ in range(2_000):
        if happened():
            return
        await asyncio.sleep(0)
    raise AssertionError("it didn't happen")


class Scene:
    def __init__(self, synthesizer: Synthesizer | None) -> None:
        self.synthesizer = synthesizer
        self.clock = VirtualClock()
        self.finished = 0
        self.started: list[float] = []
        """The times at which sound began after silence."""
        self.failures: list[KnownError] = []
        self.use(RecordingOutput(self.clock, RATE))

    def use(self, output: RecordingOutput) -> None:
        self.output = output
        self.player = SpeechPlayer(
            output,
            lambda: self.synthesizer,
            on_finished=self._finish,
            on_failed=self.failures.append,
            on_started=lambda: self.started.append(self.clock.now),
            sleep=self._sleep,
        )

    def _finish(self) -> None:
        self.finished += 1

    async def _sleep(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await asyncio.sleep(0)

    async def settle(self) -> None:
        for _ in range(2_000):
            await asyncio.sleep(0)
            if not self.player.is_speaking:
                return

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


def test_the_first_sound_after_silence_is_reported() -> None:
    async def story(scene: Scene) -> None:
        scene.player.speak("line 1")
        assert scene.started == []
        scene.player.speak("line 2")
        await scene.settle()
        assert scene.started == [0.0], "once for both lines, before time has passed"
        scene.player.speak("line 3")
        await scene.settle()
        assert len(scene.started) == 2

    play(story)


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


def test_after_a_stop_it_is_silent_and_reports_no_end() -> None:
    async def story(scene: Scene) -> None:
        scene.player.speak("line 1")
        await asyncio.sleep(0)
        scene.player.stop()
        scene.player.speak("line 2")
        await scene.settle()

    scene = play(story)
    assert scene.heard() == [2]
    assert scene.finished == 1


def test_switched_off_or_without_text_it_does_not_speak() -> None:
    async def story(scene: Scene) -> None:
        assert not scene.player.speak("🎉")
        scene.synthesizer = None
        assert not scene.player.speak("line 1")
        await scene.settle()

    assert play(story).heard() == []


def test_a_failing_service_is_reported_once_and_not_asked_again() -> None:
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


class BrokenSynthesizer(ScriptedSynthesizer):
    """Gives 0.05 seconds, then raises `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        self.made.append(text)
        yield b"\1\0" * (RATE // 20)
        raise self.error


def test_a_service_that_fails_in_a_sentence_ends_after_the_received_sound() -> None:
    async def story(scene: Scene) -> None:
        scene.player.speak("line 1")
        scene.player.speak("line 2")
        await scene.settle()
        assert not scene.player.is_speaking
        assert scene.output.position == 0.0, "a new generation"

    scene = play(story, BrokenSynthesizer(Unreachable()))
    assert [type(error) for error in scene.failures] == [Unreachable]
    assert scene.finished == 1
    assert scene.heard() == [1]
    assert bytes(scene.output.recorded).count(b"\1\0") == RATE // 20


def test_after_a_bug_it_stops_speaking() -> None:
    reported: list[object] = []

    async def story(scene: Scene) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: reported.append(context["exception"]))
        scene.player.speak("line 1")
        await scene.settle()
        assert not scene.player.is_speaking
        assert not scene.player.speak("line 2")

    scene = play(story, BrokenSynthesizer(ZeroDivisionError()))
    assert [type(one) for one in reported] == [ZeroDivisionError]
    assert scene.finished == 1


class LostOutput(RecordingOutput):
    """It is unplugged after 0.05 seconds: its position doesn't grow any more."""

    @property
    def position(self) -> float:
        return min(super().position, 0.05)


def test_a_device_that_is_lost_in_a_line_is_reported_and_the_text_continues() -> None:
    scene = Scene(ScriptedSynthesizer())
    scene.use(LostOutput(scene.clock, RATE))

    async def run() -> None:
        scene.player.speak("line 1")
        scene.player.speak("line 2")
        for _ in range(20):
            await scene.settle()
        assert not scene.player.is_speaking
        await scene.player.aclose()

    asyncio.run(run())
    assert [type(error) for error in scene.failures] == [AudioDeviceLost]
    assert scene.finished == 1
    assert scene.clock.now < 4.0


class UnevenSynthesizer(ScriptedSynthesizer):
    """Pieces whose lengths in seconds have no exact sum."""

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        self.made.append(text)
        for _ in range(10):
            yield b"\1\0" * (RATE // 10)


def test_sound_that_was_played_to_its_end_is_no_lost_device() -> None:
    async def story(scene: Scene) -> None:
        for number in range(1, 4):
            scene.player.speak(f"line {number}")
        await scene.settle()
        assert not scene.player.is_speaking

    scene = play(story, UnevenSynthesizer())
    assert scene.failures == []
    assert scene.finished == 1


def test_no_sentence_is_made_long_before_it_is_played() -> None:
    synthesizer = ScriptedSynthesizer(seconds=5.0)

    async def story(scene: Scene) -> None:
        for number in range(1, 6):
            scene.player.speak(f"line {number}")
        await until_task(lambda: len(synthesizer.made) == 2)
        for _ in range(30):
            await asyncio.sleep(0)
        assert scene.clock.now < 1.0
        assert synthesizer.made == ["line 1", "line 2"]
        await scene.settle()

    assert play(story, synthesizer).heard() == [1, 2, 3, 4, 5]


def test_after_a_pause_the_sentence_starts_again() -> None:
    synthesizer = ScriptedSynthesizer(seconds=1.0)

    async def story(scene: Scene) -> None:
        scene.player.speak("The first line is 1")
        scene.player.speak("The second line is 2")
        await until_task(lambda: scene.output.position > 1.5)
        scene.player.pause()
        assert scene.player.heard == "The first line is 1 The second"
        assert scene.player.speak("The third line is 3"), "it waits for its turn"
        scene.output.take()
        scene.clock.advance(3.0)
        assert not any(scene.output.take())
        scene.player.resume()
        await scene.settle()
        assert scene.player.heard == "The first line is 1 The second line is 2 The third line is 3"

    scene = play(story, synthesizer)
    assert synthesizer.made[-2:] == ["The second line is 2", "The third line is 3"]
    assert scene.finished == 1


def test_the_mouth_is_open_while_there_is_sound_and_closed_at_once_after_a_stop() -> None:
    async def story(scene: Scene) -> None:
        assert scene.player.mouth_level is None
        scene.player.speak("line 5000")
        await until_task(lambda: scene.output.position > 0.02)
        level = scene.player.mouth_level
        assert level is not None
        assert level > 0.8
        scene.player.stop()
        assert scene.player.mouth_level is None

    play(story)


@given(st.lists(st.sampled_from(["speak", "stop", "wait"]), max_size=30))
def test_nothing_from_before_a_stop_is_played_after_it(acts: list[str]) -> None:
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
