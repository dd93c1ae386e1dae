"""Loud sound that does not resemble the companion's voice is a person."""

from __future__ import annotations

from typing import Any

import numpy

from neodeskpet.voice.near_speech import NearSpeech

FRAME = 160


class Sound:
    def __init__(self) -> None:
        self._chance: Any = numpy.random.default_rng(1)
        self.near = NearSpeech(numpy)
        self._before: Any = numpy.zeros(FRAME)

    def judged(self, frames: int, *, person: float = 0.0, echo: float = 0.0) -> list[bool]:
        """Noise is played. The echo is one frame late."""
        found = []
        for _ in range(frames):
            played = self._chance.normal(0, 2000, FRAME)
            clean = self._chance.normal(0, 1, FRAME) + self._chance.normal(0, person, FRAME)
            left = clean + self._before * echo
            self.near.add(left, left, self._before * 0.4, played)
            self._before = played
            found.append(self.near.judge())
        return found


def test_a_person_is_found_after_the_echo_of_the_room_is_learned() -> None:
    sound = Sound()
    assert not any(sound.judged(190, person=1000))
    assert all(sound.judged(50, person=1000)[-30:])
    assert not any(sound.judged(50)[-30:])


def test_the_rest_of_an_echo_is_no_person() -> None:
    sound = Sound()
    sound.judged(250)
    found = sound.judged(100, echo=0.3)
    assert sum(found) <= 12, "less than a stop needs"
    assert not any(found[12:])


def test_after_a_gap_of_a_device_nothing_is_a_person_at_first() -> None:
    sound = Sound()
    sound.judged(250, person=1000)
    sound.near.disturb()
    assert not any(sound.judged(30, person=1000))
    assert all(sound.judged(30, person=1000)[-20:])


def test_it_is_not_needed_in_silence() -> None:
    sound = Sound()
    assert not sound.near.is_needed
    sound.judged(10)
    assert sound.near.is_needed
    for _ in range(60):
        quiet = numpy.zeros(FRAME)
        sound.near.add(quiet, quiet, quiet, quiet)
    assert not sound.near.is_needed
