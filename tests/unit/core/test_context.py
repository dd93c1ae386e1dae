"""How much of a conversation fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolUse,
)
from neodeskpet.core.context import estimate_tokens, fit, message_tokens


def message(role: Role, *blocks: Block) -> Message:
    return Message(f"{role}{len(blocks)}", role, blocks, MessageState.DONE, 0.0)


def said(role: Role, length: int) -> Message:
    return message(role, Text(0, 0, "字" * length))


def user(length: int = 4) -> Message:
    return said(Role.USER, length)


def reply(length: int = 4) -> Message:
    return said(Role.ASSISTANT, length)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        *(("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好", 2), ("你好ab", 3)),
        ("день", 3),  # looked at by its bytes
        ("\ud83d", 1),  # half of a character
    ],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_a_message_costs() -> None:
    empty = message_tokens(message(Role.USER))
    assert message_tokens(user(10)) == empty + 10
    assert message_tokens(message(Role.USER, Image(0, 0, "d", "image/png"))) > empty + 500
    hidden = message(Role.ASSISTANT, Notice(0, 0, "limit"), Thinking(1, 0, "x" * 4000))
    assert message_tokens(hidden) == empty


def test_a_call_costs_its_arguments_and_its_result_or_its_error() -> None:
    bare = message_tokens(message(Role.ASSISTANT, ToolUse(0, 0, "c", "clock")))
    whole = ToolUse(0, 0, "c", "clock", "字" * 5, output="字" * 7, error="字" * 9)
    failed = ToolUse(0, 0, "c", "clock", "字" * 5, error="字" * 9)
    assert message_tokens(message(Role.ASSISTANT, whole)) == bare + 12
    assert message_tokens(message(Role.ASSISTANT, failed)) == bare + 14


def test_everything_fits() -> None:
    messages = [user(), reply(), user()]
    assert fit(messages, 1000) == messages
    assert fit([], 1000) == []


def test_the_oldest_go_first_and_what_stays_begins_with_the_person() -> None:
    messages = [user(1), reply(2), user(3), reply(4), user(5)]
    assert fit(messages, 11 + 10 + 9) == messages[2:]
    assert fit(messages, 11 + 10) == messages[4:]  # the reply alone would come first


def test_the_last_exchange_stays_however_long_it_is() -> None:
    assert fit([user(), reply(), user(900)], 10) == [user(900)]
    assert fit([user(), reply(), user(900), reply(900)], 10) == [user(900), reply(900)]


def test_a_conversation_without_the_person_keeps_its_last_message() -> None:
    assert fit([reply(1), reply(2)], 10) == [reply(2)]


@given(st.lists(st.builds(said, st.sampled_from(Role), st.integers(0, 50))), st.integers(-10, 400))
def test_what_is_kept_is_an_end_of_the_conversation(messages: list[Message], budget: int) -> None:
    kept = fit(messages, budget)
    assert kept == messages[len(messages) - len(kept) :]
    assert bool(kept) == bool(messages)
    if any(m.role is Role.USER for m in messages):
        assert kept[0].role is Role.USER
    if sum(m.role is Role.USER for m in kept) > 1:
        assert sum(map(message_tokens, kept)) <= budget
