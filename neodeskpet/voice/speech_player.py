"""Speaks lines of text one after the other: the next one is synthesized while one plays."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.ports import AudioOutput
from neodeskpet.core.voice.speech import Synthesizer, speakable, spoken_language
from neodeskpet.platform.async_tasks import spawn_task

_POLL_SECONDS = 0.02

Sleep = Callable[[float], Awaitable[object]]


class SpeechPlayer:
    """A `core.speech_bubble.Voice`. `synthesizer` gives the one of now, None while speaking is off.

    `on_finished` is called when all lines were played, also when one failed. `on_failed` gets the
    first error; nothing is spoken from then on until `reset`.
    """

    def __init__(
        self,
        output: AudioOutput,
        synthesizer: Callable[[], Synthesizer | None],
        *,
        on_finished: Callable[[], object],
        on_failed: Callable[[KnownError], object],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._output = output
        self._synthesizer = synthesizer
        self._on_finished = on_finished
        self._on_failed = on_failed
        self._sleep = sleep
        self._lines: deque[str] = deque()
        self._generation = 0
        self._queued = 0.0
        self._task: asyncio.Task[None] | None = None
        self._broken = False

    @property
    def is_speaking(self) -> bool:
        return self._task is not None

    def reset(self) -> None:
        """Speak again after a failure."""
        self._broken = False

    def speak(self, words: str) -> bool:
        """Speak `words` after what is being spoken; False while speaking is off or failed."""
        if self._broken or self._synthesizer() is None:
            return False
        line = speakable(words)
        if line:
            self._lines.append(line)
            if self._task is None:
                self._task = spawn_task(self._run(), name="speech")
        return bool(line) or self.is_speaking

    def stop(self) -> None:
        """Silence at once; `on_finished` isn't called for what was cut off."""
        self._lines.clear()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            self._generation = self._output.stop()
            self._queued = 0.0

    async def aclose(self) -> None:
        task = self._task
        self.stop()
        if task is not None:
            await asyncio.wait([task])

    async def _run(self) -> None:
        try:
            while self._lines:
                await self._play(self._lines.popleft())
                if not self._lines:
                    await self._wait_until_played()
        except KnownError as error:
            self._broken = True
            self._lines.clear()
            self._on_failed(error)
        self._task = None
        self._on_finished()

    async def _play(self, line: str) -> None:
        synthesizer = self._synthesizer()
        if synthesizer is None:
            return
        pieces = synthesizer.synthesize(line, spoken_language(line))
        async with aclosing(pieces):
            async for pcm in pieces:
                if self._queued:
                    self._output.play(self._generation, pcm)
                else:  # this may open the device, which takes time
                    await asyncio.to_thread(self._output.play, self._generation, pcm)
                self._queued += len(pcm) / 2 / self._output.rate

    async def _wait_until_played(self) -> None:
        """Returns early when another line came: it is synthesized while this one plays."""
        while not self._lines and self._output.position < self._queued:
            await self._sleep(_POLL_SECONDS)
