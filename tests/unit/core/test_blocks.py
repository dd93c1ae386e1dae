"""Messages: final states, sums of usage, and the text of a message."""

import dataclasses

import pytest

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


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3, 4) + Usage(10, 20, 30, 40) == Usage(11, 22, 33, 44)
    assert Usage() + Usage() == Usage()
    assert (Usage(context_tokens=9) + Usage(context_tokens=12)).context_tokens == 12


def test_the_price_of_a_message_is_known_only_if_that_of_each_round_is() -> None:
    first, second = Usage(cost=0.5, currency="USD"), Usage(cost=0.25, currency="USD")
    assert (first + second).cost == 0.75
    assert (first + second).currency == "USD"
    assert (first + Usage()).cost is None
    assert (first + Usage(cost=0.25, currency="CNY")).cost is None


def test_which_states_of_a_call_are_final() -> None:
    ended = {status for status in ToolStatus if status.ended}
    assert ended == {
        ToolStatus.SUCCESS,
        ToolStatus.ERROR,
        ToolStatus.CANCELLED,
        ToolStatus.DENIED,
        ToolStatus.INTERRUPTED,
    }


def test_the_text_of_a_message_is_its_text_blocks() -> None:
    blocks: tuple[Block, ...] = (
        Thinking(0, 0, "Hm"),
        Text(1, 0, "One."),
        ToolUse(2, 0, "c", "clock", output="nine"),
        Text(3, 1, " \n"),
        Image(4, 1, "d", "image/png"),
        Thinking(5, 1, ""),
        Thinking(6, 1, "So"),
        Text(7, 1, "Two."),
        Notice(8, 1, "length_limit"),
    )
    message = Message("m", Role.ASSISTANT, blocks, MessageState.DONE, 0.0)
    assert message.text == "One.\n\nTwo."
    assert message.thinking == "Hm\n\nSo"


def test_an_empty_message_has_no_text() -> None:
    message = Message("m", Role.ASSISTANT, (), MessageState.RUNNING, 0.0)
    assert (message.text, message.thinking) == ("", "")


@pytest.mark.parametrize("kind", Block.__args__)
def test_blocks_are_values(kind: type[Block]) -> None:
    names = [field.name for field in dataclasses.fields(kind)]
    assert names[:2] == ["index", "round"]
    assert kind.__dataclass_params__.frozen
    assert set(kind.__slots__) == set(names)
