"""A message while it is being written."""

import pytest

from neodeskpet.core.blocks import Notice, Text, Thinking, ToolUse
from neodeskpet.core.turn.message_draft import MessageDraft


def test_blocks_by_their_index() -> None:
    draft = MessageDraft([Text(0, 0, "a")])
    draft.add(Thinking(1, 0, "b"))
    assert len(draft) == 2
    assert draft[0] == Text(0, 0, "a")
    assert draft.last() == Thinking(1, 0, "b")
    assert draft.blocks() == (Text(0, 0, "a"), Thinking(1, 0, "b"))


def test_an_empty_draft() -> None:
    assert (len(MessageDraft()), MessageDraft().blocks(), MessageDraft().last()) == (0, (), None)


def test_a_block_must_have_the_next_index() -> None:
    with pytest.raises(ValueError, match="block 2 can't be number 0"):
        MessageDraft().add(Text(2, 0, "a"))


def test_text_thinking_and_arguments_grow() -> None:
    draft = MessageDraft([Text(0, 0, "a"), Thinking(1, 0, "b"), ToolUse(2, 0, "c", "clock", "{")])
    for index, piece in enumerate(["A", "B", "}"]):
        draft.append(index, piece)
        draft.append(index, "")
        draft.append(index, piece)
    assert draft.blocks() == (
        Text(0, 0, "aAA"),
        Thinking(1, 0, "bBB"),
        ToolUse(2, 0, "c", "clock", "{}}"),
    )


def test_reading_while_it_grows_loses_nothing() -> None:
    draft = MessageDraft([Text(0, 0, "")])
    for piece in "abc":
        draft.append(0, piece)
        assert draft.blocks()[0].text.endswith(piece)  # type: ignore[union-attr]
    assert draft[0] == Text(0, 0, "abc")


def test_other_blocks_do_not_grow() -> None:
    draft = MessageDraft([Notice(0, 0, "round_limit")])
    draft.append(0, "x")
    with pytest.raises(TypeError, match="Notice doesn't grow"):
        draft.blocks()


def test_replacing_a_block_discards_its_pending_text() -> None:
    draft = MessageDraft([Text(0, 0, "a")])
    draft.append(0, "b")
    draft.replace(Text(0, 0, "new"))
    assert draft[0] == Text(0, 0, "new")


def test_truncating_discards_pending_text() -> None:
    draft = MessageDraft([Text(0, 0, "a"), Text(1, 0, "b")])
    draft.append(0, "A")
    draft.append(1, "B")
    draft.truncate(1)
    draft.add(Text(1, 1, "c"))
    assert draft.blocks() == (Text(0, 0, "aA"), Text(1, 1, "c"))


def test_only_a_tool_use_is_a_call() -> None:
    draft = MessageDraft([Text(0, 0, "a"), ToolUse(1, 0, "c", "clock")])
    assert draft.tool(1).name == "clock"
    with pytest.raises(TypeError, match="block 0 is Text"):
        draft.tool(0)
