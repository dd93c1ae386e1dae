"""The delay of the companion's own voice is measured with the sound of the microphone."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from neodeskpet.voice.echo_delay import EchoDelay

FRAME = 160


class Sound:
    """Noise is played and heard `delay` samples later."""

    def __init__(self, delay: int) -> None:
        self._chance: Any = numpy.random.default_rng(1)
        self._played: Any = numpy.zeros(16_000)
        self.delay = delay
        self.measured = EchoDelay(numpy)

    def changes(self, frames: int, *, echo: float = 0.5, person: float = 0.0) -> list[int]:
        found = []
        for _ in range(frames):
            played = self._chance.normal(0, 2000, FRAME)
            self._played = numpy.concatenate([self._played[FRAME:], played])
            end = len(self._played) - self.delay
            heard = self._played[end - FRAME : end] * echo
            heard = heard + self._chance.normal(0, person, FRAME)
            found.append(self.measured.add(heard, heard, played))
        return [one for one in found if one]


def test_an_echo_that_comes_too_early_moves_the_reference_once() -> None:
    sound = Sound(0)
    assert sound.changes(120) == [-320]
    assert sound.measured.samples == 0


@pytest.mark.parametrize("delay", [150, 700, 6300])
def test_the_delay_is_measured(delay: int) -> None:
    sound = Sound(delay)
    assert sound.changes(80) == []
    assert sound.measured.samples == delay


@pytest.mark.parametrize("later", [320, -320, 4000])
def test_a_change_is_reported_once(later: int) -> None:
    sound = Sound(1000)
    sound.changes(40)
    sound.delay += later
    assert sound.changes(60) == [later]
    assert sound.measured.samples == 1000 + later


def test_while_a_person_speaks_the_delay_stays_certain() -> None:
    sound = Sound(1000)
    sound.changes(40)
    assert sound.changes(60, person=1500) == []
    assert not sound.measured.is_uncertain
    assert sound.measured.samples == 1000


def test_only_after_a_change_the_echo_explains_what_is_heard() -> None:
    sound = Sound(1000)
    sound.changes(600)
    assert not sound.measured.is_explained
    sound.measured.disturb()
    sound.changes(10)
    assert sound.measured.is_explained
    sound.changes(30, person=1500)
    assert not sound.measured.is_explained
    sound.changes(600)
    assert not sound.measured.is_explained


def test_nothing_is_measured_without_an_echo() -> None:
    sound = Sound(1000)
    assert sound.changes(60, echo=0.0, person=1000) == []
    assert sound.measured.samples is None


def test_a_new_delay_is_uncertain_until_it_was_measured_twice() -> None:
    sound = Sound(1000)
    sound.changes(40)
    sound.delay = 2000
    states = set()
    for _ in range(40):
        sound.changes(1)
        states.add(sound.measured.is_uncertain)
    assert states == {True, False}
    assert not sound.measured.is_uncertain
