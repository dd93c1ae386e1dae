"""A thousand tools: the cost of a request with the search and with all of them, and how long the
first use of a tool that has to be found takes here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence

from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.registry import Progress
from neodeskpet.tools.tool_index import ToolIndex
from neodeskpet.tools.tool_search import FIND_TOOL, SearchableToolbox, spec_tokens
from tests.support.manytools import cases, many_tools


class _Box:
    """A toolbox, and its own offer; a call answers with the name of its tool."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self.specs = specs

    def offer(self) -> _Box:
        return self

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        return ToolResult(name)

    def check(self, name: str, arguments: Mapping[str, object]) -> None: ...

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return CallPreview()


def measure() -> dict[str, float]:
    """Tokens by the estimate of `core.token_budget`; milliseconds of this machine."""
    specs = many_tools()
    tools = SearchableToolbox(_Box(specs), [], 24_000)
    search = sum(map(spec_tokens, tools.offer().specs))
    begun = time.perf_counter()
    asyncio.run(_use(tools))
    first_use = time.perf_counter() - begun
    begun = time.perf_counter()
    index = ToolIndex(specs)
    built = time.perf_counter() - begun
    named = {spec.name for spec in specs}
    asked = [(query, fit & named) for query, fit in cases() if fit & named]
    begun = time.perf_counter()
    hits = sum(any(one.name in fit for one in index.search(query)) for query, fit in asked)
    return {
        "tools": len(specs),
        "cases": len(asked),
        "all_tokens": sum(map(spec_tokens, specs)),
        "search_tokens": search,
        "found_share": hits / len(asked),
        "first_use_ms": first_use * 1e3,
        "index_ms": built * 1e3,
        "search_ms": (time.perf_counter() - begun) / len(asked) * 1e3,
    }


async def _use(tools: SearchableToolbox) -> None:
    """Find a tool, then call it."""
    await tools.offer().run(FIND_TOOL, {"query": "fork a repository"}, lambda fraction, text: None)
    await tools.offer().run("fork_repository", {}, lambda fraction, text: None)
