"""The request for the next round."""

import asyncio
from dataclasses import replace

from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import Block, Message, MessageState, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST, Dialect
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import AssistantTurn, TextPart, ToolResults, UserTurn
from neodeskpet.llm.scripted_model import ScriptedModel
from tests.unit.conversation.doubles import Tools

CLOCK = ToolSpec("clock", "The time.")
CALLED = ToolUse(0, 0, "c", "clock", "{}", {}, ToolStatus.SUCCESS, "nine")


def message(role: Role, *blocks: Block) -> Message:
    return Message("m", role, blocks, MessageState.DONE, 0.0)


def turn_setup(dialect: Dialect = NATIVE, context: int = 1000) -> TurnSetup:
    return TurnSetup(
        ScriptedModel(), Tools(CLOCK), dialect, persona="You are Neo.", context=context
    )


QUESTION = message(Role.USER, Text(0, 0, "Time?"))
REPLY = message(Role.ASSISTANT)


def test_the_tools_are_in_a_native_request() -> None:
    request = asyncio.run(turn_setup().request([QUESTION], REPLY, [], [CLOCK]))
    assert (request.system, request.dialect) == ("【Persona】\nYou are Neo.", "native")
    assert list(request.tools) == [CLOCK]
    assert request.messages == [UserTurn((TextPart("Time?"),))]


def test_a_persona_that_others_may_have_written_is_untrusted() -> None:
    sync = (DataSource(SourceKind.SYNC),)
    for origins in ((), sync):
        made = replace(turn_setup(), persona_from=origins)
        request = asyncio.run(made.request([QUESTION], REPLY, [], []))
        assert request.reading.labels.untrusted == origins


def test_the_tools_are_in_the_prompt_in_text_mode() -> None:
    request = asyncio.run(turn_setup(TOOL_REQUEST).request([QUESTION], REPLY, [], [CLOCK]))
    assert (request.tools, request.dialect) == ((), "tool_request")
    assert "- clock {}: The time." in request.system
    assert request.stops == ("<<<[TOOL_RESULT]>>>",)
    without = asyncio.run(turn_setup(TOOL_REQUEST).request([QUESTION], REPLY, [], []))
    assert without.stops == ()


def test_the_blocks_so_far_are_the_last_message() -> None:
    request = asyncio.run(turn_setup().request([QUESTION], REPLY, [CALLED], [CLOCK]))
    kinds = [type(message) for message in request.messages]
    assert kinds == [UserTurn, AssistantTurn, ToolResults]


def test_text_mode_renders_text_calls_and_results() -> None:
    request = asyncio.run(turn_setup(TOOL_REQUEST).request([QUESTION], REPLY, [CALLED], [CLOCK]))
    kinds = [type(message) for message in request.messages]
    assert kinds == [UserTurn, AssistantTurn, UserTurn]


def test_an_old_conversation_is_cut_to_the_budget_but_never_the_last_message() -> None:
    old = [message(Role.USER, Text(0, 0, "字" * 500)), message(Role.ASSISTANT, Text(0, 0, "Oh."))]
    written = [Text(0, 0, "字" * 5000)]
    request = asyncio.run(
        turn_setup(context=100).request([*old, QUESTION], REPLY, written, [CLOCK])
    )
    first, second, *_ = request.messages
    assert first == UserTurn((TextPart("Time?"),))
    assert second == AssistantTurn((TextPart("字" * 5000),))
