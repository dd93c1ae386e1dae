"""Played sound stays aligned with the sound of the microphone."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from neodeskpet.core.voice.echo_reference import EchoReference
from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE

FRAME = FRAME_BYTES // 2


class Clocks:
    """The loudspeaker plays a ramp of samples; the microphone's clock is `drift` faster."""

    def __init__(self, drift: float = 0.0, piece: int = FRAME) -> None:
        self.reference = EchoReference()
        self._drift = drift
        self._piece = piece
        self._played = 0
        self._heard = 0.0

    def frame(self) -> array[int]:
        self._heard += FRAME * (1 - self._drift)
        while self._played < self._heard:
            ramp = array(
                "h", [at // 16 % 8192 for at in range(self._played, self._played + self._piece)]
            )
            self.reference.add(ramp.tobytes(), self._played / LISTEN_RATE)
            self._played += self._piece
        return array("h", self.reference.take(self._heard / LISTEN_RATE))

    def distance(self) -> int:
        """Return the milliseconds from the end of a frame's reference to the sample that is being
        played.
        """
        last = self.frame()[-1]
        return (int(self._heard) // 16 - last + 4096) % 8192 - 4096

    def lose(self) -> None:
        """A frame of the microphone is lost."""
        self._heard += FRAME

    def double(self) -> None:
        """A frame of the microphone comes twice."""
        self.reference.take(self._heard / LISTEN_RATE)


@pytest.mark.parametrize("drift", [0.0, 200e-6, -200e-6])
@pytest.mark.parametrize("piece", [FRAME, 3 * FRAME])
def test_the_distance_stays_constant_for_a_minute(drift: float, piece: int) -> None:
    clocks = Clocks(drift, piece)
    distances = []
    for number in range(6000):
        distance = clocks.distance()
        if number >= 500:
            distances.append(distance)
    assert max(distances) - min(distances) <= 3, "more than 3 ms"
    assert 0 <= 16 * (max(distances) + 1) <= piece + 2 * FRAME


@pytest.mark.parametrize("fault", [Clocks.lose, Clocks.double])
def test_a_lost_or_doubled_frame_is_corrected_at_once(fault: Callable[[Clocks], None]) -> None:
    clocks = Clocks()
    before = [clocks.distance() for _ in range(200)]
    fault(clocks)
    later = [clocks.distance() for _ in range(60)]
    assert abs(later[-1] - before[-1]) <= 2


@pytest.mark.parametrize("later", [160, 800])
def test_a_measured_change_of_the_echo_is_kept(later: int) -> None:
    clocks = Clocks()
    before = [clocks.distance() for _ in range(200)]
    clocks.reference.realign(later)
    after = [clocks.distance() for _ in range(200)]
    assert abs(after[-1] - before[-1] - later // 16) <= 2
    clocks.reference.realign(-later)
    again = [clocks.distance() for _ in range(200)]
    assert abs(again[-1] - before[-1]) <= 2


def test_a_loudspeaker_that_closes_and_opens_again() -> None:
    reference = EchoReference()
    assert reference.take(0.0) == bytes(FRAME_BYTES)
    for number in range(60):
        reference.take(number / 100)
    reference.add(bytes(FRAME_BYTES), 0.6)
    assert reference.waiting_bytes == FRAME_BYTES


def test_the_memory_does_not_grow() -> None:
    reference = EchoReference()
    for number in range(2000):
        reference.add(bytes(FRAME_BYTES), number / 100)
    assert reference.waiting_bytes == LISTEN_RATE * 2 * 10
