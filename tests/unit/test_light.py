"""The figures of the light benchmark, and the text that it streams."""

from __future__ import annotations

import pytest

from tests.bench.light.goals import GOALS, lines
from tests.bench.light.service import CHARS, reply, silences


def test_each_row_says_whether_its_goal_is_reached() -> None:
    figures = {
        "paints_per_second": 61.0,
        "stream_cpu_s": 9.0,
        "naive_stream_cpu_s": 30.0,
        "delta_p50_ms": 5.0,
    }
    told = [row for row in lines(figures) if "nan" not in row]
    assert len(told) == 4
    assert told[0].split()[:4] == ["61.00", "yes", ">=", "58"]
    assert told[1].split()[:4] == ["9.00", "NO", "<=", "5.5"]
    assert told[2].split()[:3] == ["30.00", "the", "same"], "a peer has no goal"
    assert told[3].split()[1] == "yes", "just reached"


def test_a_missing_value_reaches_no_goal() -> None:
    rows = list(lines({"stream_cpu_s": float("nan")}))
    assert all(row.split()[1] == "NO" for row in rows)
    assert len(rows) == sum(bool(sign) for sign, _words, _goal in GOALS.values())


@pytest.mark.parametrize("sign", [goal[0] for goal in GOALS.values()])
def test_symbols(sign: str) -> None:
    assert sign in ("", "<=", ">=")


def test_the_stream_holds_all_kinds_of_text() -> None:
    text = reply()
    assert len(text) == CHARS
    for sample in (
        "```python",
        "| City |",
        "1. Look",
        "明天",
        "$$\n",
        "$v = ",
        "> Who",
        "**重点：**",
    ):
        assert text.count(sample) > 10, sample


def test_the_beginning_of_a_table_is_not_shown() -> None:
    text = reply(3_000)
    found = silences(text)
    assert len(found) > 1
    for begin, end in found:
        assert text[begin:end].startswith("\n```\n\n| City")
        assert text[begin:end].endswith("--:|\n")
