"""Announcements of a reply as it streams: sentences, never parts of them."""

from __future__ import annotations

from dataclasses import replace

from neodeskpet.core.blocks import MessageState, Notice, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.i18n import Reason
from neodeskpet.core.tool_result import ApprovalText
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from neodeskpet.ui.chat.view.reply_announcer import ReplyAnnouncer


def said(*events: TurnEvent, to: ReplyAnnouncer | None = None) -> list[str]:
    reading = to or ReplyAnnouncer(lambda name: {"note.add": "Add a note"}.get(name, name))
    found = [reading.announcement_for("m", event) for event in events]
    return [one.text for one in found if one is not None]


def card(status: ToolStatus) -> ToolUse:
    return ToolUse(2, 0, "call", "note.add", status=status)


def test_whole_sentences_as_they_come() -> None:
    pieces = ("It is", " warm. The sun", " shines,", " as *ever*. 好的。", "And")
    assert said(
        TurnStarted("m"),
        BlockStarted(Text(0, 0, "Hello. ")),
        *(TextAppended(0, piece) for piece in pieces),
        BlockEnded(Text(0, 0, "")),
        TurnEnded(MessageState.DONE, 1.0),
    ) == [
        "Hello.",
        "It is warm.",
        "The sun shines, as ever.",
        "好的。",
        "And",
        "The reply is finished.",
    ]


def test_thinking_is_silent_and_code_is_announced() -> None:
    whole = "Look:\n```python\nprint(1)\n```\n"
    assert said(
        BlockStarted(Thinking(0, 0, "")),
        TextAppended(0, "I wonder. "),
        BlockEnded(Thinking(0, 0, "I wonder.")),
        BlockStarted(Text(1, 0, "")),
        TextAppended(1, whole),
        BlockEnded(Text(1, 0, whole)),
    ) == ["Look:", "There is code in it."]


def test_each_state_of_a_card_is_announced_once() -> None:
    assert said(
        BlockStarted(Text(1, 0, "I'll note it")),
        BlockStarted(card(ToolStatus.WRITING)),
        ArgumentsAppended(2, "{}"),
        BlockChanged(card(ToolStatus.QUEUED)),
        BlockChanged(card(ToolStatus.ASKING)),
        BlockChanged(card(ToolStatus.ASKING)),
        BlockChanged(card(ToolStatus.RUNNING)),
        BlockEnded(card(ToolStatus.SUCCESS)),
    ) == [
        "I'll note it",
        "The companion asks for permission: Add a note?\nCtrl+J goes to the answers.",
        "Add a note: running",
        "Add a note: done",
    ]


def test_errors_are_announced() -> None:
    (words,) = said(BlockStarted(Notice(3, 0, "stream_broken")))
    assert "stopped before" in words


def test_a_retried_reply_starts_again() -> None:
    reading = ReplyAnnouncer(str)
    assert said(BlockStarted(Text(0, 0, "One and")), to=reading) == []
    assert said(BlocksRemoved(0), TextAppended(0, " two. "), to=reading) == []
    assert said(BlockStarted(Text(0, 0, "Three. ")), to=reading) == ["Three."]
    assert reading.announcement_for("another", TextAppended(0, "Four. ")) is None


def test_code_that_grows_is_silent_and_the_text_after_it_is_read() -> None:
    cut = Text(0, 0, "Look. Here:\n```python\nprint(")
    more = "1)\n```\nThat was it. "
    assert said(
        TurnStarted("m", resumed=True),
        BlockChanged(cut),
        TextAppended(0, more),
        BlockEnded(Text(0, 0, cut.text + more)),
    ) == ["That was it.", "There is code in it."]


def test_a_question_interrupts_and_is_read_with_what_it_touches() -> None:
    reading = ReplyAnnouncer(str)
    title = Reason("Delete the note “{name}”?", {"name": "Milk"})
    question = ApprovalText(title, thing="Milk, 2 l", undoable=False)
    asking = replace(card(ToolStatus.ASKING), question=question)
    found = reading.announcement_for("m", BlockChanged(asking))
    assert found is not None
    assert found.urgent
    for part in ("Delete the note “Milk”?", "Milk, 2 l", "Can't be undone", "Ctrl+J"):
        assert part in found.text
    assert reading.announcement_for("m", BlockChanged(asking)) is None


def test_a_long_question_is_cut() -> None:
    asking = replace(card(ToolStatus.ASKING), arguments={"text": "x" * 5_000})
    found = ReplyAnnouncer(str).announcement_for("m", BlockChanged(asking))
    assert found is not None
    assert len(found.text) < 800


def test_pictures_formulas_and_tables_are_named() -> None:
    data = f"![a cat](data:image/png;base64,{'iVBOR' * 300})"
    assert said(
        BlockStarted(Text(0, 0, "")),
        TextAppended(0, f"Look: {data} nice.\n\n$$x^2$$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
        BlockEnded(Text(0, 0, "")),
        TurnEnded(MessageState.CANCELLED, 1.0),
    ) == ["Look: Picture a cat nice.\nA formula.\nA table.", "The reply was stopped."]
