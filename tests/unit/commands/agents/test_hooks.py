"""What the hooks of agents make of events."""

from __future__ import annotations

import json

import pytest

from neodeskpet.commands.agents.hooks import Ask, Show, Step, answer_text, step_for

BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}}


@pytest.mark.parametrize(
    ("event", "step"),
    [
        ({"hook_event_name": "UserPromptSubmit"}, Step("s", act=Show("", "working"))),
        ({"hook_event_name": "BeforeAgent"}, Step("s", act=Show("", "working"))),
        ({"hook_event_name": "Stop"}, Step("s", act=Show("Done.", "happy"))),
        ({"hook_event_name": "AfterAgent"}, Step("s", act=Show("Done.", "happy"))),
        (
            {"hook_event_name": "session.error"},
            Step("s", act=Show("It stopped with an error.", "sorry")),
        ),
        ({"hook_event_name": "PostToolUse"}, Step("s")),
        ({"hook_event_name": "AfterTool"}, Step("s")),
        (
            {"hook_event_name": "PermissionRequest"} | BASH,
            Step("s", withdraws=False, act=Ask("Run a command:\nmake")),
        ),
        (
            {"hook_event_name": "permission.asked"} | BASH,
            Step("s", withdraws=False, act=Ask("Run a command:\nmake")),
        ),
        (
            {
                "hook_event_name": "Notification",
                "notification_type": "ToolPermission",
                "details": {"type": "exec", "command": "make"},
            },
            Step(
                "s",
                withdraws=False,
                act=Show("I need your permission in the terminal: make", "asking", passing=True),
            ),
        ),
        ({"hook_event_name": "Notification"}, Step("s")),
        ({"hook_event_name": 7, "tool_input": "x"}, Step("s")),
    ],
)
def test_an_event_leads_to_a_step(event: dict[str, object], step: Step) -> None:
    assert step_for({"session_id": "s"} | event) == step


def test_what_is_too_long_for_a_question_is_left_to_the_terminal() -> None:
    given = {"command": "echo " + "x" * 3_000}
    step = step_for({"hook_event_name": "PermissionRequest", "tool_input": given})
    assert isinstance(step.act, Show)
    assert step.act.text.startswith("I need your permission in the terminal: echo xxx")
    assert len(step.act.text) < 300


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
