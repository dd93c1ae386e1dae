"""What a trial of an endpoint found, as rows of the table and as a proposal."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.llm.trial.advice import advise
from neodeskpet.llm.trial.trial import Outcome, Trial
from neodeskpet.llm.trial.words import TITLES, reason, words
from neodeskpet.ui.settings.ports import Finding, Proposal, Verdict

_VERDICTS = {
    Outcome.GOOD: Verdict.GOOD,
    Outcome.FAULT: Verdict.FAULT,
    Outcome.FAILED: Verdict.FAILED,
    Outcome.ABSENT: Verdict.SKIPPED,
}


def trying(trial_id: str) -> Finding:
    """The row of a trial that runs."""
    return Finding(_row(trial_id), TITLES.get(trial_id, trial_id), Verdict.RUNNING)


def finding(trial: Trial) -> Finding:
    """The row of a trial that ended."""
    text, detail = words(trial)
    title = TITLES.get(trial.id, trial.id)
    return Finding(_row(trial.id), title, _VERDICTS[trial.outcome], text, detail)


def proposal(trials: Sequence[Trial], model: str) -> Proposal | None:
    """What to use with `model`, and why; None when there is nothing to propose."""
    advice = advise(trials)
    if not advice.mode:
        return None
    return Proposal(advice.mode, reason(advice), advice.dialect, model, advice.measured)


def _row(trial_id: str) -> str:
    """The form opens the table with the row "connection"; the list of models answers it."""
    return "connection" if trial_id == "models" else trial_id
