"""One server, seen from the app's loop: its state, its log, its tools, and the calls to it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Protocol, assert_never

from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.llm.fitting import fit_picture
from neodeskpet.llm.picture_queue import in_turn
from neodeskpet.mcp.config import ServerConfig
from neodeskpet.mcp.contents import (
    Contents,
    read_prompt,
    read_resource,
    read_result,
    read_said,
    to_result,
)
from neodeskpet.mcp.errors import NOT_RUNNING, SAYS_NO, McpError, call_failed
from neodeskpet.mcp.life import Fell, Life, Listed, News, Patience, Rested, Starting
from neodeskpet.mcp.loop_thread import LoopThread
from neodeskpet.mcp.session_port import Answer, Launch, Listing, Open, Progress, Question, Session
from neodeskpet.mcp.tools import Arguments, ServerTools

_LINES = 200
"""Of a server's log that are kept."""
_ENDING = 6.0
"""Seconds that a server may take to end; the SDK kills it after four."""

Work = Callable[[Session, Progress], Awaitable[ToolResult]]


class State(Enum):
    """OFF: not wanted. UNSEEN: the person hasn't allowed it as it is. FELL: it ended by itself, or
    couldn't begin.
    """

    OFF = auto()
    UNSEEN = auto()
    STARTING = auto()
    READY = auto()
    FELL = auto()


@dataclass(frozen=True, slots=True)
class ServerView:
    """One server as it is shown. `config` holds placeholders, no keys. `again`: it is going to be
    started by itself.
    """

    config: ServerConfig
    state: State
    error: McpError | None = None
    again: bool = False
    listing: Listing = field(default_factory=Listing)
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What all servers stand on."""

    thread: LoopThread
    open_session: Callable[[], Open]
    patience: Patience


class Keeper(Protocol):
    """Knows what is set up, and hears what happens."""

    def config(self, name: str) -> ServerConfig: ...

    def wants(self, name: str) -> bool: ...

    def may_start(self, name: str) -> bool: ...

    def changed(self) -> None: ...

    def fell(self, error: KnownError) -> None:
        """It ran, and ended by itself."""
        ...

    async def prepare(self, name: str) -> Launch:
        """On the servers' loop. Raises McpError."""
        ...

    async def ask(self, server: str, key: object, question: Question) -> Answer: ...

    def roots(self) -> Sequence[Path]:
        """The folders that the person allows. On the servers' loop."""
        ...


