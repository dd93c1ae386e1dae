"""Thinking between tags that no decoder took out."""

from __future__ import annotations

from tests.unit.core.dialects.leaked.leaking import JSON, Heard, read
from tests.unit.core.dialects.splitting import cut_everywhere


def test_thinking_holds_no_calls() -> None:
    reply = (
        f"[THINK]I could <tool_call>{JSON}</tool_call>[/THINK]<|START_RESPONSE|>No.<|END_RESPONSE|>"
    )
    for pieces in cut_everywhere(reply):
        thought = f"I could <tool_call>{JSON}</tool_call>"
        assert read(pieces) == Heard("No.", thought), pieces
    assert read([f"<|START_THINKING|>[{JSON}"]) == Heard("", f"[{JSON}")
