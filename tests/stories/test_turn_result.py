"""The output of `chat --json` for a turn in windows: each step, the last of them, the total cost;
kept when the turn fails.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.test_apps import DIALECTS, act, acting
from tests.support.sseserver import ScriptedServer, check_history, error, text
from tests.support.terminal import Outcome, chat

FIELDS = (
    "call_id",
    "window_id",
    "action_id",
    "resolved_mode",
    "success",
    "message",
    "summary",
    "task_id",
    "turn",
    "index",
    "params",
)


def ask(server: ScriptedServer, home: Path, dialect: str) -> Outcome:
    """Two rounds in windows, the second with a wrong call; a third that breaks off."""
    server.reply(
        *acting(
            dialect,
            act("launcher", "open", app="notes"),
            act("notes", "add", text="milk"),
        )
    )
    server.reply(
        *acting(
            dialect, act("notes", "edit", id="1", text="x"), act("notes", "edit", id=1, text="y")
        )
    )
    server.reply(text("It is n"), error("no more"))
    how = ("--mode", "text", "--dialect", dialect) if dialect != "native" else ("--mode", "native")
    return chat(home, server.url, "note milk", *how)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_steps_and_usage_are_printed_although_the_turn_failed(tmp_path: Path, dialect: str) -> None:
    with ScriptedServer(check_history) as server:
        outcome = ask(server, tmp_path, dialect)

    result = outcome.result
    assert result["success"] is False
    assert result["error"] is not None
    assert result["rounds"] == 3
    assert result["usage"] == {"input_tokens": 20, "output_tokens": 10}
    steps = result["steps"]
    assert all(tuple(sorted(step)) == tuple(sorted(FIELDS)) for step in steps)
    assert [
        (step["call_id"], f"{step['window_id']}.{step['action_id']}", step["success"])
        for step in steps
    ] == [
        ("call_1_0", "launcher.open", True),
        ("call_1_1", "notes.add", True),
        ("call_2_0", "notes.edit", False),
        ("call_2_1", "notes.edit", True),
    ]
    assert [(step["turn"], step["index"]) for step in steps] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert {step["resolved_mode"] for step in steps} == {"sync"}
    assert {step["task_id"] for step in steps} == {None}
    assert "params.id must be integer." in steps[2]["message"]
    assert steps[1]["message"] == "1: milk"
    assert steps[1]["summary"] == "milk"
    assert result["action"] == {
        "window_id": "notes",
        "action_id": "edit",
        "params": {"id": 1, "text": "y"},
    }
    assert [step["params"] for step in steps] == [
        {"app": "notes"},
        {"text": "milk"},
        {"id": "1", "text": "x"},
        {"id": 1, "text": "y"},
    ]
    told = result["action_result"]
    assert (told["success"], told["message"], told["summary"]) == (True, "1: y", "y")
    assert told["data"]["id"] == 1
    assert "calls" not in result["text"]
