"""What the pill at the feet shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.figure.figure_state import (
    FOCUS_STEPS,
    LEVELS,
    FigureActivity,
    FigureState,
    FigureStateKind,
    FocusTime,
    figure_state,
    seconds_to_next_change,
)

ALL = FigureActivity("Delete the note?", "Search", 10.0, True, 8.0, "17:20")


def test_the_most_important_state_is_shown() -> None:
    activity, shown = ALL, []
    for less in (
        {"question": ""},
        {"tool": ""},
        {"is_speaking": False},
        {"thinking_since": None},
        {"quiet_until": ""},
    ):
        shown.append(figure_state(activity, 13.5))
        activity = replace(activity, **less)  # type: ignore[arg-type]
    assert shown == [
        FigureState(FigureStateKind.ASKING, "Delete the note?"),
        FigureState(FigureStateKind.TOOL, "Search… 3 s"),
        FigureState(FigureStateKind.SPEAKING, "Speaking"),
        FigureState(FigureStateKind.THINKING, "Thinking"),
        FigureState(FigureStateKind.QUIET, "until 17:20"),
    ]
    assert figure_state(activity, 13.5) is None


def test_the_user_who_speaks_comes_first() -> None:
    activity = replace(ALL, hearing_since=10.0, hearing_level=0.6)
    assert figure_state(activity, 13.5) == FigureState(FigureStateKind.LISTENING, "0:03", 3)
    assert figure_state(activity, 73.5) == FigureState(FigureStateKind.LISTENING, "1:03", 3)
    loud = replace(activity, hearing_level=7.0)
    assert figure_state(loud, 9.0) == FigureState(FigureStateKind.LISTENING, "0:00", LEVELS)
    assert seconds_to_next_change(activity, 13.5) == 0.1


def test_thinking_is_shown_after_a_second() -> None:
    activity = FigureActivity(thinking_since=10.0)
    assert figure_state(activity, 10.9) is None
    assert seconds_to_next_change(activity, 10.75) == pytest.approx(0.25)
    assert figure_state(activity, 11.0) is not None
    assert seconds_to_next_change(activity, 11.0) is None
    quiet = replace(activity, quiet_until="17:20")
    assert figure_state(quiet, 10.5) == FigureState(FigureStateKind.QUIET, "until 17:20")


@pytest.mark.parametrize(
    ("activity", "seconds"),
    [
        (FigureActivity(question="Delete?", tool="Search"), None),
        (FigureActivity(tool="Search", tool_since=10.0), 0.5),
        (FigureActivity(is_speaking=True), 1.0),
        (FigureActivity(quiet_until="17:20"), None),
        (FigureActivity(), None),
    ],
)
def test_it_is_read_again_only_when_time_changes_it(
    activity: FigureActivity, seconds: float | None
) -> None:
    assert seconds_to_next_change(activity, 12.5) == seconds


def test_a_focus_session_counts_minutes_and_then_seconds() -> None:
    shown = [
        figure_state(FigureActivity(focus=FocusTime(left, 1500.0, is_break, "More")), 0.0)
        for left, is_break in ((1500.0, False), (1439.5, False), (59.0, False), (5.2, True))
    ]
    assert shown == [
        FigureState(FigureStateKind.FOCUS, "25 min", FOCUS_STEPS, "More"),
        FigureState(FigureStateKind.FOCUS, "24 min", 58, "More"),
        FigureState(FigureStateKind.FOCUS, "0:59", 3, "More"),
        FigureState(FigureStateKind.BREAK, "0:06", 1, "More"),
    ]
    waits = [
        seconds_to_next_change(FigureActivity(focus=FocusTime(left, 1500.0)), 0.0)
        for left in (1500.0, 1439.0, 59.5, 0.0)
    ]
    assert waits == [25.0, 14.0, 0.5, None]
    both = FigureActivity(quiet_until="17:20", focus=FocusTime(60.0, 1500.0))
    assert figure_state(both, 0.0) == FigureState(FigureStateKind.FOCUS, "1 min", 3)
