"""When the benchmark of hostile input fails: too slow, too large, or wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.hostile.case import HOLD_MS, IMPORT_SECONDS, MEMORY_MIB, Case, Scene
from tests.bench.hostile.rows import failing, judge


async def play(scene: Scene) -> str:
    return "shown"


TEXT, IMPORT = Case("a text", play), Case("a figure", play, IMPORT_SECONDS)
CALM = {"hold": 20.0, "cpu": 18.0, "seconds": 2.0, "came_to": "shown", "place": "view.py"}


def test_the_limits_are_the_specified_ones() -> None:
    assert (HOLD_MS, MEMORY_MIB, IMPORT_SECONDS) == (50, 600, 30)


def test_results_within_the_limits_pass() -> None:
    row = judge(TEXT, {**CALM, "hold": HOLD_MS, "seconds": 3_000.0}, MEMORY_MIB, "", "")
    assert (row.faults, row.came_to) == ((), "shown")
    assert failing([row]) == 0


@pytest.mark.parametrize(
    ("case", "told", "most", "death", "fault"),
    [
        (TEXT, {"hold": HOLD_MS + 1}, 0, "", "hold"),
        (TEXT, {}, MEMORY_MIB + 1, "", "memory"),
        (IMPORT, {"seconds": IMPORT_SECONDS + 1}, 0, "", "time"),
        (TEXT, {"wrong": True}, 0, "", "came to the wrong thing"),
        (TEXT, {}, 0, "died of SIGSEGV", "died of SIGSEGV"),
    ],
)
def test_a_result_beyond_a_limit_is_reported(
    case: Case, told: dict[str, Any], most: float, death: str, fault: str
) -> None:
    row = judge(case, {**CALM, **told}, most, death, "a\nlast words")
    assert row.faults == (fault,)
    assert failing([row]) == 1
    assert ("last words" in row.place) is bool(death)


def test_a_case_without_a_result_has_crashed() -> None:
    row = judge(TEXT, {}, 10.0, "exit code 1", "Traceback")
    assert row.faults == ("exit code 1",)
    assert row.came_to == "nothing"
