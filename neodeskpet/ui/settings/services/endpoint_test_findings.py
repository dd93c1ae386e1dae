"""The results of the steps of an endpoint test, as rows of the table and as a proposal."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.llm.endpoint_test.endpoint_advice import advise
from neodeskpet.llm.endpoint_test.endpoint_tester import StepOutcome, StepResult
from neodeskpet.llm.endpoint_test.result_descriptions import TITLES, advice_text, step_result_text
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)

_VERDICTS = {
    StepOutcome.GOOD: EndpointTestVerdict.GOOD,
    StepOutcome.FAULT: EndpointTestVerdict.FAULT,
    StepOutcome.FAILED: EndpointTestVerdict.FAILED,
    StepOutcome.ABSENT: EndpointTestVerdict.SKIPPED,
}


def running_finding(trial_id: str) -> EndpointTestFinding:
    """Return the row of a step that runs."""
    return EndpointTestFinding(
        _row(trial_id), TITLES.get(trial_id, trial_id), EndpointTestVerdict.RUNNING
    )


def finding_of(trial: StepResult) -> EndpointTestFinding:
    """Return the row of a step that ended."""
    text, detail = step_result_text(trial)
    title = TITLES.get(trial.id, trial.id)
    return EndpointTestFinding(_row(trial.id), title, _VERDICTS[trial.outcome], text, detail)


def proposal_of(trials: Sequence[StepResult], model: str) -> EndpointTestProposal | None:
    """Return the recommended mode for `model` and the reason; None if there is no
    recommendation.
    """
    advice = advise(trials)
    if not advice.mode:
        return None
    return EndpointTestProposal(
        advice.mode, advice_text(advice), advice.dialect, model, advice.measured
    )


def _row(trial_id: str) -> str:
    """Return the id of the row: the step "models" replaces the row "connection"."""
    return "connection" if trial_id == "models" else trial_id
