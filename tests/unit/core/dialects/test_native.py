"""Native tools: everything passes unchanged."""

from neodeskpet.core.dialects.dialect import NATIVE
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import AssistantTurn, CallPart, TextPart, UserTurn
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta, ToolCallStarted


def test_no_tools_are_announced_in_the_text() -> None:
    assert NATIVE.native
    assert NATIVE.announce([ToolSpec("clock", "The time.")]) == ""


def test_events_pass_at_once() -> None:
    reader = NATIVE.reader()
    for event in (
        TextDelta(0, "<<<[TOOL_REQUEST]>>>"),
        ToolCallStarted(0, "c", "clock"),
        ResponseFinished(StopReason.END),
    ):
        assert list(reader.read(event)) == [event]


def test_the_transcript_is_unchanged() -> None:
    transcript = [UserTurn((TextPart("a"),)), AssistantTurn((CallPart("c", "clock", {}),))]
    worded = NATIVE.render(transcript)
    assert worded == transcript
    assert worded is not transcript
