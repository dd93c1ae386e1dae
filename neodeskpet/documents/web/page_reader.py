"""Reads web pages in child processes with limits of time and memory (`page_child`).

Threads of its own wait for the children, so slow pages don't block other work.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from neodeskpet.documents.web.fetcher import Fetched, Fetcher, FollowsRedirect, follow_all
from neodeskpet.documents.web.page_child import (
    MOST_PAGE_BYTES,
    FetchCostly,
    FetchUnreadable,
    WebPage,
    page_request,
)
from neodeskpet.platform.child_process import FrameWorker

PAGE_SECONDS = 10.0
"""Time limit for one page, in seconds."""
_AT_ONCE = 2
_IDLE_SECONDS = 60.0
"""Seconds of idle time after which the children end: the library uses a hundred megabytes."""


class PageReader:
    """Fetches pages with `fetcher` and reads them. Use it in one event loop only."""

    def __init__(self, fetcher: Fetcher | None = None, *, seconds: float = PAGE_SECONDS) -> None:
        self._fetcher = fetcher or Fetcher()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pages")
        self._children = [FrameWorker("page", seconds) for _ in range(_AT_ONCE)]
        self._free = deque(self._children)
        self._reading = 0
        self._ending: asyncio.TimerHandle | None = None
        self._closed = False

    async def fetch(self, address: str, follows: FollowsRedirect = follow_all) -> WebPage:
        """Fetch and read the page at `address`; `follows` is described in `Fetcher.fetch`. Raises
        FetchRefused.
        """
        return await self.read(
            await self._fetcher.fetch(address, most=MOST_PAGE_BYTES, follows=follows)
        )

    async def read(self, fetched: Fetched) -> WebPage:
        """Read a fetched page. Raises FetchUnreadable and FetchCostly."""
        loop = asyncio.get_running_loop()
        self._keep_children()
        self._reading += 1
        try:
            answer = await loop.run_in_executor(self._threads, self._ask, page_request(fetched))
        finally:
            self._reading -= 1
            if not self._reading and not self._closed:
                self._ending = loop.call_later(_IDLE_SECONDS, self._end_children)
        reply: dict[str, Any] = {"refused": "costly"} if answer is None else json.loads(answer)
        match reply.get("refused"):
            case None:
                return WebPage(str(reply["address"]), str(reply["title"]), str(reply["text"]))
            case "kind":
                kind = fetched.media_type[:60]
                raise FetchUnreadable(address=fetched.address[:200], kind=kind)
            case _:
                raise FetchCostly(str(reply.get("detail", "")), address=fetched.address[:200])

    def _ask(self, frame: bytes) -> bytes | None:
        """Ask a child; runs in one of the threads, one for each child."""
        child = self._free.popleft()
        try:
            return None if self._closed else child.ask(frame)
        finally:
            self._free.append(child)

    def _keep_children(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end_children(self) -> None:
        self._ending = None
        self._threads.submit(self._end_free)

    def _end_free(self) -> None:
        """End idle children; one that is in use is ended after the next idle time."""
        for _ in range(_AT_ONCE):
            try:
                child = self._free.popleft()
            except IndexError:
                return
            child.close()
            self._free.append(child)

    async def aclose(self) -> None:
        """End the children and refuse the pages that are being read. Idempotent."""
        self._closed = True
        self._keep_children()
        for child in self._children:
            child.stop()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        for child in self._children:
            child.close()
