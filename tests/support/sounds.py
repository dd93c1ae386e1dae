"""Recorded microphones and speakers for the app."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable

from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE, Played
from neodeskpet.voice.sound_files import RecordedInput, RecordingOutput, VirtualClock


def tone(level: int, seconds: float) -> bytes:
    """A square wave at LISTEN_RATE."""
    return array("h", [level, level, -level, -level] * int(LISTEN_RATE * seconds / 4)).tobytes()


class OpenInput(RecordedInput):
    """A recording, then silence for as long as it is open."""

    def __init__(self, pcm: bytes = b"") -> None:
        super().__init__(pcm, VirtualClock())

    async def frames(self) -> AsyncGenerator[bytes, None]:
        async for frame in super().frames():
            await asyncio.sleep(0)
            yield frame
        while True:
            await asyncio.sleep(0.001)
            yield bytes(FRAME_BYTES)


class LoudnessJudge:
    """Regards each loud frame as speech."""

    def __init__(self) -> None:
        self.played = 0

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        return frame, [max(array("h", frame)) > 1000]

    def reference(self, pcm: bytes, at: float | None = None) -> None:
        self.played += len(pcm)


class WakingJudge(LoudnessJudge):
    """Detects the wake word in the frame with the number `at`."""

    def __init__(self, at: int = 1) -> None:
        super().__init__()
        self._left = at

    def take_woken(self) -> bool:
        self._left -= 1
        return self._left == 0


class PlayedOutput(RecordingOutput):
    """A speaker whose clock the test advances; `step` is the time that passes each time its
    position is read.
    """

    def __init__(self, step: float = 0.0) -> None:
        self.clock = VirtualClock()
        super().__init__(self.clock, 24_000)
        self.step = step

    @property
    def position(self) -> float:
        self.clock.advance(self.step)
        return super().position

    def close(self) -> None:
        """It stays open."""


def speaker(output: PlayedOutput) -> Callable[[str, Played], PlayedOutput]:
    """Return a function that opens `output` as each device."""
    return lambda _device, _on_played: output
