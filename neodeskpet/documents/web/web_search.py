"""Searches the web with the service that the user chose: SearXNG at an address, Brave, or Tavily
with a key.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import read_json
from neodeskpet.documents.web.fetcher import Fetcher

ENDPOINTS = {
    "brave": "https://api.search.brave.com/res/v1/web/search",
    "tavily": "https://api.tavily.com/search",
}
_LARGEST = 2_000_000
_TEXT = 600


class SearchUnset(KnownError):
    code = "search_unset"
    what = N_(
        "No web search is set up: choose one in Settings › Tools & permissions › Web. SearXNG "
        "needs an address, Brave and Tavily a key."
    )


class SearchFailed(KnownError):
    code = "search_failed"
    what = N_("The web search {service} returned an answer that can't be read.")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result; `text` is the service's excerpt of the page."""

    title: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class SearchService:
    """`kind` is "", "searxng", "brave" or "tavily"; `address` is SearXNG's."""

    kind: str
    address: str = ""

    @property
    def endpoint(self) -> str:
        """Return the address of the service; "" if it isn't configured."""
        if self.kind == "searxng":
            base = self.address.strip()
            return urljoin(base if base.endswith("/") else f"{base}/", "search") if base else ""
        return ENDPOINTS.get(self.kind, "")


class WebSearch:
    """Searches the web. `service` is called for each search; `key` returns the key for an endpoint,
    "" for none.
    """

    def __init__(
        self, service: Callable[[], SearchService], key: Callable[[str], Awaitable[str]]
    ) -> None:
        self._service = service
        self._key = key

    async def search(self, query: str, count: int) -> list[SearchResult]:
        """Return up to `count` results. Raises KnownError."""
        service = self._service()
        if not service.endpoint:
            raise SearchUnset
        key = "" if service.kind == "searxng" else await self._key(service.endpoint)
        if service.kind != "searxng" and not key:
            raise SearchUnset
        # The user chose the host of SearXNG, so it may be in the local network.
        fetcher = Fetcher(lambda ip: True) if service.kind == "searxng" else Fetcher()
        address, headers, body = _request(service, query, count, key)
        fetched = await fetcher.fetch(address, most=_LARGEST, headers=headers, body=body)
        try:
            found = read_json(fetched.content.decode("utf-8", "replace"))
            return read_results(service.kind, found)[:count]
        except ValueError:
            raise SearchFailed(service=service.kind) from None


def _request(
    service: SearchService, query: str, count: int, key: str
) -> tuple[str, Mapping[str, str], bytes | None]:
    if service.kind == "searxng":
        return f"{service.endpoint}?{urlencode({'q': query, 'format': 'json'})}", {}, None
    if service.kind == "brave":
        asked = urlencode({"q": query, "count": count})
        headers = {"x-subscription-token": key, "accept": "application/json"}
        return f"{service.endpoint}?{asked}", headers, None
    body = json.dumps({"query": query, "max_results": count}).encode()
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    return service.endpoint, headers, body


def read_results(kind: str, body: object) -> list[SearchResult]:
    """Read the results in a service's answer. Raises ValueError if it has the wrong form."""
    if not isinstance(body, Mapping):
        raise ValueError("no object")
    rows: Any = body.get("web", {}) if kind == "brave" else body
    rows = rows.get("results") if isinstance(rows, Mapping) else None
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise ValueError("no results")
    text = "description" if kind == "brave" else "content"
    return [
        SearchResult(str(row.get("title", "")), str(row["url"]), str(row.get(text) or "")[:_TEXT])
        for row in rows
        if isinstance(row, Mapping) and row.get("url")
    ]
