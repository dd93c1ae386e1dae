"""Deltas become blocks of the draft. (Whole replies: test_turn.py.)"""

from __future__ import annotations

import pytest

from neodeskpet.core.attachments import name_by_content
from neodeskpet.core.blocks import Image, Text, Thinking
from neodeskpet.core.toolspec import ToolNames
from neodeskpet.core.turn.message_draft import MessageDraft
from neodeskpet.core.turn.reply_builder import ReplyBuilder
from neodeskpet.core.turn.turn_events import BlockEnded, BlocksRemoved, BlockStarted, TextAppended
from neodeskpet.core.wire import (
    PictureReceived,
    TextDelta,
    ThinkingDelta,
    ThinkingRetracted,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)


@pytest.fixture
def draft() -> MessageDraft:
    return MessageDraft()


@pytest.fixture
def reply(draft: MessageDraft) -> ReplyBuilder:
    return ReplyBuilder(draft, ToolNames(["live2d.motion"]), 3)


def test_text_of_one_part_grows_one_block(reply: ReplyBuilder, draft: MessageDraft) -> None:
    assert reply.take_text(TextDelta(0, "a"), 1.0) == [BlockStarted(Text(0, 3, "a"))]
    assert reply.take_text(TextDelta(0, "b"), 2.0) == [TextAppended(0, "b")]
    assert reply.close_text(3.0) == [BlockEnded(Text(0, 3, "ab"))]
    assert draft.blocks() == (Text(0, 3, "ab"),)


def test_another_kind_ends_the_block(reply: ReplyBuilder) -> None:
    reply.take_text(ThinkingDelta(0, "hm"), 1.0)
    events = reply.take_text(TextDelta(1, "so"), 2.0)
    assert events[0] == BlockEnded(Thinking(0, 3, "hm", started=1.0, ended=2.0))


def test_white_space_waits_for_a_word(reply: ReplyBuilder, draft: MessageDraft) -> None:
    assert reply.take_text(TextDelta(0, "\n "), 1.0) == []
    assert reply.take_text(TextDelta(0, "a"), 1.0) == [BlockStarted(Text(0, 3, "\n a"))]
    assert len(draft) == 1


def test_a_call_has_the_name_of_its_tool_and_is_read_to_its_end(
    reply: ReplyBuilder, draft: MessageDraft
) -> None:
    reply.start_call(ToolCallStarted(7, "", "live2d_motion"), 1.0)
    reply.grow_call(ToolArgsDelta(7, "{"))
    reply.grow_call(ToolArgsDelta(7, "}"))
    assert reply.close_call(ToolCallReady(7)) == 0
    call = draft.tool(0)
    assert (call.name, call.raw_arguments, call.call_id) == ("live2d.motion", "{}", "call_4_0")
    assert reply.called
    assert not reply.cut
    with pytest.raises(KeyError):
        reply.grow_call(ToolArgsDelta(7, "x"))


def test_a_call_that_was_never_closed_is_known(reply: ReplyBuilder) -> None:
    reply.start_call(ToolCallStarted(0, "c", "live2d.motion"), 1.0)
    with pytest.raises(KeyError):
        reply.start_call(ToolCallStarted(0, "c", "live2d.motion"), 1.0)
    assert reply.abandon_calls() == [0]
    assert reply.cut


def test_thinking_whose_tag_was_never_closed_is_text_again(
    reply: ReplyBuilder, draft: MessageDraft
) -> None:
    reply.take_text(TextDelta(0, "a bare "), 1.0)
    reply.take_text(ThinkingDelta(1, " in prose"), 2.0)
    assert reply.retract_thinking(ThinkingRetracted(7, "<think>"), 3.0) == []
    assert reply.retract_thinking(ThinkingRetracted(1, "<think>"), 3.0) == [
        BlocksRemoved(1),
        TextAppended(0, "<think> in prose"),
    ]
    assert draft.blocks() == (Text(0, 3, "a bare <think> in prose"),)


def test_thinking_that_becomes_text_without_text_before_it_is_a_text_of_its_own(
    reply: ReplyBuilder, draft: MessageDraft
) -> None:
    reply.take_text(ThinkingDelta(1, "hm"), 2.0)
    reply.retract_thinking(ThinkingRetracted(1, "<think>"), 3.0)
    assert draft.blocks() == (Text(0, 3, "<think>hm"),)


def test_a_picture_is_a_block_of_its_own(reply: ReplyBuilder, draft: MessageDraft) -> None:
    reply.take_text(TextDelta(0, "Here."), 1.0)
    picture = Image(1, 3, name_by_content(b"cat"), "image/png")
    events = reply.add_picture(PictureReceived(1, b"cat", "image/png"), 2.0)
    assert events == [
        BlockEnded(Text(0, 3, "Here.")),
        BlockStarted(picture),
        BlockEnded(picture),
    ]
    reply.take_text(TextDelta(2, "Nice?"), 3.0)
    assert draft.blocks() == (Text(0, 3, "Here."), picture, Text(2, 3, "Nice?"))
