"""The person's knowledge base as a tool: passages of their documents, each with its source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.errors import ToolFailed
from neodeskpet.core.labels import SourceKind
from neodeskpet.core.tool_result import ShownTable, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_
from neodeskpet.redaction import redact_tokens
from neodeskpet.tools.registry import Tool, tool

SEARCH = "knowledge.search"
_SHOWN = 300


class KnowledgeSearch(Protocol):
    """Coroutines raise StoreError."""

    async def look_up(self, query: str, limit: int) -> Sequence[dict[str, object]]:
        """Passages with their `source`, `text` and `relevance`, best first."""
        ...


def knowledge_tools(documents: KnowledgeSearch, allowed: Callable[[], bool]) -> list[Tool]:
    """`allowed`: whether the person lets the conversation that runs use their documents."""

    @tool(
        SEARCH,
        title=N_("Look into your documents"),
        risk=Risk.READ,
        main_argument="query",
        timeout=20,
        outside=True,
        reads=SourceKind.KNOWLEDGE,
    )
    async def search(
        query: Annotated[
            str, Field(min_length=1, max_length=400, description="The words it would say.")
        ],
        limit: Annotated[int, Field(ge=1, le=20, description="At most so many.")] = 5,
    ) -> ToolResult:
        """Find passages in the documents the person added to their knowledge base. Cite the source
        in square brackets, word for word, where you use one: [source]."""
        if not allowed():
            raise ToolFailed(reason=N_("The knowledge base is switched off here."))
        found = await documents.look_up(query, limit)
        if not found:
            return ToolResult("Nothing of that is in the documents.")
        found = [{**one, "text": redact_tokens(str(one["text"]))} for one in found]
        told: dict[str, object] = {"passages": found}
        rows = tuple(
            (str(one["source"]), " ".join(str(one["text"]).split())[:_SHOWN]) for one in found
        )
        return ToolResult(to_json(told).decode(), told, ShownTable(("source", "text"), rows))

    return [search]
