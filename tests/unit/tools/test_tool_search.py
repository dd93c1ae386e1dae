"""Many tools cost 500 tokens: a search tool, and the tools found in this conversation."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text, ToolUse
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.toolkit.registry import Progress
from neodeskpet.tools.tool_search import (
    FIND_TOOL,
    MOST_SENT_TOOLS,
    SEARCH_TOKEN_BUDGET,
    SearchableToolbox,
    index_of,
    needs_search,
    spec_tokens,
    tools_found_in,
)
from tests.support.manytools import many_tools

SMILE = ToolSpec("live2d.expression", "Smile.", risk=Risk.GESTURE, eager=True)
LONG = ToolSpec("live2d.parameters", "word " * 600, risk=Risk.GESTURE)
NOTE = ToolSpec("note.add", "Keep a note for the user.")


class Box:
    """Offers `specs`; a call answers with its name."""

    def __init__(self, *specs: ToolSpec) -> None:
        self.specs: Sequence[ToolSpec] = specs

    def offer(self) -> "Box":
        return self

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        return ToolResult(f"{name} ran")

    def check(self, name: str, arguments: Mapping[str, object]) -> None: ...


def names(tools: SearchableToolbox) -> list[str]:
    return [spec.name for spec in tools.offer().specs]


def call(tools: SearchableToolbox, name: str, **arguments: object) -> ToolResult:
    return asyncio.run(tools.offer().run(name, arguments, lambda fraction, text: None))


def called(name: str, data: object = None) -> Message:
    blocks = (Text(0, 0, "so"), ToolUse(1, 0, "id", name, data=data))
    return Message("m", Role.ASSISTANT, blocks, MessageState.DONE, 0.0)


def test_a_few_tools_are_sent_unchanged() -> None:
    box = Box(SMILE, NOTE)
    assert SearchableToolbox(box, [], 24_000).offer() is box
    foreign = replace(NOTE, source="mcp.small")
    assert not needs_search([NOTE] * (MOST_SENT_TOOLS + 1), 1_000_000)  # own tools are not counted
    assert not needs_search([foreign] * MOST_SENT_TOOLS, 24_000)
    assert needs_search([foreign] * (MOST_SENT_TOOLS + 1), 1_000_000)
    assert needs_search([LONG], spec_tokens(LONG) * 3)
    assert not needs_search([LONG], spec_tokens(LONG) * 6)


def test_a_thousand_tools_cost_five_hundred_tokens_and_their_families_are_named() -> None:
    tools = SearchableToolbox(Box(SMILE, LONG, NOTE, *many_tools()), [], 24_000)
    specs = tools.offer().specs
    assert [spec.name for spec in specs] == [FIND_TOOL, "live2d.expression"]
    assert sum(map(spec_tokens, specs)) <= SEARCH_TOKEN_BUDGET
    told = specs[0].description
    assert "992 tools" in told
    assert "github (26)" in told
    assert "more families" in told


def test_found_tools_are_offered_from_then_on() -> None:
    tools = SearchableToolbox(Box(SMILE, NOTE, *many_tools()), [], 24_000)
    assert "create_pull_request" not in names(tools)
    result = call(tools, FIND_TOOL, query="open a pull request")
    assert "create_pull_request: " in result.text
    assert isinstance(result.data, dict)
    assert "create_pull_request" in result.data["tools"]
    assert "create_pull_request" in names(tools)
    assert call(tools, "create_pull_request").text == "create_pull_request ran"
    assert "note.add" not in names(tools)
    call(tools, FIND_TOOL, query="记笔记")
    assert {"note.add", "create_pull_request"} <= {*names(tools)}


def test_own_tools_that_the_user_asks_for_are_offered_at_once() -> None:
    said = Message("u", Role.USER, (Text(0, 0, "请记一条笔记：买牛奶"),), MessageState.DONE, 0.0)
    tools = SearchableToolbox(Box(SMILE, NOTE, *many_tools()), [called("gone"), said], 24_000)
    specs = tools.offer().specs
    assert [spec.name for spec in specs] == [FIND_TOOL, "live2d.expression", "note.add"]
    assert sum(map(spec_tokens, specs)) <= SEARCH_TOKEN_BUDGET


def test_an_empty_result_says_so_and_a_wrong_call_has_a_reason() -> None:
    tools = SearchableToolbox(Box(*many_tools()), [], 24_000)
    assert call(tools, FIND_TOOL, query="zzzz qqqq").text.startswith("No tool fits")
    assert names(tools) == [FIND_TOOL]
    with pytest.raises(InvalidArguments, match="query"):
        call(tools, FIND_TOOL)


def test_a_continued_conversation_offers_the_tools_it_had_found_and_called() -> None:
    history = [
        called(FIND_TOOL, {"tools": ["create_issue"]}),
        called(FIND_TOOL, {"tools": "spoilt"}),
        called(FIND_TOOL, "spoilt"),
        called("note.add"),
        called("gone.tool"),
    ]
    assert tools_found_in(history) == ["create_issue", "note.add", "gone.tool"]
    tools = SearchableToolbox(Box(NOTE, *many_tools()), history, 24_000)
    assert {*names(tools)} == {FIND_TOOL, "note.add", "create_issue"}


def test_an_index_is_kept_while_the_tools_are_the_same() -> None:
    specs = [ToolSpec(f"a.{number}", "Something.") for number in range(3)]
    made = index_of(specs)
    assert index_of(list(specs)) is made
    assert index_of([replace(one) for one in specs]) is made, "the schemas are the same objects"
    assert index_of(specs[:2]) is not made
    assert index_of([replace(specs[0], description="Other."), *specs[1:]]) is not made


def test_the_tokens_of_a_changed_tool_are_counted_again() -> None:
    spec = ToolSpec("a.b", "Something.")
    few = spec_tokens(spec)
    assert spec_tokens(spec) == few
    assert spec_tokens(replace(spec, description="Something " * 50)) > few
