"""The findings of a test in words."""

import pytest

from neodeskpet.core.errors import ToolsUnsupported
from neodeskpet.llm.endpoint_test.endpoint_tester import StepOutcome, StepResult
from neodeskpet.ui.settings.services.endpoint_test_findings import (
    finding_of,
    proposal_of,
    running_finding,
)
from neodeskpet.ui.settings.settings_ports import EndpointTestFinding, EndpointTestVerdict

GOOD, FAULT, FAILED = StepOutcome.GOOD, StepOutcome.FAULT, StepOutcome.FAILED


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (
            StepResult("models", GOOD, 0.2123, 12),
            EndpointTestFinding(
                "connection", "Connection", EndpointTestVerdict.GOOD, "212 ms", "12 models"
            ),
        ),
        (
            StepResult("streaming", GOOD, 0.41, 86.4),
            EndpointTestFinding(
                "streaming",
                "Streaming",
                EndpointTestVerdict.GOOD,
                "first token after 0.41 s",
                "86 pieces/s",
            ),
        ),
        (
            StepResult("streaming", FAULT, 1.0, 2.0),
            EndpointTestFinding(
                "streaming",
                "Streaming",
                EndpointTestVerdict.FAULT,
                "comes in one piece",
                "2 pieces/s",
            ),
        ),
        (
            StepResult("streaming", FAULT),
            EndpointTestFinding(
                "streaming", "Streaming", EndpointTestVerdict.FAULT, "no text came"
            ),
        ),
        (
            StepResult("usage", GOOD),
            EndpointTestFinding("usage", "Usage report", EndpointTestVerdict.GOOD, "reported"),
        ),
        (
            StepResult("usage", FAULT),
            EndpointTestFinding(
                "usage",
                "Usage report",
                EndpointTestVerdict.FAULT,
                "not reported",
                "estimated instead",
            ),
        ),
        (
            StepResult("tools", GOOD),
            EndpointTestFinding("tools", "Native tools", EndpointTestVerdict.GOOD, "called"),
        ),
        (
            StepResult("tools", FAULT),
            EndpointTestFinding(
                "tools", "Native tools", EndpointTestVerdict.FAULT, "accepted, but not called"
            ),
        ),
        (
            StepResult("later", GOOD),
            EndpointTestFinding("later", "later", EndpointTestVerdict.GOOD),
        ),
    ],
    ids=lambda value: value.id if isinstance(value, StepResult) else "",
)
def test_rows(trial: StepResult, expected: EndpointTestFinding) -> None:
    assert finding_of(trial) == expected


def test_a_failure_has_a_text_and_advice() -> None:
    row = finding_of(StepResult("tools", FAILED, error=ToolsUnsupported("tools: unknown field")))
    assert row.verdict is EndpointTestVerdict.FAILED
    assert "tools: unknown field" in row.text
    assert "text mode" in row.detail


def test_a_running_row_has_the_id_of_its_result() -> None:
    assert running_finding("models").id == finding_of(StepResult("models", GOOD)).id
    assert running_finding("tools").verdict is EndpointTestVerdict.RUNNING


def test_proposals() -> None:
    streams = StepResult("streaming", GOOD, 0.1, 10)
    good = proposal_of([streams, StepResult("tools", GOOD)], "m")
    assert good is not None
    assert (good.mode, good.model) == ("auto", "m")
    assert good.measured == {"tools": True, "streaming": True}
    without = proposal_of([streams, StepResult("tools", FAILED, error=ToolsUnsupported())], "m")
    assert without is not None
    assert without.mode == "text"
    assert proposal_of([StepResult("streaming", FAILED)], "m") is None
