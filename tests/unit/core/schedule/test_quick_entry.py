"""The entry field of the window "Today": which kind of entry it makes, and with what time."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT
from neodeskpet.core.schedule.quick_entry import EntryKind, QuickEntry, read_entry
from neodeskpet.core.schedule.rule import Calendar, Once

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 27, 12, tzinfo=ZONE).timestamp()
"""A Friday."""


def read(line: str, wanted: EntryKind | None = None) -> QuickEntry:
    return read_entry(line, NOW, ZONE, wanted)


@pytest.mark.parametrize(
    ("line", "text", "seconds"),
    [
        ("tea 5 min", "tea", 300),
        ("in 10 minutes stretch", "stretch", 600),
        ("泡茶5分钟", "泡茶", 300),
        ("25 min", "", 1500),
    ],
)
def test_a_duration_makes_a_timer(line: str, text: str, seconds: float) -> None:
    assert read(line) == QuickEntry(EntryKind.TIMER, text, seconds)


@pytest.mark.parametrize(
    ("line", "text", "at"),
    [
        ("dentist Tue 4pm", "dentist", datetime(2026, 12, 1, 16)),
        ("明天下午三点看牙医", "看牙医", datetime(2026, 11, 28, 15)),
        ("lunch at 1 pm", "lunch", datetime(2026, 11, 27, 13)),
    ],
)
def test_a_day_with_an_hour_makes_an_appointment(line: str, text: str, at: datetime) -> None:
    entry = read(line)
    assert (entry.kind, entry.text, entry.fault) == (EntryKind.APPOINTMENT, text, None)
    assert entry.meant is not None
    assert entry.meant.rule == Once(at.replace(tzinfo=ZONE).timestamp())


@pytest.mark.parametrize("line", ["yoga every tue 4pm", "water the plants every day", "每周二瑜伽"])
def test_a_repeated_time_makes_an_appointment(line: str) -> None:
    entry = read(line)
    assert entry.kind is EntryKind.APPOINTMENT
    assert entry.meant is not None
    assert isinstance(entry.meant.rule, Calendar)


@pytest.mark.parametrize(
    ("line", "text", "due"),
    [
        ("milk", "milk", None),
        ("buy film fri", "buy film", Due(date(2026, 11, 27))),
        ("call Ana tomorrow", "call Ana", Due(date(2026, 11, 28))),
        ("周一交表", "交表", Due(date(2026, 11, 30))),
        ("距离考研 12月26日", "距离考研", Due(date(2026, 12, 26))),
        ("距离考研还有29天", "距离考研还有", Due(date(2026, 12, 26))),
        ("Countdown to launch", "Countdown to launch", None),
        ("Countdown to Christmas", "Countdown to Christmas", Due(date(2026, 12, 25))),
        ("prepare Friday's meeting", "prepare Friday's meeting", None),
    ],
)
def test_other_text_makes_a_todo(line: str, text: str, due: Due | None) -> None:
    assert read(line) == QuickEntry(EntryKind.TODO, text, due=due)


def test_the_user_may_choose_another_kind() -> None:
    assert read("tea 5 min", EntryKind.NOTE) == QuickEntry(EntryKind.NOTE, "tea 5 min")
    todo = read("dentist Tue 4pm", EntryKind.TODO)
    assert todo.due == Due(date(2026, 12, 1), time(16))
    assert read("pasta 9 min", EntryKind.TIMER).seconds == 540
    assert read("call Ana tomorrow", EntryKind.APPOINTMENT).meant is not None


def test_missing_parts_are_named() -> None:
    for kind in (EntryKind.TIMER, EntryKind.APPOINTMENT):
        entry = read("milk", kind)
        assert entry.kind is kind
        assert entry.fault is not None
    no_day = read("taxes 31 Feb")
    assert no_day.fault is not None and "no such day" in no_day.fault.text
    doubtful = read("dentist 03/04/2027 at 9:00", EntryKind.APPOINTMENT)
    assert doubtful.fault is not None or doubtful.meant is not None


def test_a_long_text_is_a_todo_without_a_date() -> None:
    line = "tomorrow " * LONGEST_TEXT
    assert read(line).due is None
    assert read(line).fault is None
    assert read(line, EntryKind.TIMER).fault is not None


@given(st.text(max_size=60), st.sampled_from([None, *EntryKind]))
def test_any_text_can_be_read(line: str, wanted: EntryKind | None) -> None:
    entry = read(line, wanted)
    assert wanted is None or entry.kind is wanted
    if entry.fault is None and entry.kind is EntryKind.TIMER:
        assert entry.seconds > 0
    if entry.fault is None and entry.kind is EntryKind.APPOINTMENT:
        assert entry.meant is not None


def test_an_ambiguous_day_is_asked_about() -> None:
    entry = read("dentist on 03/04 at 5 pm")
    assert entry.kind is EntryKind.APPOINTMENT
    assert entry.meant is not None
    assert entry.fault is not None
