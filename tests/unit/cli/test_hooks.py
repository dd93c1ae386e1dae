"""How hooks translate the events of agents."""

from __future__ import annotations

import json

import pytest

from neodeskpet.cli.agent_hooks import AskPermission, HookStep, ShowText, answer_text, step_for

BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}}
MAKE = AskPermission("Run “make”?", allow="Run", deny="Don't run", summary="make")


@pytest.mark.parametrize(
    ("event", "step"),
    [
        ({"hook_event_name": "UserPromptSubmit"}, HookStep("s", action=ShowText("", "working"))),
        ({"hook_event_name": "BeforeAgent"}, HookStep("s", action=ShowText("", "working"))),
        ({"hook_event_name": "Stop"}, HookStep("s", action=ShowText("Done.", "happy"))),
        ({"hook_event_name": "AfterAgent"}, HookStep("s", action=ShowText("Done.", "happy"))),
        (
            {"hook_event_name": "session.error"},
            HookStep("s", action=ShowText("It stopped because of an error.", "sorry")),
        ),
        ({"hook_event_name": "PostToolUse"}, HookStep("s")),
        ({"hook_event_name": "AfterTool"}, HookStep("s")),
        (
            {"hook_event_name": "PermissionRequest"} | BASH,
            HookStep("s", withdraws_question=False, action=MAKE),
        ),
        (
            {"hook_event_name": "permission.asked"} | BASH,
            HookStep("s", withdraws_question=False, action=MAKE),
        ),
        (
            {
                "hook_event_name": "Notification",
                "notification_type": "ToolPermission",
                "details": {"type": "exec", "command": "make"},
            },
            HookStep(
                "s",
                withdraws_question=False,
                action=ShowText(
                    "I need your permission in the terminal: make", "asking", passing=True
                ),
            ),
        ),
        ({"hook_event_name": "Notification"}, HookStep("s")),
        ({"hook_event_name": 7, "tool_input": "x"}, HookStep("s")),
    ],
)
def test_an_event_leads_to_a_step(event: dict[str, object], step: HookStep) -> None:
    assert step_for({"session_id": "s"} | event) == step


def test_a_text_that_is_too_long_for_a_question_is_left_to_the_terminal() -> None:
    given = {"command": "echo " + "x" * 3_000}
    step = step_for({"hook_event_name": "PermissionRequest", "tool_input": given})
    assert isinstance(step.action, ShowText)
    assert step.action.text.startswith("I need your permission in the terminal: echo xxx")
    assert len(step.action.text) < 300


def test_an_answer_has_the_form_of_its_agent() -> None:
    allowed = json.loads(answer_text("claude", True))
    assert allowed == {
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow"},
        }
    }
    assert json.loads(answer_text("codex", False))["hookSpecificOutput"]["decision"] == {
        "behavior": "deny"
    }
    assert [json.loads(answer_text("opencode", yes)) for yes in (True, False)] == [
        {"reply": "once"},
        {"reply": "reject"},
    ]
