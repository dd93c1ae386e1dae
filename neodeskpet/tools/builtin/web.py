"""Tools for the web: read a page as text, and search with the service that the user chose."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ShownList, ShownText, ToolResult, count_brief, text_brief
from neodeskpet.core.toolspec import Disclosure, Risk
from neodeskpet.documents.web.fetcher import follow_all, follow_on_host
from neodeskpet.documents.web.page_reader import PageReader
from neodeskpet.documents.web.web_search import WebSearch
from neodeskpet.toolkit.executor import current_origin
from neodeskpet.toolkit.registry import Tool, tool

_PART = 20_000


def web_tools(pages: PageReader, search: WebSearch) -> list[Tool]:
    @tool(
        "web.fetch",
        title=N_("Read a web page"),
        risk=Risk.READ,
        main_argument="url",
        timeout=60,
        scope={"url": ScopeKind.HOST},
        outside=True,
        reads=SourceKind.PAGE,
        sends=Disclosure.ADDRESS,
    )
    async def fetch(
        url: Annotated[str, Field(max_length=2_000, description="http or https.")],
        start: Annotated[int, Field(ge=0, description="Go on at this character.")] = 0,
    ) -> ToolResult:
        """Read a page of the web as text, 20,000 characters at once."""
        # A redirect to another host is reported, not followed, if untrusted text is in the context:
        # the policy must see the new address first.
        follows = follow_on_host if current_origin().untrusted else follow_all
        page = await pages.fetch(url, follows)
        part = page.text[start : start + _PART]
        rest = len(page.text) - start - len(part)
        more = f"\n[{rest} more characters: start={start + len(part)}]" if rest > 0 else ""
        head = f"# {page.title}\n{page.address}\n\n" if start == 0 else ""
        brief = text_brief(page.title or page.address)
        shown = ShownText(head + part)
        return ToolResult(head + part + more, {"url": page.address}, shown, brief=brief)

    @tool(
        "web_search",
        title=N_("Search the web"),
        risk=Risk.READ,
        main_argument="query",
        timeout=40,
        outside=True,
        reads=SourceKind.SEARCH,
    )
    async def find(
        query: Annotated[str, Field(min_length=1, max_length=400, description="As typed.")],
        count: Annotated[int, Field(ge=1, le=20, description="At most so many.")] = 6,
    ) -> ToolResult:
        """Search the web; web.fetch reads what was found."""
        found = await search.search(query, count)
        if not found:
            return ToolResult("Nothing was found.", brief=Reason(N_("nothing found")))
        lines = [f"{one.title}\n{one.address}\n{one.text}".strip() for one in found]
        data = {"results": [{"title": one.title, "url": one.address} for one in found]}
        shown = ShownList(tuple(f"{one.title} — {one.address}" for one in found))
        brief = count_brief(len(found), N_("1 result"), N_("{count} results"))
        return ToolResult("\n\n".join(lines), data, shown, brief=brief)

    return [fetch, find]
