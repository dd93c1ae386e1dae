"""A turn as lines of JSON and as text for people."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from neodeskpet.cli.turn_output import Transcript, ending_notice, event_line, result_record
from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.tool_result import ResultImage, ShownImage
from neodeskpet.core.turn.turn_events import BlockEnded, BlockStarted, TextAppended, TurnEnded
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    LoadingAnnounced,
    PictureDescribed,
    RetryAnnounced,
)

CALL = ToolUse(
    1, 0, "c1", "calc.evaluate", '{"expression": "1"}', {"expression": "1"}, ToolStatus.SUCCESS, "1"
)


def message(*blocks: Block, state: MessageState = MessageState.DONE) -> Message:
    return Message("m", Role.ASSISTANT, blocks, state, 0.0, 1.0, Usage(3, 4), 2)


def test_an_event_is_one_line_with_its_name_and_fields() -> None:
    line = event_line("m", BlockStarted(Text(0, 0, "你好")))
    assert "\n" not in line
    assert json.loads(line) == {
        "type": "block_started",
        "message_id": "m",
        "block": {
            "index": 0,
            "round": 0,
            "text": "你好",
            "refusal": False,
            "untrusted": [],
            "kind": "text",
        },
    }
    assert json.loads(event_line("m", TurnEnded(MessageState.DONE, 2.0)))["state"] == "done"


def test_the_result_says_how_the_turn_ended() -> None:
    said = result_record(message(Thinking(0, 0, "hm"), CALL, Text(2, 1, "One.")))
    assert said["success"] is True
    assert said["error"] is None
    assert said["text"] == "One."
    assert said["thinking"] == "hm"
    assert said["usage"] == {"input_tokens": 3, "output_tokens": 4}
    assert said["tool_calls"] == [
        {
            "call_id": "c1",
            "name": "calc.evaluate",
            "arguments": {"expression": "1"},
            "status": "success",
            "output": "1",
        }
    ]


def test_pictures_in_a_reply_are_named_and_break_nothing() -> None:
    picture = ResultImage("d1", "image/png", "chart")
    drew = replace(CALL, images=(picture,), shown=ShownImage("d1", "chart"))
    line = json.loads(event_line("m", BlockEnded(drew)))["block"]
    assert line["shown"] == {"kind": "image", "digest": "d1", "name": "chart"}
    said = json.loads(
        json.dumps(result_record(message(Image(0, 0, "d2", "image/png"), drew, CALL)))
    )
    assert said["text"] == ""
    first, second = said["tool_calls"]
    assert first["images"] == [{"digest": "d1", "media_type": "image/png", "name": "chart"}]
    assert "images" not in second


def test_each_kind_of_end_has_its_error() -> None:
    notice = Notice(0, 0, "rate_limited", detail="slow down")
    failed = ending_notice(message(notice, state=MessageState.FAILED))
    assert failed is not None
    assert failed["type"] == "rate_limited"
    assert "slow down" in failed["message"]
    stopped = ending_notice(message(state=MessageState.CANCELLED))
    assert stopped is not None
    assert stopped["type"] == "cancelled"
    cut = ending_notice(message(Text(0, 0, "x"), state=MessageState.INTERRUPTED))
    assert cut is not None
    assert cut["type"] == "interrupted"


def test_people_read_text_cards_and_notices() -> None:
    out = io.StringIO()
    transcript = Transcript(out, {"calc.evaluate": "Calculate"}.__getitem__)
    for event in (
        BlockStarted(Thinking(0, 0, "se")),
        TextAppended(0, "cret"),
        BlockEnded(Thinking(0, 0, "secret")),
        BlockStarted(Text(1, 0, "\nLook")),
        TextAppended(1, " here"),
        BlockEnded(Text(1, 0, "\nLook here")),
        BlockEnded(CALL),
        RetryAnnounced(1, 2.0, "rate_limited"),
        DescriptionAnnounced(1),
        DescriptionAnnounced(2),
        PictureDescribed("d", "a cat"),
        LoadingAnnounced("tiny"),
        LoadingAnnounced("tiny", ready=True),
        BlockEnded(Notice(2, 0, "length_limit")),
        BlockEnded(Notice(3, 0, "repeated_call", {"tool": "calc.evaluate", "count": "3"})),
    ):
        transcript.on_turn_event(event)
    assert out.getvalue() == (
        "… secret\n"
        "Look here\n"
        '  ✓ Calculate {"expression": "1"} → 1\n'
        "Trying again in 2 s … (1)\n"
        "… Looking at the picture…\n"
        "… Looking at 2 pictures…\n"
        "… In the picture: a cat\n"
        "… Loading the model tiny…\n"
        "! The reply reached the model's length limit. Press Continue to get the rest.\n"
        "! Paused: Calculate was called 3 times in a row with the same arguments. "
        "Press Continue to go on.\n"
    )


def test_every_kind_of_block_has_a_line() -> None:
    block = Image(0, 0, "digest", "image/png")
    assert json.loads(event_line("m", BlockStarted(block)))["block"]["kind"] == "image"
