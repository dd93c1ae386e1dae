"""Passages of the user's documents as a tool's result."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from neodeskpet.core.tool_result import ToolResult
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.memory import SEARCH, KnowledgeHidden, knowledge_tools

TOKEN = "ghp_" + "abc123DEF456" * 3


class Documents:
    async def look_up(self, query: str, limit: int) -> Sequence[dict[str, object]]:
        if query == "nothing":
            return ()
        return [{"source": "a.txt", "text": f"Use {TOKEN} there.", "relevance": 1.0}]


def search(query: str, *, allowed: bool = True) -> ToolResult:
    toolbox = Toolbox(AppTools(knowledge_tools(Documents(), lambda: allowed)))
    offer = toolbox.offer()
    return asyncio.run(offer.run(SEARCH, {"query": query}, lambda fraction, text: None))


def test_tokens_in_passages_are_replaced() -> None:
    found = search("kettle")
    assert "Use [hidden] there." in found.text
    assert TOKEN not in f"{found.text} {found.data} {found.shown}"


def test_nothing_found_and_nothing_allowed() -> None:
    assert search("nothing").text == "Nothing was found in the documents."
    with pytest.raises(KnowledgeHidden, match=r"is switched off here\. Go on without it"):
        search("kettle", allowed=False)