class Server:
    """`settle` starts or ends it, as it is wanted and allowed now."""

    def __init__(self, name: str, ground: Ground, keeper: Keeper) -> None:
        self.name = name
        self._ground = ground
        self._keeper = keeper
        self._loop = asyncio.get_running_loop()
        self._log: deque[str] = deque(maxlen=_LINES)
        self._life: Life | None = None
        self._lives: Future[None] | None = None
        self._ready = False
        self._was_ready = False
        self._error: McpError | None = None
        self._given_up = False
        self._listing = Listing()
        self.tools = ServerTools(name, self, lambda: self._ready)

    def view(self) -> ServerView:
        return ServerView(
            self._keeper.config(self.name),
            self._state(),
            self._error,
            self._life is not None and not self._given_up,
            self._listing,
            tuple(self._log),
        )

    def _state(self) -> State:
        if self._ready:
            return State.READY
        if not self._keeper.wants(self.name):
            return State.OFF
        if not self._keeper.may_start(self.name):
            return State.UNSEEN
        return State.FELL if self._error is not None or self._life is None else State.STARTING

    # Beginning and ending

    def _begin(self, invited: bool) -> None:
        if not (self._keeper.wants(self.name) and self._keeper.may_start(self.name)):
            return
        self._error = None
        life = self._life = Life(
            self.name,
            prepare=partial(self._keeper.prepare, self.name),
            open_session=self._ground.open_session,
            tell=lambda news: self._post(life, news),
            log=self._log.append,
            ask=self._ask_person,
            patience=self._ground.patience,
            invited=invited,
            roots=self._keeper.roots,
        )
        self._lives = self._ground.thread.run(life.run())

    async def settle(self, *, restart: bool = False, invited: bool = False) -> None:
        """Begin or end as it is wanted now; `restart` ends it in any case; `invited` as in Life."""
        wanted = self._keeper.wants(self.name) and self._keeper.may_start(self.name)
        if restart or not wanted:
            await self.end()
        if self._life is None:
            self._error = None
            self._begin(invited)
        self._keeper.changed()

    async def end(self) -> None:
        """Returns when it is gone."""
        life, lives = self._life, self._lives
        if life is None or lives is None:
            return
        self._ground.thread.loop.call_soon_threadsafe(life.stop)
        waiting = asyncio.wrap_future(lives)
        await asyncio.wait([waiting], timeout=_ENDING)
        if not waiting.done():
            lives.cancel()
        self._hear(life, Rested())

    # News, from the servers' loop

    def _post(self, life: Life, news: News) -> None:
        with suppress(RuntimeError):  # the app's loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._hear, life, news)

    def _hear(self, life: Life, news: News) -> None:
        if life is not self._life:
            return
        match news:
            case Starting():
                self._error = None
                self._given_up = False
            case Listed(listing=listing):
                self._take(listing)
            case Fell(error=error, wait=wait):
                self._given_up = wait is None  # its life ends a moment later
                self._fall(error)
            case Rested():
                self._life = self._lives = None
                self._set_ready(False)
            case _:
                assert_never(news)
        self._keeper.changed()

    def _take(self, listing: Listing) -> None:
        self._listing = listing
        self._was_ready = True
        for fault in self.tools.take(listing):
            self._log.append(f"— {fault}")
        self._set_ready(True)

    def _fall(self, error: McpError) -> None:
        told, self._was_ready = self._was_ready, False
        self._error = error
        self._set_ready(False)
        if told:  # one that never ran is told where it was started
            self._keeper.fell(error)

    def _set_ready(self, ready: bool) -> None:
        if ready is not self._ready:
            self._ready = ready
            self.tools.tell()

    async def _ask_person(self, key: object, question: Question) -> Answer:
        """On the servers' loop; the question is put on the app's."""
        asked = asyncio.run_coroutine_threadsafe(
            self._keeper.ask(self.name, key, question), self._loop
        )
        return await asyncio.wrap_future(asked)

    # Calls: an `Asker`

    async def call(self, tool: str, arguments: Arguments, progress: Progress) -> ToolResult:
        async def work(session: Session, told: Progress) -> ToolResult:
            contents = read_result(await session.call(tool, arguments, told))
            if contents.failed:
                raise call_failed(SAYS_NO, self.name, contents.text)
            return await _result(contents)

        return await self._use(tool, work, progress)

    async def read(self, uri: str, progress: Progress) -> ToolResult:
        async def work(session: Session, told: Progress) -> ToolResult:
            return await _result(read_resource(await session.read(uri)))

        return await self._use("read_resource", work, progress)

    async def prompt(
        self, name: str, arguments: Mapping[str, str], progress: Progress
    ) -> ToolResult:
        async def work(session: Session, told: Progress) -> ToolResult:
            return await _result(read_prompt(await session.prompt(name, arguments)))

        return await self._use("get_prompt", work, progress)

    async def say(self, name: str, arguments: Mapping[str, str]) -> ToolResult:
        """What the prompt `name` has the person say. Raises ToolError."""

        async def work(session: Session, told: Progress) -> ToolResult:
            return await _result(read_said(await session.prompt(name, arguments)))

        return await self._use("get_prompt", work, lambda fraction, text: None)

    async def _use(self, tool: str, work: Work, progress: Progress) -> ToolResult:
        life = self._life
        if life is None:
            raise call_failed(NOT_RUNNING, self.name)
        return await asyncio.wrap_future(self._ground.thread.run(life.use(tool, work, progress)))


async def _result(contents: Contents) -> ToolResult:
    if contents.images:
        return await in_turn(partial(to_result, contents, fit_picture))
    return to_result(contents, fit_picture)
