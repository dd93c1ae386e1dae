"""Texts for the results of an endpoint test."""

from __future__ import annotations

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr, translate_error
from neodeskpet.llm.endpoint_test.endpoint_advice import (
    Advice,
    AdviceReason,
    StepOutcome,
    StepResult,
)

TITLES = {
    "models": N_("Connection"),
    "vectors": N_("Vectors of texts"),
    "streaming": N_("Streaming"),
    "whole": N_("Reply in one piece"),
    "usage": N_("Usage report"),
    "tools": N_("Native tools"),
    "empty_arguments": N_("Calls without arguments"),
    "parallel": N_("Several calls at once"),
    "indexes": N_("Numbering of calls"),
    "thinking": N_("Thinking"),
    "signatures": N_("Second round"),
    "forms": N_("Calls in the text"),
    "vision": N_("Pictures"),
}
_REASONS = {
    AdviceReason.WORKS: N_("Replies and tool calls work."),
    AdviceReason.NOTHING_WORKS: N_("This endpoint sends no reply."),
    AdviceReason.REFUSED: N_("The endpoint refuses native tool calls."),
    AdviceReason.NOT_CALLED: N_("The model doesn't call native tools."),
    AdviceReason.LEAKED: N_(
        "Native calls appear in the text. They are recognised there, but text "
        "mode is more reliable."
    ),
    AdviceReason.BROKEN_ARGUMENTS: N_(
        "The arguments of native calls arrive broken; text mode is more reliable."
    ),
    AdviceReason.MIXED_UP: N_("Parallel native calls are mixed up; text mode is more reliable."),
    AdviceReason.SECOND_ROUND_REFUSED: N_(
        "The endpoint loses data that the next round needs; use text mode."
    ),
    AdviceReason.NO_FORM: N_(
        "The model calls tools neither natively nor in text mode; it can only chat."
    ),
    AdviceReason.ONLY_NATIVE: N_(
        "Native calls are unreliable here, but in text mode the model calls no tools at all."
    ),
    AdviceReason.VECTORS: N_("This is an embedding model for searching memories; it can't chat."),
    AdviceReason.UNKNOWN: N_("Replies work; whether tools work is unknown."),
}
_FORMS = {"tool_request": "TOOL_REQUEST", "tool_call": "<tool_call>", "tool_tag": "<item> <tool>"}
_GOOD = {
    "usage": N_("reported"),
    "tools": N_("called"),
    "empty_arguments": N_("called"),
    "parallel": N_("called"),
    "indexes": N_("right"),
    "thinking": N_("shown apart"),
    "signatures": N_("accepted"),
    "forms": N_("called"),
    "vision": N_("seen"),
}
_FAULT = {
    "usage": (N_("not reported"), N_("estimated instead")),
    "tools": (N_("accepted, but not called"), ""),
    "empty_arguments": (N_("accepted, but not called"), ""),
    "parallel": (N_("one call in a reply"), N_("the others follow in the next round")),
    "indexes": (N_("wrong"), N_("NeoDeskPet sorts the calls itself")),
    "thinking": (N_("none shown"), ""),
    "forms": (N_("not called in any form"), ""),
    "signatures": (N_("not tried"), N_("the model called no tool this time")),
    "vision": (N_("accepted, but not seen"), N_("pictures are described by another model")),
    "whole": (N_("no text came"), ""),
    "streaming": (N_("no text came"), ""),
}


def step_title(trial_id: str) -> str:
    """Return the name of the step."""
    return tr(TITLES.get(trial_id, trial_id))


def step_result_text(trial: StepResult) -> tuple[str, str]:
    """Return the result and its details ("" if there are none)."""
    if trial.error is not None:
        return translate_error(trial.error)
    match trial.id:
        case "models":
            return _listing(trial)
        case "streaming" if trial.count:
            return _speed(trial)
        case "vectors":
            return tr("{count} numbers each", count=_rounded_count(trial)), ""
        case "whole" if trial.outcome is StepOutcome.GOOD:
            return tr("after {seconds} s", seconds=f"{trial.seconds:.2f}"), ""
    if trial.facts.get("leaked"):
        return tr("called in the text"), ""
    if trial.facts.get("broken"):
        return tr("called with broken arguments"), str(trial.facts.get("arguments", ""))
    if trial.outcome is StepOutcome.GOOD:
        return tr(_GOOD.get(trial.id, "")), _detail(trial)
    text, detail = _FAULT.get(trial.id, ("", ""))
    return tr(text), tr(detail)


def advice_text(advice: Advice) -> str:
    """Return the reason for the recommended mode, and the text form that was used."""
    why = tr(_REASONS[advice.why])
    if not advice.called:
        return why
    return f"{why} " + tr("In the text it does: {form}.", form=_FORMS[advice.dialect])


def _listing(trial: StepResult) -> tuple[str, str]:
    milliseconds = tr("{count} ms", count=f"{trial.seconds * 1000:.0f}")
    if trial.outcome is StepOutcome.FAULT:
        return milliseconds, tr(
            "the model isn't among its {count} models", count=_rounded_count(trial)
        )
    return milliseconds, tr("{count} models", count=_rounded_count(trial))


def _speed(trial: StepResult) -> tuple[str, str]:
    first = tr("first token after {seconds} s", seconds=f"{trial.seconds:.2f}")
    if trial.outcome is not StepOutcome.GOOD:
        first = tr("comes in one piece")
    rate = trial.facts.get("tokens_per_second")
    if isinstance(rate, float):
        return first, tr("{count} tokens/s", count=f"{rate:.0f}")
    return first, tr("{count} pieces/s", count=_rounded_count(trial))


def _detail(trial: StepResult) -> str:
    match trial.id:
        case "signatures" if trial.count:
            return tr("{count} signatures sent back", count=_rounded_count(trial))
        case "forms":
            return tr("in the form {form}", form=_FORMS[str(trial.facts["form"])])
        case "parallel":
            return tr("{count} calls in one reply", count=_rounded_count(trial))
        case "usage" if trial.facts:
            sent, written = str(trial.facts["input"]), str(trial.facts["output"])
            return tr("{input} tokens in, {output} out", input=sent, output=written)
        case _:
            return ""


def _rounded_count(trial: StepResult) -> str:
    return f"{trial.count:.0f}"
