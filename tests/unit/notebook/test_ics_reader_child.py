"""Reading iCalendar files: those of other programs, and each form of a date in RFC 5545."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.rule import Calendar, Every, Once, clock_time, runs_after
from neodeskpet.documents.reader_child import read_file as read_document
from neodeskpet.language import set_language
from neodeskpet.notebook.appointment import LOCAL_ZONE, find_zone
from neodeskpet.notebook.ics_entries import IcsAppointment, IcsContent, read_content, write_content
from neodeskpet.notebook.ics_reader_child import MOST_BYTES, IcsRefused, answer, read_ics

FILES = Path(__file__).with_name("ics_files")
BERLIN = ZoneInfo("Europe/Berlin")


def at(*parts: int, zone: object = UTC) -> float:
    return datetime(*parts, tzinfo=zone).timestamp()  # type: ignore[misc, arg-type]


def read(*lines: str, now: float = 0.0, kind: str = "VEVENT") -> IcsContent:
    """Return the content of a file with one entry that has these lines."""
    body = "\r\n".join((f"BEGIN:{kind}", "SUMMARY:Tea", "UID:1", *lines, f"END:{kind}"))
    return read_file(body, now=now)


def read_file(*entries: str, now: float = 0.0) -> IcsContent:
    text = "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *entries, "END:VCALENDAR", ""))
    return read_ics(text.encode(), now)


def runs(one: IcsAppointment, count: int, after: float = 0.0) -> list[datetime]:
    """Return the next times in the clock of its zone."""
    zone = find_zone(one.zone)
    return [
        clock_time(run, zone) for run in islice(runs_after(one.rule, after, zone, one.until), count)
    ]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    set_language("en")
    yield
    set_language("en")


def test_a_named_zone_is_kept() -> None:
    (one,) = read("DTSTART;TZID=Europe/Berlin:20261204T170000", "LOCATION:Kitchen").appointments
    assert one.title == "Tea (Kitchen)"
    assert one.rule == Once(at(2026, 12, 4, 17, zone=BERLIN))
    (one,) = read(
        "DTSTART;TZID=Europe/Berlin:20261023T170000", "RRULE:FREQ=WEEKLY;COUNT=3"
    ).appointments
    assert one.zone == "Europe/Berlin"
    # 17:00 before and after the clocks go back
    assert runs(one, 9) == [datetime(2026, 10, day, 17) for day in (23, 30)] + [
        datetime(2026, 11, 6, 17)
    ]
    assert one.said == "every Friday at 17:00"


def test_a_time_without_a_zone_is_local() -> None:
    (one,) = read("DTSTART:20261204T170000", "RRULE:FREQ=DAILY;UNTIL=20261206").appointments
    assert one.zone == ""
    assert runs(one, 9) == [datetime(2026, 12, day, 17) for day in (4, 5, 6)]


def test_a_whole_day_rings_at_nine() -> None:
    (one,) = read("DTSTART;VALUE=DATE:20261204").appointments
    assert runs(one, 2) == [datetime(2026, 12, 4, 9)]
    assert one.said == "2026-12-04"
    (one,) = read(
        "DTSTART;VALUE=DATE:20261204", "RRULE:FREQ=DAILY", "EXDATE;VALUE=DATE:20261205"
    ).appointments
    assert one.said == "every day"
    assert runs(one, 2) == [datetime(2026, 12, 4, 9), datetime(2026, 12, 6, 9)]


def test_dates_are_excluded_and_added() -> None:
    found = read(
        "DTSTART;TZID=Europe/Berlin:20261201T100000",
        "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4",
        "EXDATE;TZID=Europe/Berlin:20261215T100000",
        "EXDATE:20261229T090000Z",
        "RDATE;TZID=Europe/Berlin:20261202T100000,20261201T100000",
    ).appointments
    series, single = found
    assert runs(series, 9) == [datetime(2026, 12, 1, 10), datetime(2027, 1, 12, 10)]
    assert single.rule == Once(at(2026, 12, 2, 10, zone=BERLIN))
    assert (single.series, single.uid != series.uid) == (series.uid, True)


def test_an_exception_of_a_series_replaces_its_date() -> None:
    series = (
        "BEGIN:VEVENT\r\nUID:s\r\nSUMMARY:Gym\r\nDTSTART:20261201T160000Z\r\n"
        "RRULE:FREQ=WEEKLY\r\nEND:VEVENT"
    )
    moved = (
        "BEGIN:VEVENT\r\nUID:s\r\nSUMMARY:Gym late\r\nRECURRENCE-ID:20261208T160000Z\r\n"
        "DTSTART:20261208T190000Z\r\nEND:VEVENT"
    )
    gone = (
        "BEGIN:VEVENT\r\nUID:s\r\nSTATUS:CANCELLED\r\nRECURRENCE-ID:20261215T160000Z\r\n"
        "DTSTART:20261215T160000Z\r\nEND:VEVENT"
    )
    for order in ((series, moved, gone), (gone, moved, series)):
        found = read_file(*order, now=at(2026, 11, 28))
        by_title = {one.title: one for one in found.appointments}
        assert set(by_title) == {"Gym", "Gym late"}
        assert [run.day for run in runs(by_title["Gym"], 3)] == [1, 22, 29]
        assert by_title["Gym late"].rule == Once(at(2026, 12, 8, 19))
        assert found.over == 1


def test_past_entries_are_left_out() -> None:
    now = at(2026, 11, 28)
    assert read("DTSTART:20261127T100000Z", now=now) == IcsContent(over=1)
    ended = ("DTSTART:20261101T100000Z", "RRULE:FREQ=DAILY;COUNT=5")
    assert read(*ended, now=now) == IcsContent(over=1)
    assert read("DTSTART:20261204T100000Z", "STATUS:CANCELLED", now=now) == IcsContent(over=1)
    assert read("DUE:20261204", "STATUS:COMPLETED", kind="VTODO") == IcsContent(over=1)
    (goes_on,) = read("DTSTART:20200101T100000Z", "RRULE:FREQ=DAILY", now=now).appointments
    assert runs(goes_on, 1, now) == [datetime(2026, 11, 28, 10)]


def test_entries_repeated_every_minute() -> None:
    (one,) = read(
        "DTSTART:20261204T100000Z", "RRULE:FREQ=MINUTELY;INTERVAL=90;COUNT=3"
    ).appointments
    assert one.rule == Every(at(2026, 12, 4, 10), 5_400)
    assert len(runs(one, 9)) == 3
    (one,) = read(
        "DTSTART:20261204T100000Z", "RRULE:FREQ=HOURLY;UNTIL=20261204T120000Z"
    ).appointments
    assert len(runs(one, 9)) == 3


def test_todos_have_a_due_date_in_local_time() -> None:
    def due(*lines: str) -> Due | None:
        (one,) = read(*lines, kind="VTODO").todos
        return one.due

    assert due("DUE;VALUE=DATE:20261204") == Due(date(2026, 12, 4))
    assert due("DUE:20261204T170000") == Due(date(2026, 12, 4), time(17))
    wall = clock_time(at(2026, 12, 4, 17), LOCAL_ZONE)
    assert due("DUE:20261204T170000Z") == Due(wall.date(), wall.time())
    assert due("DTSTART:20261204T170000", "DURATION:PT1H") == Due(date(2026, 12, 4), time(18))
    assert due() is None


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("DTSTART:never",), "It has no readable date."),
        (("RRULE:FREQ=DAILY",), "It has no readable date."),
        (("DTSTART;TZID=Mars/Rift:20261204T170000",), "There is no time zone “Mars/Rift”"),
        (("DTSTART:20261204T170000Z", "RRULE:FREQ=SECONDLY"), "can't be read as a rule"),
        (("DTSTART:20261204T170000Z", "RRULE:FREQ=HOURLY;BYDAY=MO"), "can't be read as a rule"),
        (("DTSTART:20261204T170000Z", "RRULE:FREQ=YEARLY;BYWEEKNO=3"), "can't be used in a rule"),
        (("DTSTART:20261204T170000Z", "RRULE:FREQ=DAILY;COUNT=99999"), "can't be read as a rule"),
        (
            ("DTSTART:20261204T170000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261204T170000Z"),
            "It changes all later dates of a series.",
        ),
        (
            ("DTSTART:20261204T170000Z", "RRULE:FREQ=DAILY", "EXRULE:FREQ=WEEKLY"),
            "It has a rule of exceptions (EXRULE).",
        ),
    ],
)
def test_entries_that_can_not_be_imported_have_a_reason(
    lines: tuple[str, ...], reason: str
) -> None:
    found = read(*lines)
    assert not found.appointments
    ((title, why),) = [(one.title, one.reason) for one in found.problems]
    assert title == "Tea"
    assert reason in str(why)


def test_titles_are_one_visible_line_of_limited_length() -> None:
    (one,) = read("DTSTART:20261204T170000Z", "LOCATION:A\\nB\u202e" + "x" * 500).appointments
    assert one.title.startswith("Tea (A B\\u202exxx") and len(one.title) == 200
    (one,) = read_file("BEGIN:VEVENT\r\nDTSTART:20261204T170000Z\r\nEND:VEVENT").appointments
    assert one.title == "Appointment"


def test_the_description_of_a_rule_is_in_the_language_of_the_user() -> None:
    rule = ("DTSTART:20261201T160000", "RRULE:FREQ=WEEKLY;BYDAY=TU,TH")
    assert read(*rule).appointments[0].said == "every Tuesday, Thursday at 16:00"
    monthly = ("DTSTART;VALUE=DATE:20261205", "RRULE:FREQ=MONTHLY")
    assert read(*monthly).appointments[0].said == "every month on the 5th"
    yearly = ("DTSTART;VALUE=DATE:20270517", "RRULE:FREQ=YEARLY")
    assert read(*yearly).appointments[0].said == "every year on May 17"
    odd = ("DTSTART:20261201T160000", "RRULE:FREQ=MONTHLY;BYDAY=1TU")
    assert read(*odd).appointments[0].said == "FREQ=MONTHLY;BYDAY=1TU"
    set_language("zh_CN")
    assert read(*rule).appointments[0].said == "每周二、周四 16:00"
    assert read(*monthly).appointments[0].said == "每月5号"
    assert read(*yearly).appointments[0].said == "每年5月17日"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_description_means_the_rule(language: str) -> None:
    """It is the text in the form when the appointment is edited."""
    set_language(language)
    for day in range(1, 32):
        rule = f"DTSTART:202701{day:02}T083000", "RRULE:FREQ=MONTHLY"
        assert not read(*rule).appointments[0].said.startswith("FREQ")
        rule = f"DTSTART:202701{day:02}T083000", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,SU"
        assert not read(*rule).appointments[0].said.startswith("FREQ")
    for month in range(1, 13):
        rule = f"DTSTART:2027{month:02}03T083000", "RRULE:FREQ=YEARLY"
        assert not read(*rule).appointments[0].said.startswith("FREQ")


def test_the_same_uid_gives_the_same_entry_and_reveals_nothing() -> None:
    line = "DTSTART:20261204T170000Z"
    (first,), (second,) = read(line).appointments, read(line, "SEQUENCE:2").appointments
    assert first.uid == second.uid and len(first.uid) == 32
    own = "0123456789abcdef0123456789abcdef"
    text = f"BEGIN:VEVENT\r\nUID:{own}@neodeskpet\r\n{line}\r\nEND:VEVENT"
    assert read_file(text).appointments[0].uid == own


# Files of other programs


def foreign(name: str, now: float = 0.0) -> IcsContent:
    return read_ics((FILES / name).read_bytes(), now)


def test_files_of_other_programs() -> None:
    (google,) = foreign("alarm_google_future.ics").appointments
    assert (google.title, google.rule) == ("event with alarms", Once(at(2024, 10, 4, 18, 15)))
    (vienna,) = foreign("timezoned.ics").appointments
    assert vienna.rule == Once(at(2012, 2, 13, 10, zone=ZoneInfo("Europe/Vienna")))
    assert vienna.title.startswith("artsprint 2012")
    both = foreign("issue_1050_all_components.ics")
    assert [one.title for one in both.appointments] == ["Test Event 1"]
    assert [one.text for one in both.todos] == ["Test Todo 1"]
    # A zone that the file describes itself, as Outlook does, is identified by its rules.
    (custom,) = foreign("issue_466_respect_unique_timezone.ics").appointments
    assert runs(custom, 1, at(2022, 11, 1)) == [datetime(2022, 11, 4, 20)]
    # `recurring_ical_events` 3.8 gives the same dates.
    assert sorted(
        run.date()
        for one in foreign("period_with_timezone.ics").appointments
        for run in runs(one, 20)
    ) == [
        date(2023, 9, 20),
        date(2023, 10, 18),
        date(2023, 11, 15),
        date(2023, 12, 13),
        date(2024, 1, 17),
        date(2024, 2, 21),
        date(2024, 3, 20),
        date(2024, 4, 17),
        date(2024, 5, 15),
    ]


def test_of_a_damaged_file_the_readable_part_is_read() -> None:
    (one,) = foreign("issue_104_broken_calendar.ics").appointments
    assert one.title == "Broken Eevnt"
    found = foreign("rfc_7529.ics")
    assert not found.appointments
    assert {one.title for one in found.problems} >= {"Chinese New Year", "Anniversary"}
    assert len(foreign("issue_722_missing_VTIMEZONE_custom.ics").problems) == 1


def test_a_file_that_is_no_calendar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IcsRefused):
        read_ics(b"\x89PNG\r\n", 0.0)
    many = "BEGIN:VEVENT\nDTSTART:20261204\nEND:VEVENT\n" * 5_001
    with pytest.raises(IcsRefused):
        read_file(many)

    def ask(path: Path) -> dict[str, object]:
        frame = json.dumps({"path": str(path), "now": 0.0, "language": "en"}).encode()
        told: dict[str, object] = json.loads(answer(frame))
        return told

    large = tmp_path / "large.ics"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert ask(large)["refused"] == "It is larger than {size} MB."
    assert "failed" in ask(tmp_path / "none.ics")
    assert "failed" in ask(tmp_path)
    page = tmp_path / "page.ics"
    page.write_text("<html>", "utf-8")
    assert "refused" in ask(page)
    good = json.dumps(ask(FILES / "timezoned.ics")).encode()
    assert read_content(good) == foreign("timezoned.ics")


def test_a_calendar_file_in_the_chat_is_an_ordinary_text_attachment() -> None:
    assert read_document(FILES / "timezoned.ics").text.startswith("BEGIN:VCALENDAR")


def test_the_content_is_sent_to_the_parent_unchanged() -> None:
    found = read(
        "DTSTART;TZID=Europe/Berlin:20261204T170000",
        "RRULE:FREQ=DAILY;COUNT=9",
        "EXDATE;TZID=Europe/Berlin:20261205T170000",
    )
    assert isinstance(found.appointments[0].rule, Calendar)
    assert read_content(json.dumps(write_content(found)).encode()) == found
