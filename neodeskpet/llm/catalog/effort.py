"""How hard a model thinks: from off, low, medium or high to what its service is told."""

from __future__ import annotations

from typing import Literal

from neodeskpet.llm.catalog.known_models import ThinkingForm

Effort = Literal["off", "on", "low", "medium", "high"]
"""`on` is as hard as the service thinks right."""

_BUDGETS = {"on": 10_000, "low": 2_048, "medium": 8_192, "high": 24_576}
_OWN_WORDS = ("anthropic", "gemini")
"""Protocols with one form of their own, which their adapter words."""


def thinking_budget(effort: Effort, max_output: int | None) -> int:
    """Tokens for thinking, always below `max_output` (half of it at most); 0 for none."""
    budget = _BUDGETS.get(effort, 0)
    return budget if max_output is None else max(0, min(budget, max_output // 2))


def render_effort(
    protocol: str, form: ThinkingForm, effort: Effort | None, max_output: int | None
) -> tuple[str, dict[str, object]]:
    """`ModelOptions.thinking`, and parameters for `ModelOptions.extra`.

    Nothing is sent when `effort` is None or the model can't be told: a service refuses what it
    doesn't know.
    """
    if effort is None or form in (ThinkingForm.NONE, ThinkingForm.ALWAYS):
        return "", {}
    if protocol in _OWN_WORDS or form is ThinkingForm.EFFORT:
        return effort, {}
    on = effort != "off"
    if form is ThinkingForm.TYPE:
        return "", {"thinking": {"type": "enabled" if on else "disabled"}}
    budget = 0 if effort == "on" else thinking_budget(effort, max_output)
    return "", {"enable_thinking": on} | ({"thinking_budget": budget} if budget else {})
