"""Phrases and the moments they mean; the table is `said.txt`.

From "后天下午三点" on, the cases were written before the parser existed.
"""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.parsing.time_parser import (
    LONGEST_TEXT,
    AmbiguousTime,
    parse_time,
    show_runs,
)
from neodeskpet.core.schedule.rule import next_run

ZONE = ZoneInfo("Europe/Berlin")
CASES = [
    tuple(line.split(" | ", 2))
    for line in (Path(__file__).with_name("said.txt")).read_text("utf-8").splitlines()[1:]
]


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE).timestamp()


def outcome(text: str, now: float) -> str:
    try:
        found = parse_time(text, now, ZONE)
    except InvalidValue as error:
        return f"! {error}"
    if isinstance(found, AmbiguousTime):
        return "? " + " / ".join(show_runs(one, now, ZONE, 2) for one in found.readings)
    return show_runs(found, now, ZONE) + (" *" if found.assumed else "")


@pytest.mark.parametrize(("said_at", "text", "expected"), CASES)
def test_phrases(said_at: str, text: str, expected: str) -> None:
    assert outcome(text, moment(said_at)) == expected


def test_there_are_many_cases_in_both_languages() -> None:
    chinese = [text for _, text, _ in CASES if any("一" <= char <= "鿿" for char in text)]
    assert len(chinese) >= 150
    assert len(CASES) - len(chinese) >= 150


def test_an_unclear_phrase_is_refused_with_all_its_readings() -> None:
    now = moment("2026-11-25 10:00")
    found = parse_time(" next Friday at noon", now, ZONE)
    assert isinstance(found, AmbiguousTime)
    assert str(found.question(now, ZONE)) == (
        "“next Friday at noon” may mean (1) 2026-11-27 Fri 12:00; (2) 2026-12-04 Fri 12:00. "
        "Say which one."
    )


def test_a_long_text_is_refused_without_reading() -> None:
    with pytest.raises(InvalidValue, match="at most 200 characters, not 201"):
        parse_time("x" * (LONGEST_TEXT + 1), moment("2026-11-25 10:00"), ZONE)


PIECES = sorted(
    {piece for _, text, _ in CASES for piece in text.split()} | set("每周一下点半,:0123")
)


def is_to_come_or_refused(text: str) -> bool:
    """Every reading is after now, and no two of them are equal; a refusal is a sentence."""
    now = moment("2026-11-25 10:00")
    try:
        found = parse_time(text, now, ZONE)
    except InvalidValue as refusal:
        return str(refusal).endswith(".")
    readings = found.readings if isinstance(found, AmbiguousTime) else (found,)
    first = [next_run(one.rule, now, ZONE, one.until) for one in readings]
    several = len(readings) > 1 and len(set(readings)) == len(readings)
    return several is isinstance(found, AmbiguousTime) and all(one and one > now for one in first)


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.booleans())
def test_any_words_are_in_the_future_or_refused(pieces: list[str], apart: bool) -> None:
    assert is_to_come_or_refused((" " if apart else "").join(pieces))


@given(st.text(max_size=40))
@example("2020-01-01T10:00:00Z")
@example("next Friday")
def test_any_text_is_in_the_future_or_refused(text: str) -> None:
    assert is_to_come_or_refused(text)
