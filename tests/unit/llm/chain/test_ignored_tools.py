"""Models that can't call the tools they are given: when they are detected, and how often that is
reported.
"""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.core.errors import ToolsIgnored, ToolsUnsupported
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolCallReady,
    ToolCallStarted,
    ToolsDropped,
    WireEvent,
)
from neodeskpet.llm.catalog.model_catalog import Endpoint, ModelEntry
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.llm.chain.tool_support import (
    IgnoredToolsDetector,
    IgnoredToolsRecord,
    denies_having_tools,
)
from neodeskpet.llm.scripted_model import ScriptedModel

WITH_TOOLS = ModelRequest("", [], tools=(ToolSpec("a.b", "x"),))
CHOICE = complete_choice(
    Endpoint(name="e", protocol="openai", base_url="http://e"), ModelEntry(endpoint="e", id="m")
)
END = ResponseFinished(StopReason.END)
NO: list[WireEvent] = [TextDelta(0, "Sorry, I can't "), TextDelta(0, "call tools."), END]
YES: list[WireEvent] = [TextDelta(0, "Hello."), END]
CALL: list[WireEvent] = [ToolCallStarted(0, "c", "a_b"), ToolCallReady(0), END]


def hints(
    *replies: list[WireEvent],
    known: IgnoredToolsRecord | None = None,
    request: ModelRequest = WITH_TOOLS,
) -> list[str]:
    """Return for each reply the reason of its hint, "" for none."""
    ignored = known or IgnoredToolsRecord()

    async def hear(reply: list[WireEvent]) -> str:
        model = IgnoredToolsDetector(ScriptedModel(reply, label="m"), CHOICE, ignored)
        heard = [event async for event in model.stream(request)]
        assert [event for event in heard if event in reply] == reply
        told = [one.error for one in heard if isinstance(one, ToolsDropped)]
        return next((one.params["reason"] for one in told if isinstance(one, ToolsIgnored)), "")

    return [asyncio.run(hear(reply)) for reply in replies]


SAYS, SEEN = "It says that it can't.", "The test of its service showed that."


def test_the_hint_comes_after_two_denials_and_only_once() -> None:
    assert hints(NO, YES, NO, NO, NO) == ["", "", SAYS, "", ""]


def test_a_model_that_calls_tools_gets_no_hint() -> None:
    assert hints(NO, CALL, NO) == ["", "", ""]


def test_without_tools_it_may_say_so() -> None:
    assert hints(NO, NO, request=ModelRequest("", [])) == ["", ""]


def test_an_earlier_hint_is_not_repeated() -> None:
    dropped: list[WireEvent] = [NO[0], ToolsDropped(ToolsUnsupported()), END]
    assert hints(dropped, dropped, dropped) == ["", "", ""]


def test_the_result_of_the_endpoint_test_counts() -> None:
    known = IgnoredToolsRecord()
    known.record_test(CHOICE, ignored=True)
    assert hints(YES, YES, known=known) == [SEEN, ""]
    known.record_test(CHOICE, ignored=True)
    assert hints(CALL, YES, known=known) == ["", ""]
    known.record_test(CHOICE, ignored=True)
    known.record_test(CHOICE, ignored=False)
    assert hints(YES, known=known) == [""]


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I cannot directly call external tools.",
        "As an AI I don’t have access to any tools here.",
        "I don't have the ability to use tools.",
        "I'm unable to execute function calls in this chat.",
        "There are no tools available to me.",
        "Unfortunately the functions aren't available.",
        "抱歉，我无法直接调用工具。",
        "我没有可用的工具，不能设置定时器。",
        "当前环境不支持调用任何函数。",
        "很遗憾，这些工具目前不可用。",
    ],
)
def test_denials(reply: str) -> None:
    assert denies_having_tools(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "I set the timer with my tools.",
        "I can't find that file.",
        "A hammer is a tool. You can use it.",
        "I can't say which function is faster.",
        "I looked it up; the tool found nothing.",
        "好的，我已经调用工具查好了。",
        "工具箱在车库里。",
        "我不能告诉你密码。",
        "这个函数不会返回任何值。",
    ],
)
def test_other_sentences(reply: str) -> None:
    assert not denies_having_tools(reply)
