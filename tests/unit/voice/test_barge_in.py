"""The companion's own voice never stops it, and a person's voice does, in simulated rooms.

`./run bench voice --simulate` does the same for ten minutes and forty interruptions in each room.
"""

from __future__ import annotations

import pytest

from tests.support.barge_in import ROOMS, people, simulate


@pytest.mark.parametrize("room", ["usual", "lost and doubled frames", "microphone 200 ppm fast"])
def test_its_own_voice_does_not_stop_it(room: str) -> None:
    assert simulate(ROOMS[room], 20, 0).false_stops == []


@pytest.mark.parametrize("room", ["far, reverberant", "monitor of the output"])
def test_a_person_stops_it(room: str) -> None:
    result = simulate(ROOMS[room], 60, 6)
    assert (result.missed, result.false_stops) == (0, [])
    assert result.at(0.5) <= 300


def test_the_recorded_people_are_complete() -> None:
    assert len(people()) == 8
