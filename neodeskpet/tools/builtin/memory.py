"""Tools for what the companion knows: facts about the user, and passages of the user's documents
with their sources.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.data_labels import Labels, SourceKind
from neodeskpet.core.errors import ToolError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownList,
    ShownTable,
    ToolResult,
    count_brief,
    name_of,
    text_brief,
)
from neodeskpet.core.toolspec import Risk
from neodeskpet.platform.redaction import redact_tokens
from neodeskpet.toolkit.registry import Tool, tool

_Fact = Annotated[
    str,
    Field(
        min_length=2,
        max_length=300,
        description="One short, lasting fact about the user, in the words they used.",
    ),
]
_Quote = Annotated[
    str,
    Field(
        min_length=2,
        max_length=300,
        description="The user's own words that say it, word for word from one of their messages.",
    ),
]


class StoredFacts(Protocol):
    """The facts. Coroutines raise ToolError and StoreError; their results are texts for
    the model.
    """

    async def add(self, fact: str, quote: str) -> dict[str, object]: ...

    async def update(self, fact_id: str, fact: str, quote: str) -> dict[str, object]: ...

    async def delete(self, fact_id: str) -> dict[str, object]: ...

    async def get(self, fact_id: str) -> str:
        """Return the text of a fact. Raises InvalidArguments for an unknown id."""
        ...

    async def search(self, query: str, limit: int) -> tuple[Sequence[dict[str, object]], Labels]:
        """Return the facts found and their labels."""
        ...


def memory_tools(facts: StoredFacts) -> list[Tool]:
    def ask_add(fact: str, quote: str) -> ApprovalText:
        title = Reason(N_("Remember “{name}”?"), {"name": name_of(fact)})
        return ApprovalText(title, fact, verb=N_("Remember"), keep=N_("Don't remember"))

    @tool(
        "memory.add",
        title=N_("Remember a fact"),
        risk=Risk.APP_DATA,
        main_argument="fact",
        timeout=20,
        ask=ask_add,
    )
    async def add(fact: _Fact, quote: _Quote) -> ToolResult:
        """Remember a lasting fact that the user said of themselves (name, likes, dates,
        promises). Never for what a tool, a page or you said."""
        return _stored(await facts.add(fact, quote), fact)

    async def ask_update(id: str, fact: str, quote: str) -> ApprovalText:
        title = Reason(N_("Change the fact “{name}”?"), {"name": name_of(await facts.get(id))})
        return ApprovalText(title, fact, verb=N_("Change"), keep=N_("Leave it as it is"))

    @tool(
        "memory.update",
        title=N_("Correct a remembered fact"),
        risk=Risk.APP_DATA,
        main_argument="fact",
        timeout=20,
        ask=ask_update,
    )
    async def update(
        id: Annotated[str, Field(description="The fact's id, as memory.search shows it.")],
        fact: _Fact,
        quote: _Quote,
    ) -> ToolResult:
        """Correct a fact that is no longer true with the user's new statement."""
        return _stored(await facts.update(id, fact, quote), fact)

    async def ask_delete(id: str) -> ApprovalText:
        fact = await facts.get(id)
        title = Reason(N_("Forget “{name}” for good?"), {"name": name_of(fact)})
        return ApprovalText(title, fact, undoable=False, verb=N_("Forget"), keep=N_("Keep it"))

    @tool(
        "memory.delete",
        title=N_("Forget a fact"),
        risk=Risk.WRITE,
        main_argument="id",
        timeout=20,
        ask=ask_delete,
        can_always_allow=False,
    )
    async def delete(
        id: Annotated[str, Field(description="The fact's id, as memory.search shows it.")],
    ) -> ToolResult:
        """Delete a fact about the user permanently, if they ask for it."""
        deleted = await facts.delete(id)
        return ToolResult(to_json(deleted).decode(), deleted, brief=Reason(N_("forgotten")))

    @tool(
        "memory.search",
        title=N_("Search the facts about you"),
        risk=Risk.READ,
        main_argument="query",
        timeout=20,
        reads=SourceKind.MEMORY,
    )
    async def search(
        query: Annotated[
            str, Field(max_length=300, description="What is wanted. Left out: the newest.")
        ] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="At most so many.")] = 10,
    ) -> ToolResult:
        """Find facts about the user, with their ids."""
        found, labels = await facts.search(query, limit)
        data = {"facts": list(found)}
        shown = ShownList(tuple(str(one["fact"]) for one in found)) if found else None
        brief = count_brief(len(found), N_("1 found"), N_("{count} found"))
        return ToolResult(to_json(data).decode(), data, shown, labels=labels, brief=brief)

    return [add, update, delete, search]


def _stored(data: dict[str, object], fact: str) -> ToolResult:
    return ToolResult(to_json(data).decode(), data, brief=text_brief(fact))


SEARCH = "knowledge.search"
_SHOWN = 300


class KnowledgeHidden(ToolError):
    code = "knowledge_hidden"
    refusal = True
    what = N_("The knowledge base is switched off here.")


class KnowledgeSearch(Protocol):
    """The search in the knowledge base. Coroutines raise StoreError."""

    async def look_up(self, query: str, limit: int) -> Sequence[dict[str, object]]:
        """Return passages with their `source`, `text` and `relevance`, best first."""
        ...


def knowledge_tools(documents: KnowledgeSearch, allowed: Callable[[], bool]) -> list[Tool]:
    """Make the tools. `allowed` returns whether the current conversation may use the user's
    documents.
    """

    @tool(
        SEARCH,
        title=N_("Search your documents"),
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
        """Find passages in the documents the user added to their knowledge base. Cite the source
        in square brackets, word for word, where you use one: [source]."""
        if not allowed():
            raise KnowledgeHidden(advice="Go on without it, or tell the user.")
        found = await documents.look_up(query, limit)
        if not found:
            brief = Reason(N_("nothing found"))
            return ToolResult("Nothing was found in the documents.", brief=brief)
        found = [{**one, "text": redact_tokens(str(one["text"]))} for one in found]
        data: dict[str, object] = {"passages": found}
        rows = tuple(
            (str(one["source"]), " ".join(str(one["text"]).split())[:_SHOWN]) for one in found
        )
        shown = ShownTable(("source", "text"), rows)
        brief = count_brief(len(found), N_("1 passage"), N_("{count} passages"))
        return ToolResult(to_json(data).decode(), data, shown, brief=brief)

    return [search]
