"""What a trial of an endpoint found, worded for the person."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.core.wording import N_
from neodeskpet.language import say, tr
from neodeskpet.llm.trial import Outcome, Trial, propose
from neodeskpet.ui.settings.ports import Finding, Proposal, Verdict

TITLES = {
    "models": N_("Connection"),
    "streaming": N_("Streaming"),
    "usage": N_("Usage report"),
    "tools": N_("Native tools"),
}
_VERDICTS = {
    Outcome.GOOD: Verdict.GOOD,
    Outcome.FAULT: Verdict.FAULT,
    Outcome.FAILED: Verdict.FAILED,
}


def trying(trial_id: str) -> Finding:
    """The row of a trial that runs."""
    return Finding(_row(trial_id), TITLES.get(trial_id, trial_id), Verdict.RUNNING)


def finding(trial: Trial) -> Finding:
    """The row of a trial that ended."""
    title = TITLES.get(trial.id, trial.id)
    verdict = _VERDICTS[trial.outcome]
    if trial.error is not None:
        what, hint = say(trial.error)
        return Finding(_row(trial.id), title, verdict, what, hint)
    text, detail = _words(trial)
    return Finding(_row(trial.id), title, verdict, text, detail)


def proposal(trials: Sequence[Trial]) -> Proposal | None:
    """What to use, and why; None when nothing works."""
    mode = propose(trials)
    if not mode:
        return None
    if mode == "text":
        return Proposal(mode, tr("Native tool calls don't work here; through the text they do."))
    return Proposal(mode, tr("Text streams and tool calls are accepted."))


def _row(trial_id: str) -> str:
    """The form opens the table with the row "connection"; the list of models answers it."""
    return "connection" if trial_id == "models" else trial_id


def _words(trial: Trial) -> tuple[str, str]:
    good = trial.outcome is Outcome.GOOD
    match trial.id:
        case "models":
            milliseconds = tr("{count} ms", count=f"{trial.seconds * 1000:.0f}")
            return milliseconds, tr("{count} models", count=f"{trial.count:.0f}")
        case "streaming" if trial.count:
            first = tr("first token after {seconds} s", seconds=f"{trial.seconds:.2f}")
            if not good:
                first = tr("comes in one piece")
            return first, tr("{count} pieces/s", count=f"{trial.count:.0f}")
        case "streaming":
            return tr("no text came"), ""
        case "usage":
            return (tr("reported"), "") if good else (tr("not reported"), tr("estimated instead"))
        case "tools":
            return (tr("called"), "") if good else (tr("accepted, but not called"), "")
        case _:
            return "", ""
