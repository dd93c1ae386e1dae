"""The marks around the user's words are never shown, even if a model writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.reply_filters import UserMarkReader
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta, ThinkingDelta, WireEvent


def shown(*pieces: str) -> str:
    reader = UserMarkReader(NATIVE.reader())
    events: list[WireEvent] = []
    for piece in pieces:
        events += reader.read(TextDelta(0, piece))
        events += reader.pause()
    events += reader.read(ResponseFinished(StopReason.END))
    assert isinstance(events[-1], ResponseFinished)
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("⟦person: 2026-11-23 Mon 15:20⟧\nHello!\n⟦/person⟧", "Hello!\n"),
        ("⟦/person⟧ is the word", " is the word"),
        ("Hello ⟦PERSON⟧there", "Hello there"),
        ("⟦persons⟧ ⟦note⟧ ⟦ a ⟧", "⟦persons⟧ ⟦note⟧ ⟦ a ⟧"),
        ("it ends in ⟦pers", "it ends in ⟦pers"),
        ("⟦person: but this goes on over\nlines⟧", "⟦person: but this goes on over\nlines⟧"),
        (f"⟦person: {'x' * 60}⟧", f"⟦person: {'x' * 60}⟧"),
        ("```\n⟦/person⟧\n```\n", "```\n⟦/person⟧\n```\n"),
        ("in `⟦/person⟧` it is code", "in `⟦/person⟧` it is code"),
    ],
)
def test_marks_are_removed_and_everything_else_stays_at_every_split(said: str, told: str) -> None:
    assert shown(said) == told
    for at in range(len(said) + 1):
        assert shown(said[:at], said[at:]) == told
    assert shown(*said) == told


@given(st.lists(st.sampled_from(["⟦", "/", "person", ": 1⟧", "⟧", "a", "\n", "`", "``", " "])))
def test_the_split_makes_no_difference(pieces: list[str]) -> None:
    assert shown("".join(pieces)) == shown(*pieces)


def test_other_events_pass() -> None:
    reader = UserMarkReader(NATIVE.reader())
    thought = ThinkingDelta(0, "⟦/person⟧")
    assert list(reader.read(thought)) == [thought]
