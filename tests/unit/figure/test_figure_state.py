"""What the pill at the feet shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.figure.figure_state import (
    LEVELS,
    FigureActivity,
    FigureState,
    FigureStateKind,
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
