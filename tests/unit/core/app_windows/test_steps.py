"""Results of calls in windows."""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.app_windows.window_calls import (
    ACT_TOOL,
    WindowStep,
    call_title,
    steps_data,
    steps_in,
    steps_text,
)
from neodeskpet.core.blocks import Text, ToolStatus, ToolUse

ADDED = WindowStep(
    "notes", "add", True, '{"id":1}', "Added", 7, data={"id": 1}, params={"text": "milk"}
)
WRONG = WindowStep("notes", "", False, "", number=8)


def test_a_model_gets_one_line_for_each_call() -> None:
    assert steps_text([ADDED, WRONG]) == '[7] notes.add -> ok: {"id":1}\n[8] notes.? -> error'


def test_a_card_shows_the_action_and_then_its_result() -> None:
    call = {"window_id": "notes", "action_id": "add"}
    running = ToolUse(0, 0, "c", ACT_TOOL, arguments={"calls": [call, {"window_id": "notes"}]})
    assert call_title(running) == ["notes.add", "notes.?"]
    assert call_title(replace(running, data={"steps": steps_data([ADDED, WRONG])})) == [
        "✓ notes.add",
        "✗ notes.",
    ]
    assert call_title(replace(running, arguments={})) == []


def test_the_steps_of_a_message_are_numbered_by_round_and_place() -> None:
    def acted(index: int, number: int, *steps: WindowStep) -> ToolUse:
        data = {"steps": steps_data(steps)}
        status = ToolStatus.SUCCESS
        return ToolUse(index, number, "their_id", ACT_TOOL, status=status, data=data)

    blocks = [
        Text(0, 0, "hello"),
        acted(1, 0, ADDED),
        acted(2, 0, WRONG),
        acted(3, 1, ADDED),
        ToolUse(4, 1, "c", "calc", data={"steps": [{}]}),
        ToolUse(5, 1, "c", ACT_TOOL),
    ]
    found = steps_in(blocks)
    ids = [(one["call_id"], one["turn"], one["index"]) for one in found]
    assert ids == [("call_1_0", 1, 0), ("call_1_1", 1, 1), ("call_2_0", 2, 0)]
    assert found[0] == {
        "call_id": "call_1_0",
        "window_id": "notes",
        "action_id": "add",
        "resolved_mode": "sync",
        "success": True,
        "message": '{"id":1}',
        "summary": "Added",
        "number": 7,
        "data": {"id": 1},
        "params": {"text": "milk"},
        "task_id": None,
        "turn": 1,
        "index": 0,
    }
