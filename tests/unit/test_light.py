"""The figures of the light benchmark and of those with an archive, and the texts that they use."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import numpy as np
import pytest

from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.bench import growth
from tests.bench.archive import archive_texts, write_archive
from tests.bench.light.goals import GOALS, lines, scale_of
from tests.bench.light.marks import Picture, mark_area, mark_delay
from tests.bench.light.service import CHARS, DELTA, MARK, page, reply, silences
from tests.soak.verdict import GROWTH_LIMIT, WARM_SECONDS, Sample


def test_each_row_says_whether_its_goal_is_reached() -> None:
    figures = {
        "delta_p50_ms": 5.0,
        "paints_per_second": 61.0,
        "stream_cpu_s": 9.0,
        "naive_stream_cpu_s": 30.0,
    }
    told = [row for row in lines(figures) if "nan" not in row]
    assert len(told) == 4
    assert told[0].split()[1] == "yes", "just reached"
    assert told[1].split()[:4] == ["61.00", "yes", ">=", "58"]
    assert told[2].split()[:4] == ["9.00", "NO", "<=", "5.5"]
    assert told[3].split()[:3] == ["30.00", "the", "same"], "a peer has no goal"


def test_rows_of_another_table() -> None:
    table = {"a": ("<=", "a row", 2.0), "b": ("", "a peer", 0.0)}
    assert [row.split() for row in lines({"a": 1.0}, table)] == [
        ["1.00", "yes", "<=", "2", "a", "row"]
    ]


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


def test_the_last_delta_of_a_page_is_the_mark() -> None:
    text = page()
    assert text.endswith(f"\n\n{MARK}")
    assert len(MARK) == DELTA
    assert len(text) % DELTA == 0


def _picture(time: float, *bars: int) -> Picture:
    """A white window with a column of text, and bars in these rows."""
    pixels = np.full((200, 120, 3), 255, np.uint8)
    pixels[:, 10:14] = 0
    for row in bars:
        pixels[row : row + 8, 20:60] = 10
    return Picture(time, pixels)


def test_only_a_bar_counts_as_a_mark() -> None:
    assert mark_area(_picture(0.0).pixels) == 0
    assert mark_area(_picture(0.0, 50, 90).pixels) == 2 * mark_area(_picture(0.0, 50).pixels) > 0
    assert mark_area(np.zeros((2, 4, 3), np.uint8)) == 0


def test_the_new_mark_counts_and_not_that_of_an_earlier_reply() -> None:
    pictures = [
        _picture(0.9, 20),
        _picture(1.01, 20),
        _picture(1.03, 20, 60),
        _picture(1.05, 10, 50),
    ]
    assert mark_delay(1.0, pictures) == pytest.approx(0.03)


@pytest.mark.parametrize(
    "pictures",
    [[], [_picture(0.9)], [_picture(1.1, 20)], [_picture(0.9, 20), _picture(1.1, 20)]],
)
def test_without_a_new_mark_there_is_no_delay(pictures: list[Picture]) -> None:
    assert math.isnan(mark_delay(1.0, pictures))


def test_the_archive_is_a_long_conversation_and_short_ones(tmp_path: Path) -> None:
    texts = archive_texts(350)

    async def write_and_read() -> tuple[list[int], str]:
        await write_archive(tmp_path, texts, latest=200)
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        conversations = await store.conversations()
        sizes = [len(await store.heads(one.id)) for one in conversations]
        last = (await store.history(conversations[0].id))[-1]
        await store.aclose()
        return sizes, last.text

    sizes, last = asyncio.run(write_and_read())
    assert sizes == [200, 50, 100], "the latest one first"
    assert last == texts[-1]


def _day(per_hour: float) -> list[Sample]:
    return [
        Sample(second, 200 + per_hour * second / 3600, 0, 0, 0, 0, 0)
        for second in range(0, 2400, 5)
    ]


def test_growth_is_told_after_the_first_ten_minutes() -> None:
    figures = growth.growth_figures(_day(6.0))
    assert figures["growth_mib_h"] == pytest.approx(6.0)
    assert figures["last_mib"] > figures["warm_mib"] > 200
    assert set(figures) == set(growth.GOALS)
    assert growth.growth_figures(_day(0.0))["growth_mib_h"] <= GROWTH_LIMIT
    assert growth.growth_figures(_day(6.0)[: int(WARM_SECONDS // 5)]) == {}, "too short"


def test_goals_of_times_are_scaled_to_the_computer() -> None:
    figures = {"chat_start_s": 1.0, "chat_pss_mib": 200.0}
    slow = list(lines(figures, {name: GOALS[name] for name in figures}, scale_of(0.46)))
    assert [row.split()[1:4] for row in slow] == [["yes", "<=", "1.5"], ["NO", "<=", "110"]]
