"""The linear filter removes the echo and leaves a person's speech as it is."""

from __future__ import annotations

from typing import Any

import numpy

from neodeskpet.voice.echo_filter import EchoFilter

FRAME = 160


class Room:
    """Noise is played; the echo comes `delay` samples later."""

    def __init__(self, delay: int = 1000) -> None:
        self._chance: Any = numpy.random.default_rng(1)
        self._played: Any = numpy.zeros(8000)
        self.delay = delay
        self.filter = EchoFilter(numpy)

    def left(self, frames: int, *, person: float = 0.0, played: float = 2000.0) -> Any:
        """Return what is left of the last frame, without what was said."""
        rest: Any = None
        for _ in range(frames):
            sound = self._chance.normal(0, played, FRAME)
            self._played = numpy.concatenate([self._played[FRAME:], sound])
            end = len(self._played) - self.delay
            said = self._chance.normal(0, person, FRAME)
            rest = self.filter.process(self._played[end - FRAME : end] * 0.5 + said, sound) - said
        return rest


def loudness(sound: Any) -> float:
    return float(numpy.sqrt((sound * sound).mean()))


def test_little_of_the_echo_is_left() -> None:
    room = Room()
    assert loudness(room.left(1)) < 1
    assert loudness(room.left(10)) > 500
    assert loudness(room.left(300)) < 30


def test_a_person_is_left_as_they_are() -> None:
    room = Room()
    room.left(300)
    assert loudness(room.left(50, person=1500)) < 300


def test_without_an_echo_nothing_is_changed() -> None:
    room = Room()
    assert loudness(room.left(100, played=0.0, person=1000)) < 0.01
    room.left(300)
    assert loudness(room.left(60, played=0.0, person=1000)) < 0.01


def test_a_moved_reference_brings_the_earlier_filter_back() -> None:
    room = Room()
    room.filter.restore()
    room.left(300)
    room.delay += 400
    room.left(20)
    room.delay -= 400
    room.filter.restore()
    assert loudness(room.left(8)) < 100
