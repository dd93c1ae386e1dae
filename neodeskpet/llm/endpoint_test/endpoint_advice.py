"""The result of one step of an endpoint test, and the mode that the results suggest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from neodeskpet.core.errors import LlmError, ToolsUnsupported


class StepOutcome(StrEnum):
    """FAULT: it works, but incorrectly. ABSENT is not a fault: the model lacks the feature, or the
    step gave no result.
    """

    GOOD = "good"
    FAULT = "fault"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step. `error` is set when it failed. The meaning of `seconds` and `count`
    depends on the step: time to answer and number of models (models); time to the first token and
    pieces per second (streaming); total time and number of echoed signatures (signatures) or of
    dimensions (vectors). `facts` are details for reports, as JSON.
    """

    id: str
    outcome: StepOutcome
    seconds: float = 0.0
    count: float = 0.0
    error: LlmError | None = None
    facts: Mapping[str, object] = field(default_factory=dict)


class AdviceReason(StrEnum):
    """The reason for a mode."""

    WORKS = "works"
    NOTHING_WORKS = "nothing_works"
    REFUSED = "refused"
    NOT_CALLED = "not_called"
    LEAKED = "leaked"
    """Tools are called, but in the text."""
    BROKEN_ARGUMENTS = "broken_arguments"
    MIXED_UP = "mixed_up"
    SECOND_ROUND_REFUSED = "second_round_refused"
    UNKNOWN = "unknown"
    """Tools failed for a reason unrelated to tools."""
    NO_FORM = "no_form"
    """The model calls tools in no form."""
    ONLY_NATIVE = "only_native"
    """Native calls are faulty, but in the text the model calls no tools."""
    VECTORS = "vectors"
    """An embedding model, which does not chat."""


TEXT_FORMS = ("tool_request", "tool_call", "tool_tag")
"""The text forms, in the order in which they are tried."""
_NATIVE = (AdviceReason.WORKS, AdviceReason.UNKNOWN)
_REFUSALS = (400, 404, 415, 422)
"""HTTP statuses that mean: requests of this kind are not supported."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The recommended settings. `mode` is auto or text, "" when nothing works or nothing is known.
    `dialect` is the text form to choose, "" for none; `called`: the model called a tool in it.
    `native` is the result of native calls alone. An ability is None if it was not determined.
    """

    mode: str
    why: AdviceReason
    dialect: str = ""
    called: bool = False
    native: AdviceReason = AdviceReason.UNKNOWN
    streaming: bool | None = None
    tools: bool | None = None
    parallel: bool | None = None
    thinking: bool | None = None
    vision: bool | None = None

    @property
    def measured(self) -> Mapping[str, bool]:
        """Return the measured abilities, by the name of their field in the catalogue."""
        names = ("tools", "parallel", "vision", "thinking", "streaming")
        found = {name: getattr(self, name) for name in names}
        return {name: able for name, able in found.items() if able is not None}


def advise(trials: Sequence[StepResult]) -> Advice:
    """Return the settings that suit the endpoint."""
    found = {trial.id: trial for trial in trials}
    if "vectors" in found:
        made = found["vectors"].outcome is StepOutcome.GOOD
        return Advice("", AdviceReason.VECTORS if made else AdviceReason.NOTHING_WORKS)
    answers = [found[name] for name in ("streaming", "whole") if name in found]
    if not any(trial.outcome is not StepOutcome.FAILED for trial in answers):
        return Advice("", AdviceReason.NOTHING_WORKS)
    why = native = _why(found)
    forms = found.get("forms") if why not in _NATIVE else None
    if forms is not None and forms.outcome is StepOutcome.FAULT:
        why = (
            AdviceReason.NO_FORM
            if why in (AdviceReason.REFUSED, AdviceReason.NOT_CALLED)
            else AdviceReason.ONLY_NATIVE
        )
    toolless = why is AdviceReason.NO_FORM
    text = not toolless and why not in (*_NATIVE, AdviceReason.ONLY_NATIVE)
    called = forms is not None and forms.outcome is StepOutcome.GOOD
    return Advice(
        mode=_mode(why, text=text),
        why=why,
        dialect=_dialect(forms) if text else "",
        called=called,
        native=native,
        streaming=found["streaming"].outcome is not StepOutcome.FAILED
        if "streaming" in found
        else None,
        tools=None if why is AdviceReason.UNKNOWN else not (text or toolless),
        parallel=_parallel(found),
        thinking=_ability(found, "thinking"),
        vision=_ability(found, "vision"),
    )


def _mode(why: AdviceReason, *, text: bool) -> str:
    """Return the mode of tool calls that suits the endpoint; "" if that isn't known."""
    if why is AdviceReason.NO_FORM:
        return "none"
    if text:
        return "text"
    return "" if why is AdviceReason.UNKNOWN else "auto"


def suggested_mode(trials: Sequence[StepResult]) -> str:
    """Return the mode that suits the endpoint, "" if nothing works."""
    return advise(trials).mode


def wants_text(trials: Sequence[StepResult]) -> bool:
    """Return whether tools should be called in the text, according to the results so far."""
    return _why({trial.id: trial for trial in trials}) not in _NATIVE


def _dialect(forms: StepResult | None) -> str:
    """Return the text form that works; the first form if that is unknown, "" if none works."""
    if forms is None or forms.outcome is StepOutcome.FAILED:
        return TEXT_FORMS[0]
    return str(forms.facts.get("form", ""))


def _ability(found: dict[str, StepResult], name: str) -> bool | None:
    """Return the ability, None if unknown. A model that showed no thinking may still think, and
    temporary faults prove nothing.
    """
    trial = found.get(name)
    if trial is None or trial.outcome is StepOutcome.ABSENT:
        return None
    if trial.outcome is StepOutcome.FAILED:
        refused = trial.error is not None and trial.error.status in _REFUSALS
        return False if refused else None
    return trial.outcome is StepOutcome.GOOD


def _parallel(found: dict[str, StepResult]) -> bool | None:
    """Return whether parallel calls work. A single call where two were requested is not a fault;
    mixed-up calls are.
    """
    trial = found.get("parallel")
    if trial is None:
        return None
    if trial.outcome is StepOutcome.GOOD:
        return True
    return False if trial.facts.get("broken") else None


def _why(found: dict[str, StepResult]) -> AdviceReason:
    tools = found.get("tools")
    if tools is None:
        return AdviceReason.WORKS
    if tools.outcome is StepOutcome.FAILED:
        refused = isinstance(tools.error, ToolsUnsupported)
        return AdviceReason.REFUSED if refused else AdviceReason.UNKNOWN
    if tools.outcome is StepOutcome.FAULT:
        if tools.facts.get("leaked"):
            return AdviceReason.LEAKED
        return (
            AdviceReason.BROKEN_ARGUMENTS if tools.facts.get("broken") else AdviceReason.NOT_CALLED
        )
    parallel, rounds = found.get("parallel"), found.get("signatures")
    if parallel is not None and parallel.facts.get("broken"):
        return AdviceReason.MIXED_UP
    if rounds is not None and rounds.error is not None and rounds.error.status in (400, 422):
        return AdviceReason.SECOND_ROUND_REFUSED
    return AdviceReason.WORKS
