"""Runs echo cancellation, speech detection and the decisions about an interruption in a simulated
room, in virtual time. The speech in `speech/` was made with Kokoro-82M (Apache-2.0).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from neodeskpet.core.voice.listening import DUCK_VOLUME, Command, ListeningState, ListenMode
from neodeskpet.core.voice.ports import LISTEN_RATE
from neodeskpet.core.voice.resampler import Resampler
from neodeskpet.voice.near_speech import JUDGED_MS
from neodeskpet.voice.sound_files import read_sound_file
from neodeskpet.voice.speech_detection import SpeechDetector
from tests.support.room import FRAME_SAMPLES, Room, SimulatedDevices

ROOMS = {
    "usual": Room(),
    "near, loud": Room(delay_ms=20, decay_ms=20, echo=0.8),
    "far, reverberant": Room(delay_ms=200, decay_ms=150, echo=0.3),
    "44.1 kHz": Room(device_rate=44_100, delay_ms=90),
    "microphone 200 ppm fast": Room(drift_ppm=200),
    "microphone 200 ppm slow": Room(drift_ppm=-200),
    "lost and doubled frames": Room(lost_per_minute=6),
    "distorting loudspeaker": Room(clip=0.25),
    "monitor of the output": Room(delay_ms=40, decay_ms=1, echo=1.0, noise=0.0),
    "changing delay": Room(delay_steps_ms=(20, -20, 30, -30, 40, -20, 20, -40)),
}
_OWN_RATE = 16_000
_BEGIN_MS, _BETWEEN_MS, _MISSED_MS, _TAIL_MS = 5_000, (1_500, 4_000), 1_500, 300
_LEVELS = (0.25, 0.6)
"""The user's loudest sample. The companion's voice comes back with about 0.2 to 0.6."""
_SPEECH = Path(__file__).parent / "speech"


@dataclass(slots=True)
class Result:
    false_stops: list[float] = field(default_factory=list)
    """When the companion stopped although nobody spoke, in milliseconds."""
    times: list[float] = field(default_factory=list)
    """Milliseconds from the beginning of a person's speech until the companion stopped, sorted."""
    missed: int = 0

    def at(self, share: float) -> float:
        """Return the time below which `share` of the times are; -1 without times."""
        return (
            self.times[min(len(self.times) - 1, int(len(self.times) * share))]
            if self.times
            else -1.0
        )


@cache
def own_speech() -> bytes:
    """20 seconds of the companion's speech, English and Chinese."""
    return read_sound_file(_SPEECH / "companion.mp3")


@cache
def people() -> tuple[bytes, ...]:
    """Eight interruptions by two other voices, without the silence before them."""
    samples: Any = numpy.frombuffer(read_sound_file(_SPEECH / "people.mp3"), dtype=numpy.int16)
    frames = samples[: len(samples) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    found: list[bytes] = []
    spoken: list[Any] = []
    quiet = 0
    for frame in frames:
        quiet = 0 if abs(frame).max() > 100 else quiet + 1
        if quiet < 40:
            spoken.append(frame)
        elif spoken:
            found.append(numpy.concatenate(spoken).tobytes())
            spoken = []
    return tuple(one for one in found if len(one) > LISTEN_RATE)


def simulate(
    room: Room,
    seconds: float,
    interruptions: int,
    seed: int = 1,
    *,
    own: bytes | None = None,
    others: Sequence[bytes] = (),
) -> Result:
    """Let the companion speak for `seconds`, or until it was interrupted `interruptions` times. It
    begins again after each stop.
    """
    talk = _Talk(room, seed, own or own_speech())
    others = others or people()
    chance = random.Random(seed)
    result = Result()
    begun: float | None = None
    next_at, quiet_until = float(_BEGIN_MS), 0.0
    while talk.now < seconds * 1000 and len(result.times) + result.missed < (interruptions or 1):
        if interruptions and begun is None and talk.now >= next_at:
            talk.devices.say(chance.choice(others), chance.uniform(*_LEVELS))
            begun = talk.now
        stopped = talk.frame()
        if begun is None:
            if stopped and talk.now >= quiet_until:
                result.false_stops.append(talk.now)
        elif stopped or talk.now - begun > _MISSED_MS:
            result.missed += not stopped
            result.times += [talk.now - begun] if stopped else []
            begun = None
            talk.devices.hush()
            quiet_until = talk.now + _TAIL_MS
            next_at = talk.now + chance.uniform(*_BETWEEN_MS)
    result.times.sort()
    return result


class _Talk:
    """The companion repeats its speech, and its microphone hears it."""

    def __init__(self, room: Room, seed: int, spoken: bytes) -> None:
        self._spoken = spoken
        self._detector = SpeechDetector(clock=lambda: self.devices.device_time)
        to_reference = Resampler(_OWN_RATE, LISTEN_RATE)
        self.devices = SimulatedDevices(
            room, seed, lambda pcm: self._detector.reference(to_reference.convert(pcm)), _OWN_RATE
        )
        self._state = _listening()

    @property
    def now(self) -> float:
        return self.devices.now

    def frame(self) -> bool:
        """Let 10 ms pass; return whether the companion was stopped. It then begins again."""
        devices, stopped = self.devices, False
        if devices.is_idle:
            devices.play(0, self._spoken)
        for is_speech in self._detector.process(devices.frame(), devices.microphone_time)[1]:
            for command in self._state.frame(is_speech):
                stopped |= command is Command.STOP_SPEAKING
                if command is Command.DUCK:
                    devices.set_volume(DUCK_VOLUME)
                elif command is Command.RESTORE_VOLUME:
                    devices.set_volume(1.0)
        if stopped:
            self._state = _listening()
        return stopped


def _listening() -> ListeningState:
    """Return the state while the companion speaks."""
    state = ListeningState(ListenMode.HANDS_FREE, JUDGED_MS)
    state.start()
    state.speaking_started()
    return state
