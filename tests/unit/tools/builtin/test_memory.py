"""The tools for facts. (What may become a fact is tested in the stories and
`conversation/facts`.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.tool_result import ShownList, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.memory import memory_tools


class Facts:
    """Double that returns what it is asked."""

    async def add(self, fact: str, quote: str) -> dict[str, object]:
        return {"add": [fact, quote]}

    async def update(self, fact_id: str, fact: str, quote: str) -> dict[str, object]:
        return {"update": [fact_id, fact, quote]}

    async def delete(self, fact_id: str) -> dict[str, object]:
        return {"delete": fact_id}

    async def search(self, query: str, limit: int) -> tuple[Sequence[dict[str, object]], Labels]:
        return [{"id": "1", "fact": query}][:limit] if query else [], NO_LABELS


def run(name: str, **arguments: object) -> ToolResult:
    toolbox = Toolbox(AppTools(memory_tools(Facts())))
    return asyncio.run(toolbox.offer().run(name, arguments, lambda part, text: None))


def test_each_tool_does_what_it_says() -> None:
    assert "I am a nurse" in run("memory.add", fact="I am", quote="I am a nurse").text
    assert "update" in run("memory.update", id="1", fact="Ulm", quote="I live in Ulm").text
    assert "delete" in run("memory.delete", id="1").text
    found = run("memory.search", query="tea")
    assert found.shown == ShownList(("tea",)) and run("memory.search").shown is None


def test_forgetting_asks_first() -> None:
    risks = {one.spec.name: one.spec.risk for one in memory_tools(Facts())}
    assert risks["memory.delete"] is Risk.WRITE and risks["memory.search"] is Risk.READ
