"""Sound files as microphone and speaker, with a virtual clock: for `neodeskpet listen FILE`, for
tests and benchmarks.
"""

from __future__ import annotations

import wave
from collections.abc import AsyncGenerator
from pathlib import Path

from neodeskpet.core.voice.playback_queue import PlaybackQueue
from neodeskpet.core.voice.ports import (
    FRAME_BYTES,
    FRAME_MS,
    LISTEN_RATE,
    AudioFileUnreadable,
)


class VirtualClock:
    """A clock in seconds that only advances when it is called to."""

    def __init__(self) -> None:
        self.now = 0.0

    def advance(self, seconds: float) -> None:
        self.now += seconds


def read_sound_file(path: Path, rate: int = LISTEN_RATE) -> bytes:
    """Return a WAV, FLAC, MP3 or Ogg file of any rate and channel count as mono PCM at this rate.
    Raises AudioFileUnreadable.
    """
    import miniaudio

    try:
        data = path.read_bytes()
        decoded = miniaudio.decode(data, nchannels=1, sample_rate=rate)
    except OSError as error:
        raise AudioFileUnreadable(error.strerror or str(error), file=str(path)) from None
    except miniaudio.MiniaudioError as error:
        raise AudioFileUnreadable(str(error), file=str(path)) from None
    return bytes(decoded.samples.tobytes())


def write_wav(path: Path, pcm: bytes, rate: int) -> None:
    """Raises OSError."""
    with path.open("wb") as raw, wave.open(raw, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)


class RecordedInput:
    """A `core.voice.ports.AudioInput` that plays a recording; each frame advances the clock."""

    def __init__(self, pcm: bytes, clock: VirtualClock) -> None:
        self._pcm = pcm
        self._clock = clock

    async def frames(self) -> AsyncGenerator[bytes, None]:
        for start in range(0, len(self._pcm), FRAME_BYTES):
            self._clock.advance(FRAME_MS / 1000)
            yield self._pcm[start : start + FRAME_BYTES].ljust(FRAME_BYTES, b"\0")


class RecordingOutput:
    """A `core.voice.ports.AudioOutput` that stores what it plays while the clock runs."""

    def __init__(self, clock: VirtualClock, rate: int = LISTEN_RATE) -> None:
        self._clock = clock
        self._rate = rate
        self._queue = PlaybackQueue()
        self._begun = clock.now
        self._taken = 0
        self.recorded = bytearray()

    @property
    def rate(self) -> int:
        return self._rate

    @property
    def position(self) -> float:
        self._run()
        return self._queue.played / self._rate

    def play(self, generation: int, pcm: bytes) -> None:
        self._run()
        self._queue.add(generation, pcm)

    def stop(self) -> int:
        self._run()
        return self._queue.stop()

    def set_volume(self, volume: float) -> None:
        self._run()
        self._queue.volume = volume

    def take(self) -> bytes:
        """Return what was played since the last call."""
        start = len(self.recorded)
        self._run()
        return bytes(self.recorded[start:])

    def _run(self) -> None:
        due = round((self._clock.now - self._begun) * self._rate)
        self.recorded += self._queue.take(due - self._taken)
        self._taken = due
