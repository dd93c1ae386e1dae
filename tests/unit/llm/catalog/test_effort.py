from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.llm.catalog.known_models import Effort, ThinkingForm, render_effort, thinking_budget

EFFORTS: tuple[Effort, ...] = ("off", "low", "medium", "high")


@given(st.sampled_from(EFFORTS), st.integers(1, 200_000))
def test_the_budget_is_always_below_the_output(effort: Effort, max_output: int) -> None:
    budget = thinking_budget(effort, max_output)
    assert 0 <= budget < max_output
    assert thinking_budget("off", max_output) == 0


def test_more_effort_is_a_larger_budget() -> None:
    budgets = [thinking_budget(effort, None) for effort in EFFORTS]
    assert budgets == sorted(set(budgets))


@pytest.mark.parametrize("protocol", ["openai", "anthropic", "gemini"])
def test_nothing_is_sent_unless_it_was_chosen_and_is_supported(protocol: str) -> None:
    for form in ThinkingForm:
        assert render_effort(protocol, form, None, 9000) == ("", {})
    for form in (ThinkingForm.NONE, ThinkingForm.ALWAYS):
        assert render_effort(protocol, form, "high", 9000) == ("", {})


def test_each_form_has_its_own_values() -> None:
    assert render_effort("openai", ThinkingForm.EFFORT, "low", None) == ("low", {})
    assert render_effort("openai", ThinkingForm.TYPE, "low", None) == (
        "",
        {"thinking": {"type": "enabled"}},
    )
    assert render_effort("openai", ThinkingForm.TYPE, "off", None) == (
        "",
        {"thinking": {"type": "disabled"}},
    )
    assert render_effort("openai", ThinkingForm.SWITCH, "high", 8192) == (
        "",
        {"enable_thinking": True, "thinking_budget": 4096},
    )
    assert render_effort("openai", ThinkingForm.SWITCH, "off", 8192) == (
        "",
        {"enable_thinking": False},
    )


def test_protocols_with_named_levels_get_the_effort() -> None:
    assert render_effort("anthropic", ThinkingForm.SWITCH, "medium", 8192) == ("medium", {})
    assert render_effort("gemini", ThinkingForm.EFFORT, "off", 8192) == ("off", {})
