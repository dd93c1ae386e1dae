"""Pages are read in child processes with limits of time and memory."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.documents.web.fetcher import Fetched
from neodeskpet.documents.web.page_child import (
    FetchCostly,
    FetchUnreadable,
    WebPage,
    answer_page_frame,
    page_request,
)
from neodeskpet.documents.web.page_reader import PageReader

ADDRESS = "https://example.com/post"
SMALL = Fetched(ADDRESS, b"<html><title>T</title><body><p>Hi there</p>", "text/html")
HOSTILE = Fetched(ADDRESS, b"<p>a " * 500_000, "text/html")


def play(story: Callable[[PageReader], Awaitable[None]], seconds: float = 60.0) -> None:
    async def live() -> None:
        pages = PageReader(seconds=seconds)
        try:
            await story(pages)
        finally:
            await pages.aclose()

    asyncio.run(live())


def test_a_page_is_read_by_the_child() -> None:
    async def story(pages: PageReader) -> None:
        assert await pages.read(SMALL) == WebPage(ADDRESS, "T", "Hi there")
        with pytest.raises(FetchUnreadable):
            await pages.read(Fetched(ADDRESS, b"%PDF", "application/pdf"))
        odd = await pages.read(
            Fetched(ADDRESS, "\ud800 a".encode("utf-8", "replace"), "text/plain")
        )
        assert odd.text.endswith("a")

    play(story)


def test_a_hostile_page_is_given_up() -> None:
    async def story(pages: PageReader) -> None:
        with pytest.raises(FetchCostly):
            await pages.read(HOSTILE)
        assert (await pages.read(SMALL)).title == "T"

    play(story, seconds=2.0)


def test_no_shared_thread_waits_for_a_page() -> None:
    async def story(pages: PageReader) -> None:
        done = threading.Event()
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        held = asyncio.ensure_future(asyncio.to_thread(done.wait))  # noqa: TID251
        try:
            assert (await pages.read(SMALL)).title == "T"
        finally:
            done.set()
            await held

    play(story)


def test_a_closed_reader_refuses() -> None:
    async def story(pages: PageReader) -> None:
        reading = asyncio.ensure_future(pages.read(HOSTILE))  # noqa: TID251
        await asyncio.sleep(0.1)
        await pages.aclose()
        with pytest.raises((KnownError, asyncio.CancelledError)):
            await reading

    play(story)


def test_answers_of_the_child() -> None:
    assert b"Hi there" in answer_page_frame(page_request(SMALL))
    assert (
        answer_page_frame(page_request(Fetched(ADDRESS, b"", "image/png")))
        == b'{"refused": "kind"}'
    )
