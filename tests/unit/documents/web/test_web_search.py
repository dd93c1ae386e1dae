"""Searches the web through the service that the user chose, in each one's own way."""

import asyncio
import json

import pytest

from neodeskpet.documents.web.fetcher import FetchRefused
from neodeskpet.documents.web.web_search import (
    SearchFailed,
    SearchResult,
    SearchService,
    SearchUnset,
    WebSearch,
    read_results,
)
from tests.support.sseserver import ScriptedServer

WEATHER = {"title": "Weather", "url": "https://w.example/sh", "content": "Rain, 18 °C"}


def search(service: SearchService, key: str = "") -> list[SearchResult]:
    async def known(endpoint: str) -> str:
        return key

    return asyncio.run(WebSearch(lambda: service, known).search("weather in Shanghai", 3))


def test_searxng_is_asked_for_json_at_the_users_address() -> None:
    with ScriptedServer() as server:
        server.pages["/x/search"] = {"results": [WEATHER, {"title": "no address"}]}
        address = server.url.removesuffix("/v1") + "/x"
        assert search(SearchService("searxng", address)) == [
            SearchResult("Weather", "https://w.example/sh", "Rain, 18 °C")
        ]


def test_an_unexpected_answer_and_a_refusal_are_reported() -> None:
    with ScriptedServer() as server:
        base = server.url.removesuffix("/v1")
        server.pages["/search"] = {"error": "no"}
        with pytest.raises(SearchFailed):
            search(SearchService("searxng", base))
        with pytest.raises(FetchRefused):
            search(SearchService("searxng", f"{base}/none"))


@pytest.mark.parametrize("kind", ["", "searxng", "brave", "tavily"])
def test_a_missing_setup_is_reported(kind: str) -> None:
    with pytest.raises(SearchUnset, match="Settings › Tools & permissions › Web"):
        search(SearchService(kind))


def test_each_services_results_are_read() -> None:
    brave = {"web": {"results": [{"title": "a", "url": "https://a", "description": "b" * 900}]}}
    assert read_results("brave", brave) == [SearchResult("a", "https://a", "b" * 600)]
    assert read_results("tavily", json.loads(json.dumps({"results": [WEATHER]})))
    for wrong in (None, [], {}, {"results": "no"}, {"web": []}):
        for kind in ("brave", "tavily", "searxng"):
            with pytest.raises(ValueError, match="no "):
                read_results(kind, wrong)
