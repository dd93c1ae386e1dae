"""Speaks lines of text one after the other, sentence by sentence: the next sentence is synthesized
while one plays.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from neodeskpet.core.errors import KnownError
from neodeskpet.core.speech_bubble import extra_seconds
from neodeskpet.core.voice.heard_text import PlayedSentence, heard_part, split_sentences
from neodeskpet.core.voice.ports import AudioDeviceLost, AudioOutput, VoiceError
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.core.voice.speech import (
    LIP_MS,
    Synthesizer,
    mouth_levels,
    speakable,
    spoken_language,
)
from neodeskpet.platform.async_tasks import spawn_task

_POLL_SECONDS = 0.02
_LOST_SECONDS = 3.0
"""A device that plays nothing for so long, although there is sound to play, was disconnected."""
_AHEAD_SECONDS = 8.0
"""No further sentence is synthesized while so much sound waits: it might never be played."""

Sleep = Callable[[float], Awaitable[object]]


class SpeechPlayer:
    """`synthesizer` returns the current one, None while speaking is off.

    `on_started` is called with the first sound after silence, `on_finished` when all lines were
    played, also after a failure. `on_failed` gets the first error; nothing is spoken from then on
    until `reset`.
    """

    def __init__(
        self,
        output: AudioOutput,
        synthesizer: Callable[[], Synthesizer | None],
        *,
        on_finished: Callable[[], object],
        on_failed: Callable[[KnownError], object],
        on_started: Callable[[], object] = lambda: None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._output = output
        self._synthesizer = synthesizer
        self._on_finished = on_finished
        self._on_failed = on_failed
        self._on_started = on_started
        self._sleep = sleep
        self._waiting: deque[str] = deque()
        self._played: list[PlayedSentence] = []
        """The sentences of this generation, in order; the last one may not be complete."""
        self._synthesizing = False
        self._mouth: list[float] = []
        self._mouth_rest = b""
        """Sound of less than LIP_MS whose mouth position isn't known yet."""
        self._heard = ""
        self._heard_partly = ""
        """The heard words of the sentence that `resume` starts again."""
        self._generation = 0
        self._samples = 0
        self._queued = 0.0
        """Seconds of sound that the output got in this generation."""
        self._is_open = False
        self._task: asyncio.Task[None] | None = None
        self._paused = False
        self._broken = False

    @property
    def is_speaking(self) -> bool:
        """Whether something is spoken, or goes on after `resume`."""
        return self._task is not None or self._paused

    @property
    def is_audible(self) -> bool:
        """Whether it speaks now."""
        return self._task is not None

    @property
    def is_broken(self) -> bool:
        return self._broken

    @property
    def mouth_level(self) -> float | None:
        """Return how far the mouth is open now (0 to 1); None while nothing is spoken."""
        if self._task is None:
            return None
        at = int(self._output.position * 1000 / LIP_MS)
        return self._mouth[at] if at < len(self._mouth) else 0.0

    @property
    def heard(self) -> str:
        """Return what was heard since `forget_heard`, up to the last whole word."""
        position = self._output.position if self._played else 0.0
        parts = [heard_part(one, position) for one in self._timeline()]
        return " ".join(part for part in (self._heard, *parts, self._heard_partly) if part)

    def forget_heard(self) -> None:
        """Start a new reply. What is being spoken still counts as heard."""
        self._heard = self._heard_partly = ""
        position = self._output.position if self._played else 0.0
        incomplete = self._played[-1:] if self._synthesizing else []
        self._played = [one for one in self._played if one.end > position] or incomplete

    def reset(self) -> None:
        """Speak again after a failure."""
        self._broken = False

    def speak(self, words: str) -> bool:
        """Speak `words` after what is being spoken; return False while speaking is off or failed.
        Raises KnownError.
        """
        if self._broken or self._synthesizer() is None:
            return False
        sentences = split_sentences(speakable(words))
        self._waiting += sentences
        if sentences and not self._paused:
            self._start()
        return bool(sentences) or self.is_speaking

    def stop(self) -> None:
        """Stop the sound at once; `on_finished` isn't called for lines that were cut off."""
        self._silence()
        self._waiting.clear()
        self._paused = False

    def pause(self) -> None:
        """Stop the sound at once. `resume` continues from the start of the interrupted sentence."""
        if self._task is None:
            return
        position = self._output.position
        left = [one for one in self._timeline() if one.end > position]
        complete = [one.text for one in self._timeline() if one.end <= position]
        heard = " ".join(part for part in (self._heard, *complete) if part)
        self._heard_partly = heard_part(left[0], position) if left else ""
        self._silence()
        self._heard = heard
        self._waiting.extendleft(one.text for one in reversed(left))
        self._paused = True

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            self._heard_partly = ""
            self._start()

    async def aclose(self) -> None:
        task = self._task
        self.stop()
        if task is not None:
            await asyncio.wait([task])

    def _start(self) -> None:
        if self._task is None:
            self._task = spawn_task(self._run(), name="speech")

    def _silence(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            self._heard = self.heard
            task.cancel()
            self._clear()

    def _clear(self) -> None:
        """Drop the sound: a new generation begins."""
        self._generation = self._output.stop()
        self._samples = 0
        self._queued = 0.0
        self._played.clear()
        self._synthesizing = False
        self._mouth.clear()
        self._mouth_rest = b""

    async def _run(self) -> None:
        done = False
        try:
            await self._speak_all()
            done = True
        except KnownError as error:
            done = True
            self._fail(error)
        finally:
            if self._task is asyncio.current_task():  # otherwise `stop` or `pause` ended it
                self._task = None
                if not done:  # a bug: the loop's handler reports it
                    self._broken = True
                    self._waiting.clear()
                    self._clear()
                self._on_finished()

    def _fail(self, error: KnownError) -> None:
        self._broken = True
        self._waiting.clear()
        self._heard = self.heard
        self._clear()
        self._on_failed(error)

    async def _speak_all(self) -> None:
        self._is_open = False
        while self._waiting:
            await self._wait_until_played(_AHEAD_SECONDS)
            try:
                await self._play(self._waiting.popleft())
            except VoiceError:
                raise
            except KnownError:  # the service failed: what it gave before is played
                await self._wait_until_played()
                raise
            if not self._waiting:
                await self._wait_until_played(until_more=True)

    async def _play(self, sentence: str) -> None:
        synthesizer = self._synthesizer()
        if synthesizer is None:
            return
        self._played.append(PlayedSentence(sentence, self._queued, self._queued))
        self._synthesizing = True
        resampler = Resampler(synthesizer.rate, self._output.rate)
        language = spoken_language(sentence)
        # What was heard is compared with the reply, so `_played` keeps the digits.
        pieces = synthesizer.synthesize(pronounceable(sentence, language), language)
        async with aclosing(pieces):
            async for piece in pieces:
                if synthesizer.rate != self._output.rate:
                    # A clause takes longer than the event loop may be held.
                    piece = await asyncio.to_thread(resampler.convert, piece)
                await self._play_sound(piece)
                self._played[-1] = replace(self._played[-1], end=self._queued)
        self._synthesizing = False

    async def _play_sound(self, pcm: bytes) -> None:
        if self._is_open:
            self._output.play(self._generation, pcm)
        else:  # this may open the device, which takes time
            await asyncio.to_thread(self._output.play, self._generation, pcm)
            self._is_open = True
            self._on_started()
        self._samples += len(pcm) // 2
        self._queued = self._samples / self._output.rate  # exact: it is compared with the position
        sound = self._mouth_rest + pcm
        whole = len(sound) - len(sound) % (2 * self._output.rate * LIP_MS // 1000)
        self._mouth += mouth_levels(sound[:whole], self._output.rate)
        self._mouth_rest = sound[whole:]

    def _timeline(self) -> list[PlayedSentence]:
        """Return the sentences of this generation; the end of an incomplete one is estimated."""
        if not self._synthesizing:
            return list(self._played)
        *complete, last = self._played
        return [*complete, replace(last, end=max(last.end, last.start + extra_seconds(last.text)))]

    async def _wait_until_played(self, rest: float = 0.0, *, until_more: bool = False) -> None:
        """Wait until at most `rest` seconds of sound are left, or (`until_more`) until another
        line comes: it is synthesized while this one plays. Raises AudioDeviceLost.
        """
        before, still = -1.0, 0.0
        while (position := self._output.position) < self._queued - rest:
            if until_more and self._waiting:
                return
            still = 0.0 if position > before else still + _POLL_SECONDS
            if still >= _LOST_SECONDS:
                raise AudioDeviceLost
            before = position
            await self._sleep(_POLL_SECONDS)
