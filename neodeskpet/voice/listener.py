"""Runs listening: frames of the microphone go through speech detection to the state machine, and
its commands are carried out. The recording is only in memory, and is dropped after its recognition.

Speech is detected in the thread of the microphone. That thread also changes the volume of the
companion's voice, so that a busy event loop doesn't delay it. All other commands run on the event
loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, Literal, Protocol, assert_never, runtime_checkable

from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import (
    Command,
    Commands,
    ListeningState,
    Phase,
    RecognizedText,
)
from neodeskpet.core.voice.ports import (
    FRAME_MS,
    LISTEN_RATE,
    AudioInput,
    EarlyRecognizer,
    Recognizer,
    ThreadedInput,
)
from neodeskpet.core.voice.speech import mouth_levels

_LEAD_FRAMES = 300 // FRAME_MS + 1
"""The first frame of speech and those before it: speech detection misses the first consonant."""
_LEVEL_FRAMES = 100 // FRAME_MS
_MOST_SECONDS = 120
"""An utterance that is longer loses its beginning; push to talk ends by itself."""


_MOST_FRAMES = _MOST_SECONDS * 1000 // FRAME_MS


class SpeechJudge(Protocol):
    """`voice.speech_detection.SpeechDetector`."""

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]: ...


class ReferencedJudge(SpeechJudge, Protocol):
    """A judge with echo cancellation."""

    def reference(self, pcm: bytes, at: float | None = None) -> None:
        """Pass sound at LISTEN_RATE that the companion plays. `at`: when the speaker took it, None
        for now.
        """
        ...


@runtime_checkable
class WakingJudge(SpeechJudge, Protocol):
    """`voice.wake_word.WakeWordJudge`."""

    def take_woken(self) -> bool:
        """Return whether the wake word was heard since the last call."""
        ...


class NoDetection:
    """The detection for push to talk: the key decides when the user speaks."""

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        return frame, []


class InterruptibleSpeech(Protocol):
    """The companion's own speech, which the user can interrupt. `is_audible`, `set_ducked` and
    `mute` are also used in the thread of the microphone.
    """

    @property
    def is_audible(self) -> bool:
        """Whether it speaks now."""
        ...

    def set_ducked(self, ducked: bool) -> None:
        """Lower the volume, or restore it."""
        ...

    def mute(self) -> None:
        """Be silent until `pause` is called."""
        ...

    def pause(self) -> None:
        """Stop the sound at once, and restore the volume for the next sound."""
        ...


class ListenerEvents(Protocol):
    """Callbacks, on the event loop."""

    def microphone_changed(self, is_open: bool) -> None: ...

    def phase_changed(self) -> None:
        """The phase of the state has changed."""
        ...

    def text_changed(self, text: str, is_final: bool) -> None:
        """Partial text may still change. Final text is what the user said."""
        ...

    def speech_interrupted(self) -> None:
        """The reply ends where it was stopped."""
        ...

    def sentence_resumed(self) -> None:
        """Continue from the start of the interrupted sentence."""
        ...

    def nothing_heard(self) -> None:
        """The recording had no words."""
        ...

    def failed(self, error: KnownError) -> None: ...


class Listener:
    """`spawn` starts a task."""

    def __init__(
        self,
        state: ListeningState,
        microphone: AudioInput,
        recognizer: Recognizer,
        speech: InterruptibleSpeech,
        events: ListenerEvents,
        *,
        judge: SpeechJudge,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        language: str = "",
    ) -> None:
        self.state = state
        self._microphone = microphone
        self._recognizer = recognizer
        self._early_recognizer = recognizer if isinstance(recognizer, EarlyRecognizer) else None
        self._speech = speech
        self._was_audible = False
        self._phase = state.phase
        self._events = events
        self._judge = judge
        self._waking = judge if isinstance(judge, WakingJudge) else None
        self._spawn = spawn
        self._language = language
        self._recording: deque[bytes] | None = None
        self._last_frames: deque[bytes] = deque(maxlen=_LEVEL_FRAMES)
        self._lead: deque[bytes] = deque(maxlen=_LEAD_FRAMES)
        self._judged: deque[tuple[bytes, Commands]] = deque()
        """Frames without echo and their commands, which the event loop has not carried out yet."""
        self._lock = threading.Lock()
        """Held for each use of the state: the microphone's thread changes it too."""
        self._hearing: asyncio.Task[None] | None = None
        self._recognizing: asyncio.Task[None] | None = None
        self._early: asyncio.Task[None] | None = None
        """The recognition of an utterance that may not have ended."""
        self._ended = asyncio.Event()
        """Set when the utterance of `_early` has ended."""
        self._warming: asyncio.Task[None] | None = None

    @property
    def level(self) -> float:
        """How loud the last frames were (0 to 1)."""
        return max(mouth_levels(b"".join(self._last_frames), LISTEN_RATE), default=0.0)

    def start(self) -> None:
        """Listening is switched on."""
        self._change(self.state.start)

    def wake(self) -> None:
        """Listen as after the wake word."""
        self._change(self.state.woken)

    def press(self) -> None:
        """Push to talk begins."""
        self._change(self.state.key_pressed)

    def release(self) -> None:
        """Push to talk ends."""
        self._change(self.state.key_released)

    def _change(self, event: Callable[[], Commands]) -> None:
        """Tell the state an event, after the frames before it."""
        self._carry_out_judged()
        with self._lock:
            commands = (*self._note_speech(), *event())
        self.apply(commands)

    def apply(self, commands: Commands) -> None:
        for command in commands:
            if isinstance(command, RecognizedText):
                self._events.text_changed(command.text, True)
            else:
                self._carry_out(command)
        if self.state.phase is not self._phase:
            self._phase = self.state.phase
            self._events.phase_changed()
            if self._phase is Phase.HEARING and self._early_recognizer is not None:
                self._warming = self._spawn(self._early_recognizer.warm_up(), "recognizer warm-up")

    async def aclose(self) -> None:
        """Close the microphone; nothing is recognized any more."""
        tasks = (self._hearing, self._recognizing, self._early, self._warming)
        self._change(self.state.stop)
        for task in tasks:
            if task is None:
                continue
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _carry_out(self, command: Command) -> None:
        match command:
            case Command.OPEN_MICROPHONE:
                self._hearing = self._spawn(self._hear(), "microphone")
                self._events.microphone_changed(True)
            case Command.CLOSE_MICROPHONE:
                if self._hearing is not None:
                    self._hearing.cancel()
                self._hearing = None
                self._lead.clear()
                self._events.microphone_changed(False)
            case Command.START_RECORDING:
                self._recording = deque(self._lead, maxlen=_MOST_FRAMES)
            case Command.DISCARD_RECORDING:
                self._recording = None
                self._drop_early()
            case Command.RECOGNIZE_EARLY:
                if self._early_recognizer is not None:
                    self._early = self._begin_recognition()
            case Command.DROP_EARLY:
                self._drop_early()
            case Command.RECOGNIZE:
                self._recognizing = self._early or self._begin_recognition()
                self._early = self._recording = None
                self._ended.set()
            case _:
                self._control_speech(command)

    def _control_speech(
        self,
        command: Literal[
            Command.DUCK,
            Command.RESTORE_VOLUME,
            Command.STOP_SPEAKING,
            Command.RESUME_SENTENCE,
            Command.MARK_INTERRUPTED,
        ],
    ) -> None:
        match command:
            case Command.DUCK:
                self._speech.set_ducked(True)
            case Command.RESTORE_VOLUME:
                self._speech.set_ducked(False)
            case Command.STOP_SPEAKING:
                self._speech.pause()
            case Command.RESUME_SENTENCE:
                self._events.sentence_resumed()
            case Command.MARK_INTERRUPTED:
                self._events.speech_interrupted()
            case _:
                assert_never(command)

    async def _hear(self) -> None:
        microphone = self._microphone
        try:
            if isinstance(microphone, ThreadedInput):
                async with aclosing(microphone.hear(self._take)) as heard:
                    async for _ in heard:
                        self._carry_out_judged()
            else:
                async with aclosing(microphone.frames()) as frames:
                    async for frame in frames:
                        self._take(frame, None)
                        self._carry_out_judged()
        except KnownError as error:
            self._hearing = None
            self._change(self.state.stop)
            self._events.failed(error)

    def _take(self, frame: bytes, at: float | None) -> None:
        """Judge a frame, in the microphone's thread."""
        clean, judged = self._judge.process(frame, at)
        woken = self._waking is not None and self._waking.take_woken()
        with self._lock:
            commands = list(self._note_speech())
            if woken:
                commands += self.state.woken()
            for is_speech in judged:
                commands += self.state.frame(is_speech)
            self._judged.append((clean, tuple(commands)))
        if Command.STOP_SPEAKING in commands:
            self._speech.mute()
        elif Command.DUCK in commands:
            self._speech.set_ducked(True)
        elif Command.RESTORE_VOLUME in commands:
            self._speech.set_ducked(False)

    def _carry_out_judged(self) -> None:
        while self._judged:
            clean, commands = self._judged.popleft()
            self._last_frames.append(clean)
            (self._lead if self._recording is None else self._recording).append(clean)
            self.apply(commands)
            if self._recording is not None and len(self._recording) >= _MOST_FRAMES:
                with self._lock:
                    commands = self.state.key_released()
                self.apply(commands)

    def _note_speech(self) -> Commands:
        """Tell the state whether the companion speaks."""
        audible = self._speech.is_audible
        if audible is self._was_audible:
            return ()
        self._was_audible = audible
        return self.state.speaking_started() if audible else self.state.speaking_ended()

    def _begin_recognition(self) -> asyncio.Task[None]:
        """Recognize the recording as it is now."""
        self._ended = asyncio.Event()
        pcm = b"".join(self._recording or ())
        return self._spawn(self._recognize(pcm, self._ended), "recognizer")

    def _drop_early(self) -> None:
        early, self._early = self._early, None
        if early is not None:
            early.cancel()

    async def _recognize(self, pcm: bytes, ended: asyncio.Event) -> None:
        """Recognize; report the result when the utterance has `ended`."""
        text, failure = "", None
        try:
            async with aclosing(self._recognizer.recognize(pcm, self._language)) as found:
                async for one in found:
                    text = one.text if one.is_final else text
                    if not one.is_final:
                        self._events.text_changed(one.text, False)
        except KnownError as error:
            failure = error
        await ended.wait()
        if failure is not None:
            self._events.failed(failure)
        elif not text:
            self._events.nothing_heard()
        if self.state.phase is Phase.RECOGNIZING:
            self._change(lambda: self.state.recognized(text))
