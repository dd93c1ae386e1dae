"""How hooks translate events that the real agents sent (`recorded/`, one turn of each)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.agent_hooks import AskPermission, ShowText, step_for
from neodeskpet.cli.agents_command import SETTINGS_LOCATIONS

FOLDER = Path(__file__).parent / "recorded"
WORKING, DONE = ShowText("", "working"), ShowText("Done.", "happy")
HELLO = "/home/me/work/hello.txt"


def in_terminal(what: str) -> ShowText:
    told = f"I need your permission in the terminal: {what}"
    return ShowText(told, "asking", passing=True)


EXPECTED = {
    "claude": [
        ("UserPromptSubmit", WORKING),
        ("PermissionRequest", ("Write “hello.txt”?", "+ hello\n+ world", "/home/me/work")),
        ("SessionEnd", None),
        (
            "PermissionRequest",
            ("Run “touch made-by-claude.txt”?", "Reason: Create a file", "/home/me/work"),
        ),
        ("PostToolUse", None),
        ("Stop", DONE),
    ],
    "codex": [
        ("UserPromptSubmit", WORKING),
        (
            "PermissionRequest",
            (
                "Run “touch made-by-codex.txt”?",
                "Reason: The file is to be made in the folder.",
                "/home/me/work",
            ),
        ),
        ("PostToolUse", None),
        ("Stop", DONE),
    ],
    "gemini": [
        ("BeforeAgent", WORKING),
        ("Notification", in_terminal("touch made-by-gemini.txt")),
        ("AfterTool", None),
        ("AfterAgent", DONE),
        ("SessionEnd", None),
        ("Notification", in_terminal(f"Change {HELLO}")),
        ("AfterTool", None),
    ],
    "opencode": [
        ("session.busy", WORKING),
        ("permission.asked", ("Run “touch made-by-opencode.txt”?", "", "")),
        ("session.idle", DONE),
        (
            "permission.asked",
            (f"Change “{HELLO}”?", "@@ -0,0 +1,2 @@\n+hello\n+world\n", ""),
        ),
    ],
}


def recorded(agent: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads((FOLDER / f"{agent}.json").read_text())["events"]
    return events


@pytest.mark.parametrize("agent", SETTINGS_LOCATIONS)
def test_the_translation_of_each_event(agent: str) -> None:
    found = [(event["hook_event_name"], seen(step_for(event).action)) for event in recorded(agent)]
    assert found == EXPECTED[agent]


def seen(action: ShowText | AskPermission | None) -> object:
    """What the user sees of it: of a question the title, the details and the folder."""
    if isinstance(action, AskPermission):
        return action.title, action.details, action.folder
    return action


@pytest.mark.parametrize("agent", SETTINGS_LOCATIONS)
def test_an_agent_that_continues_withdraws_its_question(agent: str) -> None:
    for event in recorded(agent):
        step = step_for(event)
        assert step.session == event["session_id"]
        asks = isinstance(step.action, AskPermission) or (
            step.action == WORKING and agent == "opencode"
        )
        passing = isinstance(step.action, ShowText) and step.action.passing
        assert step.withdraws_question is not (asks or passing)
