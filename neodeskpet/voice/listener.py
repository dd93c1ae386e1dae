"""Listening as it runs: frames of the microphone go through speech detection to the state machine,
and its commands are carried out. The recording is in memory only, and is dropped when it was
recognized.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, Literal, Protocol, assert_never

from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import (
    DUCK_VOLUME,
    Command,
    Commands,
    ListeningState,
    Phase,
    RecognizedText,
)
from neodeskpet.core.voice.ports import FRAME_MS, AudioInput, AudioOutput, Recognizer

_LEAD_FRAMES = 300 // FRAME_MS + 1
"""The first frame of speech and those before it: speech detection misses the first consonant."""
_MOST_SECONDS = 120
"""An utterance that is longer loses its beginning."""


class SpeechJudge(Protocol):
    """`voice.speech_detection.SpeechDetector`."""

    def process(self, frame: bytes) -> tuple[bytes, list[bool]]: ...


class ListenerEvents(Protocol):
    """Who hears of it. All are called on the event loop."""

    def microphone_changed(self, is_open: bool) -> None: ...

    def text_changed(self, text: str, is_final: bool) -> None:
        """Partial text may still change. Final text is what the person said."""
        ...

    def speech_interrupted(self) -> None:
        """The reply ends where it was stopped."""
        ...

    def sentence_resumed(self) -> None:
        """Speak on from the start of the interrupted sentence."""
        ...

    def failed(self, error: KnownError) -> None: ...


class Listener:
    """Tell it keys and speaking with `apply(state.…())`. `spawn` starts a task."""

    def __init__(
        self,
        state: ListeningState,
        microphone: AudioInput,
        recognizer: Recognizer,
        output: AudioOutput,
        events: ListenerEvents,
        *,
        judge: SpeechJudge,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        language: str = "",
    ) -> None:
        self.state = state
        self._microphone = microphone
        self._recognizer = recognizer
        self._output = output
        self._events = events
        self._judge = judge
        self._spawn = spawn
        self._language = language
        self._recording: deque[bytes] | None = None
        self._lead: deque[bytes] = deque(maxlen=_LEAD_FRAMES)
        self._hearing: asyncio.Task[None] | None = None
        self._recognizing: asyncio.Task[None] | None = None

    def apply(self, commands: Commands) -> None:
        for command in commands:
            if isinstance(command, RecognizedText):
                self._events.text_changed(command.text, True)
            else:
                self._carry_out(command)

    async def aclose(self) -> None:
        """Close the microphone; nothing is recognized any more."""
        tasks = [one for one in (self._hearing, self._recognizing) if one is not None]
        self.apply(self.state.stop())
        for task in tasks:
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
                self._recording = deque(self._lead, maxlen=_MOST_SECONDS * 1000 // FRAME_MS)
            case Command.DISCARD_RECORDING:
                self._recording = None
            case Command.RECOGNIZE:
                pcm = b"".join(self._recording or ())
                self._recording = None
                self._recognizing = self._spawn(self._recognize(pcm), "recognizer")
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
                self._output.set_volume(DUCK_VOLUME)
            case Command.RESTORE_VOLUME:
                self._output.set_volume(1.0)
            case Command.STOP_SPEAKING:
                self._output.stop()
            case Command.RESUME_SENTENCE:
                self._events.sentence_resumed()
            case Command.MARK_INTERRUPTED:
                self._events.speech_interrupted()
            case _:
                assert_never(command)

    async def _hear(self) -> None:
        try:
            async with aclosing(self._microphone.frames()) as frames:
                async for frame in frames:
                    clean, judged = self._judge.process(frame)
                    (self._lead if self._recording is None else self._recording).append(clean)
                    for is_speech in judged:
                        self.apply(self.state.frame(is_speech))
        except KnownError as error:
            self._hearing = None
            self.apply(self.state.stop())
            self._events.failed(error)

    async def _recognize(self, pcm: bytes) -> None:
        text = ""
        try:
            async with aclosing(self._recognizer.recognize(pcm, self._language)) as found:
                async for one in found:
                    text = one.text if one.is_final else text
                    if not one.is_final:
                        self._events.text_changed(one.text, False)
        except KnownError as error:
            self._events.failed(error)
        if self.state.phase is Phase.RECOGNIZING:
            self.apply(self.state.recognized(text))
