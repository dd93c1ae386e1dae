"""How many messages of a conversation fit into the budget."""

from itertools import pairwise

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
from neodeskpet.core.token_budget import (
    TokenCorrection,
    cut_to_budget,
    estimate_tokens,
    fit_messages,
    message_tokens,
    prune_messages,
    request_tokens,
)
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)


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
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("你好", 2),
        ("你好ab", 3),
        ("день", 3),  # estimated by its bytes
        ("\ud83d", 1),  # half of a surrogate pair
    ],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_a_text_is_cut_to_a_budget() -> None:
    assert cut_to_budget("short", 10) == "short"
    assert estimate_tokens(cut_to_budget("words " * 100, 10)) <= 10
    assert cut_to_budget("说" * 50 + "x", 60) == "说" * 50 + "x"
    assert cut_to_budget("anything", 0) == ""


def test_the_tokens_of_a_message() -> None:
    empty = message_tokens(message(Role.USER))
    assert message_tokens(user(10)) == empty + 10
    assert message_tokens(message(Role.USER, Image(0, 0, "d", "image/png"))) > empty + 500
    hidden = message(Role.ASSISTANT, Notice(0, 0, "limit"), Thinking(1, 0, "x" * 4000))
    assert message_tokens(hidden) == empty


def test_a_call_counts_its_arguments_and_its_result_or_its_error() -> None:
    bare = message_tokens(message(Role.ASSISTANT, ToolUse(0, 0, "c", "clock")))
    whole = ToolUse(0, 0, "c", "clock", "字" * 5, output="字" * 7, error="字" * 9)
    failed = ToolUse(0, 0, "c", "clock", "字" * 5, error="字" * 9)
    assert message_tokens(message(Role.ASSISTANT, whole)) == bare + 12
    assert message_tokens(message(Role.ASSISTANT, failed)) == bare + 14


def test_everything_fits() -> None:
    messages = [user(), reply(), user()]
    assert fit_messages(messages, 1000) == messages
    assert fit_messages([], 1000) == []


def test_the_oldest_are_dropped_and_the_rest_begins_with_the_user() -> None:
    messages = [user(1), reply(2), user(3), reply(4), user(5)]
    assert fit_messages(messages, 11 + 10 + 9) == messages[2:]
    assert fit_messages(messages, 11 + 10) == messages[4:]  # The reply alone would come first.


def test_the_last_exchange_stays_whatever_its_length() -> None:
    assert fit_messages([user(), reply(), user(900)], 10) == [user(900)]
    assert fit_messages([user(), reply(), user(900), reply(900)], 10) == [user(900), reply(900)]


def test_a_conversation_without_the_user_keeps_its_last_message() -> None:
    assert fit_messages([reply(1), reply(2)], 10) == [reply(2)]


@given(st.lists(st.builds(said, st.sampled_from(Role), st.integers(0, 50))), st.integers(-10, 400))
def test_the_kept_messages_are_the_end_of_the_conversation(
    messages: list[Message], budget: int
) -> None:
    kept = fit_messages(messages, budget)
    assert kept == messages[len(messages) - len(kept) :]
    assert bool(kept) == bool(messages)
    if any(m.role is Role.USER for m in messages):
        assert kept[0].role is Role.USER
    if sum(m.role is Role.USER for m in kept) > 1:
        assert sum(map(message_tokens, kept)) <= budget


def numbered(count: int, length: int = 94) -> list[Message]:
    """Messages of a hundred tokens with a number each."""
    roles = (Role.USER, Role.ASSISTANT)
    blocks = (Text(0, 0, "字" * length),)
    return [
        Message(f"m{number}", roles[number % 2], blocks, MessageState.DONE, 0.0)
        for number in range(count)
    ]


def test_the_beginning_of_a_request_stays_for_some_turns() -> None:
    beginnings = [prune_messages(numbered(count), 2_000, 1_500)[0].id for count in range(1, 200, 2)]
    assert beginnings[:10] == ["m0"] * 10
    changes = sum(one != two for one, two in pairwise(beginnings))
    assert changes <= 40, "a new beginning loses the provider's cache"
    assert beginnings[-1] == "m180"


@given(st.lists(st.integers(0, 3_000), max_size=40), st.integers(50, 4_000))
def test_pruned_messages_fit_and_begin_with_the_user(lengths: list[int], maximum: int) -> None:
    messages = [(user, reply)[number % 2](length) for number, length in enumerate(lengths)]
    kept = prune_messages(messages, maximum, maximum * 3 // 4)
    assert kept == messages[len(messages) - len(kept) :]
    if messages:
        last = max((n for n, one in enumerate(messages) if one.role is Role.USER), default=0)
        assert kept[0].role is Role.USER
        assert len(kept) >= len(messages) - last
        assert sum(map(message_tokens, kept)) <= maximum or len(kept) <= 2


def test_without_a_question_the_last_message_is_kept() -> None:
    assert prune_messages([reply(900), reply(900)], 100, 75) == [reply(900)]
    assert prune_messages([], 100, 75) == []


def test_the_tokens_of_a_request() -> None:
    messages = [
        UserTurn((TextPart("字" * 10), ImagePart("d", "image/png"))),
        AssistantTurn((ThinkingPart("字" * 5), CallPart("1", "f", {}))),
        ToolResults((ResultPart("1", "f", "字" * 7, True),)),
    ]
    bare = request_tokens("", [])
    assert bare == 0
    told = request_tokens("字" * 3, messages)
    assert told == 3 + 3 * 6 + 10 + 800 + 5 + 1 + 7
    assert request_tokens("", [], [ToolSpec("f", "字" * 20)]) > 20


def test_the_estimate_is_corrected_by_what_is_reported() -> None:
    correction = TokenCorrection()
    assert correction.estimated("m", 1_000) == 1_000
    correction.learn("m", 100, 900)  # too short to learn from
    correction.learn("m", 1_000, 0)
    assert correction.factor("m") == 1.0
    correction.learn("m", 1_000, 1_500)
    assert correction.factor("m") == 1.5
    assert correction.estimated("m", 3_000) == 2_000
    for _ in range(20):
        correction.learn("m", 1_000, 2_000)
    assert correction.factor("m") == pytest.approx(2.0, abs=0.01)
    correction.learn("n", 1_000, 9_000)  # neither can be a real count
    correction.learn("n", 1_000, 10)
    assert correction.factor("n") == 1.0
