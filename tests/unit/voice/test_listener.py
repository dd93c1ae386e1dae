"""The listener with recorded devices: transcripts of what is heard, spoken and stopped."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import ListeningState, ListenMode
from neodeskpet.core.voice.ports import (
    FRAME_BYTES,
    FRAME_MS,
    LISTEN_RATE,
    AudioDeviceLost,
    Transcript,
    VoiceError,
)
from neodeskpet.voice.listener import Listener, SpeechJudge
from neodeskpet.voice.sound_files import RecordedInput, RecordingOutput, VirtualClock
from tests.support.sounds import WakingJudge

LOUD, QUIET = array("h", [5000]).tobytes(), array("h", [0]).tobytes()


def sound(*parts: tuple[bytes, int]) -> bytes:
    """Samples for that many milliseconds."""
    return b"".join(sample * (LISTEN_RATE * ms // 1000) for sample, ms in parts)


class LoudnessJudge:
    """Regards each loud frame as speech."""

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        return frame, [max(array("h", frame)) > 1000]


class LostInput(RecordedInput):
    """It is unplugged when the recording ends. Other tasks run between its frames."""

    async def frames(self) -> AsyncGenerator[bytes, None]:
        async for frame in super().frames():
            await asyncio.sleep(0)
            yield frame
        raise AudioDeviceLost


class ThreadedRecording(RecordedInput):
    """Its frames are read while the event loop has not executed any command."""

    def __init__(self, pcm: bytes, clock: VirtualClock) -> None:
        super().__init__(pcm, clock)
        self.taken: Callable[[], None] = lambda: None

    async def hear(self, take: Callable[[bytes, float], object]) -> AsyncGenerator[None, None]:
        async for frame in self.frames():
            take(frame, 0.0)
        self.taken()
        yield


class ScriptedRecognizer:
    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.heard_ms: list[int] = []

    async def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        self.heard_ms.append(len(pcm) * FRAME_MS // FRAME_BYTES)
        text = self._texts.pop(0)
        if text == "fail":
            raise VoiceError("no model")
        if text:
            yield Transcript(text[:2], is_final=False)
        yield Transcript(text, is_final=True)


class EarlyScriptedRecognizer(ScriptedRecognizer):
    """It costs nothing, so it is asked before an utterance has certainly ended."""

    warmed = 0

    async def warm_up(self) -> None:
        self.warmed += 1


class Speech:
    """The companion's speech on a recorded output, at full volume."""

    def __init__(self, output: RecordingOutput) -> None:
        self._output = output
        self.is_audible = False
        self.volume = 1.0

    def set_ducked(self, ducked: bool) -> None:
        self._set_volume(0.3 if ducked else 1.0)

    def mute(self) -> None:
        self._set_volume(0.0)

    def pause(self) -> None:
        self._output.stop()
        self._set_volume(1.0)
        self.is_audible = False

    def _set_volume(self, volume: float) -> None:
        self.volume = volume
        self._output.set_volume(volume)


