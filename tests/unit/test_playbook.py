"""The playbook of tests/support: it must fail when it should, and show where."""

import gc

import pytest

from neodeskpet.core.blocks import MessageState, Text, ToolStatus
from neodeskpet.core.turn.signals import Begun, CallModel, Cancelled, EndTurn
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import BlockStarted, RoundStarted, TurnStarted
from neodeskpet.core.wire import TextDelta, ToolCallStarted
from tests.support.playbook import Note, Wait, brief, card, playbook


def test_it_fails_with_a_diff_of_the_transcript() -> None:
    with pytest.raises(AssertionError) as caught:
        assert (
            playbook(Turn("m"), see=(CallModel, BlockStarted))
            >> Begun()
            << CallModel(0)
            >> TextDelta(0, "Hi")
            << BlockStarted(Text(0, 0, "Ho"))
        )
    lines = str(caught.value).splitlines()
    assert "  >> Begun()" in lines
    assert "  << CallModel(0)" in lines
    assert "- << BlockStarted(Text(0, 0, 'Ho'))" in lines
    assert "+ << BlockStarted(Text(0, 0, 'Hi'))" in lines


@pytest.mark.parametrize(
    "wrong",
    [
        lambda book: book >> Begun() << TurnStarted("m") << RoundStarted(0),
        lambda book: (
            book >> Begun() << TurnStarted("m") << RoundStarted(0) << CallModel(0) << CallModel(1)
        ),
        lambda book: book >> Begun() << TurnStarted("m") << CallModel(0) << RoundStarted(0),
        lambda book: book << TurnStarted("m"),
        lambda book: book >> Begun(),
    ],
    ids=["too much said", "too little said", "another order", "nothing was told", "not expected"],
)
def test_every_difference_fails(wrong: object) -> None:
    with pytest.raises(AssertionError, match="something else"):
        assert wrong(playbook(Turn("m")))  # type: ignore[operator]


def test_it_can_continue_after_an_assert() -> None:
    book = playbook(Turn("m"), see=(CallModel, EndTurn))
    assert book >> Begun() << CallModel(0)
    assert book >> Wait(2) >> Cancelled() << EndTurn(MessageState.CANCELLED)
    assert book.now == 2.0
    assert TurnStarted("m") in book.heard


def test_patterns_must_fit() -> None:
    book = playbook(Turn("m"), see=(BlockStarted,))
    assert (
        book
        >> Begun()
        >> ToolCallStarted(0, "c", "clock")
        << card(0, ToolStatus.WRITING, name="clock")
    )
    for wrong in (
        card(1, ToolStatus.WRITING),
        card(0, ToolStatus.RUNNING, name="clock"),
        card(0, ToolStatus.WRITING, name="other"),
        Note("round_limit"),
    ):
        turn = Turn("m")
        with pytest.raises(AssertionError, match="something else"):
            assert (
                playbook(turn, see=(BlockStarted,))
                >> Begun()
                >> ToolCallStarted(0, "c", "clock")
                << wrong
            )


def test_a_playbook_that_is_never_asserted_is_an_error() -> None:
    with pytest.warns(UserWarning, match="never asserted"):
        playbook(Turn("m")) >> Begun()
        gc.collect()


def test_default_values_are_left_out_of_a_line() -> None:
    assert brief(Text(0, 1, "a")) == "Text(0, 1, 'a')"
    assert brief(Text(0, 1, "a", True)) == "Text(0, 1, 'a', refusal=True)"
    assert brief(card(0, ToolStatus.DENIED, error="no")) == (
        "card(0, ToolStatus.DENIED, error='no')"
    )
