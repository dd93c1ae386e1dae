"""The rules of the context in a conversation of hundreds of turns beside twenty windows."""

import asyncio
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.conversation.prompt import ConversationSummary
from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.token_budget import request_tokens
from neodeskpet.llm.scripted_model import ScriptedModel
from tests.support.longtalk import long_setup, talk, windows
from tests.unit.conversation.doubles import Tools

MOST = 8_000
TALK = talk(500)
REPLY = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 0.0)


def request(
    turns: int, count: int, content: int = 200, summary: ConversationSummary | None = None
) -> ModelRequest:
    setup = long_setup(ScriptedModel(), Tools(), MOST, windows(count, content))

    async def told() -> ConversationSummary | None:
        return summary

    setup = replace(setup, summary=told)
    history = TALK[: 2 * turns - 1]
    return asyncio.run(setup.request(history, REPLY, (), ()))


def cost(made: ModelRequest) -> int:
    return request_tokens(made.system, made.messages)


@settings(max_examples=30)
@given(st.integers(1, 500), st.integers(1, 20), st.integers(0, 900))
def test_the_request_stays_within_its_tokens(turns: int, count: int, content: int) -> None:
    made = request(turns, count, content)
    assert cost(made) <= MOST
    assert '<Window id="w0">' in str(made)  # the pinned one
    assert f"{turns - 1} some words" in str(made.messages[-1])  # the user's last words
    assert made.system.startswith(
        "【人设设定】\nYou are Neo."
    )  # The conversation is partly Chinese.


def test_windows_are_left_out_by_importance_and_the_conversation_keeps_its_share() -> None:
    made = request(500, 20)
    told = [f'<Window id="w{n}">' in str(made) for n in range(20)]
    assert told[0] and not all(told)
    important = [one for n, one in enumerate(told) if n % 4 == 0]
    others = [one for n, one in enumerate(told) if n % 4]
    assert any(important) and not any(others)
    assert len(made.messages) > 20


def test_omitted_messages_are_replaced_by_their_summary() -> None:
    made = request(500, 20, summary=ConversationSummary("a480", "They spoke of words."))
    assert "They spoke of words." in made.system
    assert cost(made) <= MOST
    first = str(made.messages[0])
    assert any(f"{number} some words" in first for number in range(481, 500))
    short = request(3, 1, summary=ConversationSummary("a0", "They spoke of words."))
    assert "They spoke" not in str(short)  # all of it fits
    other = request(500, 20, summary=ConversationSummary("gone", "Of another version."))
    assert "another version" not in str(other)