class Log:
    """The reported events, with the milliseconds of the clock."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(f"{round(self._clock.now * 1000)} {line}")

    def microphone_changed(self, is_open: bool) -> None:
        self.note("open" if is_open else "closed")

    def text_changed(self, text: str, is_final: bool) -> None:
        self.note(f"{'said' if is_final else 'partial'} {text}")

    def speech_interrupted(self) -> None:
        self.note("interrupted")

    def sentence_resumed(self) -> None:
        self.note("resumed")

    def nothing_heard(self) -> None:
        self.note("nothing")

    def phase_changed(self) -> None:
        """The other lines report it."""

    def failed(self, error: KnownError) -> None:
        self.note(f"failed {error.code}")


class Stage:
    def __init__(self, pcm: bytes, *texts: str, lost: bool = False) -> None:
        self.clock = VirtualClock()
        self.log = Log(self.clock)
        self.output = RecordingOutput(self.clock)
        self.speech = Speech(self.output)
        self.recognizer = ScriptedRecognizer(*texts)
        self.microphone = (LostInput if lost else RecordedInput)(pcm, self.clock)
        self.tasks: list[asyncio.Task[None]] = []

    def listener(self, mode: ListenMode, judge: SpeechJudge | None = None) -> Listener:
        def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
            self.tasks.append(asyncio.get_running_loop().create_task(work, name=name))
            return self.tasks[-1]

        return Listener(
            ListeningState(mode, FRAME_MS),
            self.microphone,
            self.recognizer,
            self.speech,
            self.log,
            judge=judge or LoudnessJudge(),
            spawn=spawn,
        )

    async def settle(self) -> None:
        """Wait until nothing runs."""
        for _ in range(10):
            await asyncio.gather(*self.tasks, return_exceptions=True)

    def run_hands_free(self, *, speaking: bool = False) -> list[str]:
        async def go() -> None:
            listener = self.listener(ListenMode.HANDS_FREE)
            if speaking:
                self.output.play(0, array("h", [9000] * LISTEN_RATE * 5).tobytes())
                self.speech.is_audible = True
            listener.start()
            await self.settle()
            await listener.aclose()

        asyncio.run(go())
        return self.log.lines


def test_a_sentence_is_recognized_with_the_sound_before_it() -> None:
    stage = Stage(sound((QUIET, 500), (LOUD, 1000), (QUIET, 800)), "Hello")
    lines = stage.run_hands_free()
    assert lines == ["0 open", "2300 partial He", "2300 said Hello", "2300 closed"]
    assert stage.recognizer.heard_ms == [300 + 1000 + 700]


def test_a_local_recognizer_begins_in_the_first_silence() -> None:
    pcm = sound((LOUD, 1000), (QUIET, 400), (LOUD, 500), (QUIET, 800))
    stage = Stage(pcm, lost=True)
    recognizer = EarlyScriptedRecognizer("Hello", "Hello there")
    stage.recognizer = recognizer
    lines = stage.run_hands_free()
    assert recognizer.heard_ms == [1000 + 240, 1000 + 400 + 500 + 240]
    assert recognizer.warmed == 1
    said = [line.split(" ", 1)[1] for line in lines]
    assert said[:-2] == ["open", "partial He", "partial He", "said Hello there"]


def test_an_early_failure_is_reported_when_the_utterance_has_ended() -> None:
    stage = Stage(sound((LOUD, 1000), (QUIET, 300), (LOUD, 300), (QUIET, 800)))
    stage.recognizer = EarlyScriptedRecognizer("fail", "fail")
    said = [line.split(" ", 1)[1] for line in stage.run_hands_free()]
    assert said == ["open", "failed voice", "closed"]


def test_switched_off_an_early_recognition_is_dropped() -> None:
    stage = Stage(sound((LOUD, 1000), (QUIET, 300)), lost=True)
    stage.recognizer = EarlyScriptedRecognizer("Hello")
    said = [line.split(" ", 1)[1] for line in stage.run_hands_free()]
    assert said == ["open", "partial He", "closed", "failed audio_device_lost"]


def test_barge_in_is_silent_at_once_and_marks_the_reply() -> None:
    stage = Stage(sound((QUIET, 500), (LOUD, 600), (QUIET, 800)), "Wait")
    lines = stage.run_hands_free(speaking=True)
    assert lines[-3:] == ["1900 interrupted", "1900 said Wait", "1900 closed"]
    stage.output.take()
    played = array("h", bytes(stage.output.recorded))
    level = {ms: played[LISTEN_RATE * ms // 1000] for ms in (400, 530, 660)}
    assert level == {400: 9000, 530: 2700, 660: 0}


def test_barge_in_is_silent_before_a_busy_event_loop_handles_it() -> None:
    pcm = sound((QUIET, 500), (LOUD, 600), (QUIET, 800))
    stage = Stage(pcm, "Wait")
    microphone = ThreadedRecording(pcm, stage.clock)
    stage.microphone = microphone
    before: list[bytes] = []

    def note() -> None:
        stage.output.take()
        before.append(bytes(stage.output.recorded))

    microphone.taken = note
    lines = stage.run_hands_free(speaking=True)
    played = array("h", before[0])
    level = {ms: played[LISTEN_RATE * ms // 1000] for ms in (400, 530, 660)}
    assert level == {400: 9000, 530: 2700, 660: 0}
    assert "1900 said Wait" in lines
    assert stage.speech.volume == 1.0, "the next sentence is not muted"


@pytest.mark.parametrize("text", ["", "fail"])
def test_without_words_the_sentence_is_resumed(text: str) -> None:
    stage = Stage(sound((LOUD, 600), (QUIET, 800)), text)
    lines = stage.run_hands_free(speaking=True)
    assert "1400 resumed" in lines
    assert ("1400 failed voice" in lines) == (text == "fail")
    assert not any("interrupted" in line for line in lines)


def test_a_lost_microphone_is_reported_once_and_closed() -> None:
    lines = Stage(sound((LOUD, 600)), lost=True).run_hands_free()
    assert lines == ["0 open", "600 closed", "600 failed audio_device_lost"]


def test_push_to_talk_and_switching_off() -> None:
    stage = Stage(sound((LOUD, 1000)), "Hi")

    async def go() -> None:
        listener = stage.listener(ListenMode.PUSH_TO_TALK)
        listener.press()
        await stage.settle()
        listener.release()
        await stage.settle()
        assert stage.recognizer.heard_ms == [1000]
        listener.press()
        await listener.aclose()

    asyncio.run(go())
    assert [line.split(" ", 1)[1] for line in stage.log.lines] == [
        "open",
        "closed",
        "partial Hi",
        "said Hi",
        "open",
        "closed",
    ]


def test_push_to_talk_ends_by_itself() -> None:
    stage = Stage(sound((LOUD, 121_000)), "Hi")

    async def go() -> None:
        listener = stage.listener(ListenMode.PUSH_TO_TALK)
        stage.speech.is_audible = True
        listener.press()
        await stage.settle()
        await listener.aclose()

    asyncio.run(go())
    assert stage.recognizer.heard_ms == [120_000]
    assert [line.split(" ", 1)[1] for line in stage.log.lines] == [
        "open",
        "closed",
        "partial Hi",
        "interrupted",
        "said Hi",
    ]


def test_after_the_wake_word_what_is_said_is_recognized() -> None:
    stage = Stage(sound((LOUD, 1000), (QUIET, 1000), (LOUD, 600), (QUIET, 1000)), "Hello")

    async def go() -> None:
        listener = stage.listener(ListenMode.WAKE_WORD, WakingJudge(150))
        listener.start()
        await stage.settle()
        await listener.aclose()

    asyncio.run(go())
    said = [line.split(" ", 1)[1] for line in stage.log.lines]
    assert said == ["open", "partial He", "said Hello", "closed"]
    assert len(stage.recognizer.heard_ms) == 1
