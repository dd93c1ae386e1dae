"""A simulated room for the companion's voice: the sound of its loudspeaker comes back into the
microphone, later and changed, and a person may speak meanwhile. Nothing depends on real time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from neodeskpet.core.voice.playback_queue import PlaybackQueue
from neodeskpet.core.voice.ports import FRAME_BYTES, FRAME_MS, LISTEN_RATE

FRAME_SAMPLES = FRAME_BYTES // 2
INPUT_MS = 20
"""The delay of the microphone: it is part of each measured time."""
_LOUD = 0.1
"""Share of the loudness from which speech has begun."""


@dataclass(frozen=True, slots=True)
class Room:
    """How sound comes from the loudspeaker into the microphone."""

    delay_ms: int = 60
    """From the call that takes samples for the loudspeaker to their echo, devices included."""
    echo: float = 0.4
    decay_ms: int = 60
    """The time after which the reverberation has lost 60 dB."""
    device_rate: int = 48_000
    """The loudspeaker's rate: the sound is converted to it and back."""
    drift_ppm: float = 0.0
    """How much faster the microphone's clock is than the loudspeaker's."""
    lost_per_minute: float = 0.0
    """Frames of the microphone that are dropped or doubled."""
    delay_steps_ms: tuple[int, ...] = ()
    """Changes of the delay, one every ten seconds."""
    clip: float = 1.0
    """The level from which the loudspeaker distorts."""
    noise: float = 20.0
    """The level of the noise in the room, in steps of a sample."""


class SimulatedDevices:
    """The loudspeaker and the microphone in a room. `frame` advances the time by 10 ms.

    It is a `core.voice.ports.AudioOutput`; `on_played` gets the samples that are taken.
    """

    def __init__(
        self, room: Room, seed: int, on_played: Callable[[bytes], None], rate: int = 24_000
    ) -> None:
        self.rate = rate
        self._room = room
        self._chance = random.Random(seed)
        self._noise: Any = numpy.random.default_rng(seed)
        self._on_played = on_played
        self._queue = PlaybackQueue()
        self._response = self._make_response()
        self._tail: Any = numpy.zeros(len(self._response) - 1)
        self._echo: Any = numpy.zeros(LISTEN_RATE)
        """The last second of what the loudspeaker sends into the room."""
        self._last_played = 0.0
        self._taken = 0
        self._position = 0.0
        """The next sample of the echo that the microphone takes, counted from the start."""
        self._person: Any = numpy.zeros(0)
        self._before: Any = numpy.zeros(FRAME_SAMPLES)
        self.frames = 0

    @property
    def now(self) -> float:
        """Milliseconds since the start."""
        return float(self.frames * FRAME_MS)

    @property
    def device_time(self) -> float:
        """The seconds at which the loudspeaker's last call came, by the loudspeaker's clock."""
        return self._taken / LISTEN_RATE

    @property
    def microphone_time(self) -> float:
        """The seconds at which the microphone's last frame came, by the same clock."""
        return self._position / LISTEN_RATE

    @property
    def position(self) -> float:
        return self._queue.played / self.rate

    @property
    def is_idle(self) -> bool:
        return self._queue.is_empty

    @property
    def person_speaks(self) -> bool:
        return len(self._person) > 0

    def play(self, generation: int, pcm: bytes) -> None:
        self._queue.add(generation, pcm)

    def stop(self) -> int:
        return self._queue.stop()

    def set_volume(self, volume: float) -> None:
        self._queue.volume = volume

    def say(self, pcm: bytes, level: float) -> None:
        """A person begins to speak now. Its loudest sample is `level`, from 0 to 1."""
        samples: Any = numpy.frombuffer(pcm, dtype=numpy.int16).astype(float)
        samples = samples[first_loud_sample(pcm) :] * (level * 32767 / abs(samples).max())
        self._person = numpy.concatenate([numpy.zeros(LISTEN_RATE * INPUT_MS // 1000), samples])

    def hush(self) -> None:
        """The user is silent."""
        self._person = numpy.zeros(0)

    def frame(self) -> bytes:
        """Return the next frame of the microphone."""
        self.frames += 1
        heard = self._hear_echo()
        person, self._person = self._person[:FRAME_SAMPLES], self._person[FRAME_SAMPLES:]
        heard[: len(person)] += person
        heard += self._noise.normal(0, self._room.noise, FRAME_SAMPLES)
        if self._chance.random() < self._room.lost_per_minute * FRAME_MS / 60_000:
            if self._chance.random() < 0.5:
                heard = self._before
            else:
                self._position += FRAME_SAMPLES
        self._before = heard
        return bytes(heard.clip(-32768, 32767).astype(numpy.int16).tobytes())

    def _make_response(self) -> Any:
        """Return the room's impulse response: the direct sound, and reverberation."""
        count = max(2, LISTEN_RATE * self._room.decay_ms // 1000)
        tail = self._noise.normal(0, 0.15, count)
        tail *= 10.0 ** (-3.0 * numpy.arange(count) / count)
        tail[0] = 1.0
        return tail * self._room.echo

    def _play_frame(self) -> None:
        count = self.rate * FRAME_MS // 1000
        pcm = self._queue.take(count)
        self._on_played(pcm)
        samples = numpy.frombuffer(pcm, dtype=numpy.int16).astype(float)
        limit = self._room.clip * 32767
        samples = samples.clip(-limit, limit)
        samples = numpy.concatenate([[self._last_played], samples])
        self._last_played = samples[-1]
        for rate in (self._room.device_rate, LISTEN_RATE):
            wanted = rate * FRAME_MS // 1000
            places = numpy.linspace(0, len(samples) - 1, wanted + 1)
            samples = numpy.interp(places, numpy.arange(len(samples)), samples)
        echo = numpy.convolve(samples[1:], self._response)
        echo[: len(self._tail)] += self._tail
        self._tail = echo[FRAME_SAMPLES:]
        self._echo = numpy.concatenate([self._echo[FRAME_SAMPLES:], echo[:FRAME_SAMPLES]])
        self._taken += FRAME_SAMPLES

    def _hear_echo(self) -> Any:
        """Let the loudspeaker play until now, and return what the microphone gets of it."""
        room = self._room
        ratio = 1.0 - room.drift_ppm / 1e6
        end = self._position + FRAME_SAMPLES * ratio
        while self._taken < end:
            self._play_frame()
        steps = room.delay_steps_ms[: self.frames * FRAME_MS // 10_000]
        delay = (room.delay_ms + sum(steps)) * LISTEN_RATE / 1000
        start = self._position - delay - self._taken + len(self._echo)
        self._position = end
        places = start + numpy.arange(FRAME_SAMPLES) * ratio
        return numpy.interp(places, numpy.arange(len(self._echo)), self._echo)


def first_loud_sample(pcm: bytes) -> int:
    """Return where speech begins: with the first 10 ms that have a tenth of the loudness of the
    loudest 10 ms.
    """
    samples: Any = numpy.frombuffer(pcm, dtype=numpy.int16).astype(float)
    parts = samples[: len(samples) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    loudness = numpy.sqrt((parts * parts).mean(axis=1))
    return int(numpy.argmax(loudness >= loudness.max() * _LOUD)) * FRAME_SAMPLES
