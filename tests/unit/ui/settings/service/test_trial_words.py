"""A trial, worded for the person."""

import pytest

from neodeskpet.core.errors import ToolsUnsupported
from neodeskpet.llm.trial.trial import Outcome, Trial
from neodeskpet.ui.settings.ports import Finding, Verdict
from neodeskpet.ui.settings.service.trial_words import finding, proposal, trying

GOOD, FAULT, FAILED = Outcome.GOOD, Outcome.FAULT, Outcome.FAILED


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (
            Trial("models", GOOD, 0.2123, 12),
            Finding("connection", "Connection", Verdict.GOOD, "212 ms", "12 models"),
        ),
        (
            Trial("streaming", GOOD, 0.41, 86.4),
            Finding(
                "streaming",
                "Streaming",
                Verdict.GOOD,
                "first token after 0.41 s",
                "86 pieces/s",
            ),
        ),
        (
            Trial("streaming", FAULT, 1.0, 2.0),
            Finding("streaming", "Streaming", Verdict.FAULT, "comes in one piece", "2 pieces/s"),
        ),
        (
            Trial("streaming", FAULT),
            Finding("streaming", "Streaming", Verdict.FAULT, "no text came"),
        ),
        (Trial("usage", GOOD), Finding("usage", "Usage report", Verdict.GOOD, "reported")),
        (
            Trial("usage", FAULT),
            Finding("usage", "Usage report", Verdict.FAULT, "not reported", "estimated instead"),
        ),
        (Trial("tools", GOOD), Finding("tools", "Native tools", Verdict.GOOD, "called")),
        (
            Trial("tools", FAULT),
            Finding("tools", "Native tools", Verdict.FAULT, "accepted, but not called"),
        ),
        (Trial("later", GOOD), Finding("later", "later", Verdict.GOOD)),
    ],
    ids=lambda value: value.id if isinstance(value, Trial) else "",
)
def test_rows(trial: Trial, expected: Finding) -> None:
    assert finding(trial) == expected


def test_a_failure_says_what_and_what_to_do() -> None:
    row = finding(Trial("tools", FAILED, error=ToolsUnsupported("tools: unknown field")))
    assert row.verdict is Verdict.FAILED
    assert "tools: unknown field" in row.text
    assert "text mode" in row.detail


def test_a_running_row_has_the_id_of_the_one_that_follows() -> None:
    assert trying("models").id == finding(Trial("models", GOOD)).id
    assert trying("tools").verdict is Verdict.RUNNING


def test_proposals() -> None:
    streams = Trial("streaming", GOOD, 0.1, 10)
    good = proposal([streams, Trial("tools", GOOD)], "m")
    assert good is not None
    assert (good.mode, good.model) == ("auto", "m")
    assert good.measured == {"tools": True, "streaming": True}
    without = proposal([streams, Trial("tools", FAILED, error=ToolsUnsupported())], "m")
    assert without is not None
    assert without.mode == "text"
    assert proposal([Trial("streaming", FAILED)], "m") is None
