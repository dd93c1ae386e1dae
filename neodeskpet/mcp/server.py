"""The app's side of one MCP server (its state, log, tools and calls), and the thread with its own
asyncio loop on which servers run.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, assert_never

from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.mcp.mcp_errors import NOT_RUNNING_TEXT, REFUSED, McpError, call_failure
from neodeskpet.mcp.result_mapping import (
    AnswerContents,
    prompt_as_user_text,
    read_prompt,
    read_resource,
    read_result,
    to_result,
)
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.server_connection import (
    ConnectionCallbacks,
    ConnectionEvent,
    Crashed,
    ListingChanged,
    ServerConnection,
    ServerTimeouts,
    Starting,
    Stopped,
)
from neodeskpet.mcp.server_tools import Arguments, ServerTools
from neodeskpet.mcp.session_interface import (
    McpSession,
    OpenSession,
    Progress,
    ServerLaunch,
    ServerListing,
    UserAnswer,
    UserQuestion,
)
from neodeskpet.storage.image_resize import fit_picture, run_in_picture_queue

T = TypeVar("T")


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


class LoopThread:
    """A thread with an asyncio loop. It is always asyncio's own type, because it starts
    processes.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def begun(self) -> bool:
        return self._loop is not None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop; started on first use."""
        if self._loop is None:
            self._loop = _new_loop()
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        return self._loop

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `work` on the loop. Cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def close(self, timeout: float = 2.0) -> None:
        """Stop the loop and its tasks. Waits at most `timeout` seconds."""
        loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout)

    def _run(self) -> None:
        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


_LINES = 200
"""Lines of a server's log that are kept."""
_ENDING = 6.0
"""Seconds to wait for a server's end; the SDK kills it after four."""

ServerWork = Callable[[McpSession, Progress], Awaitable[ToolResult]]


class ServerState(Enum):
    """OFF: turned off. NOT_ALLOWED: the user hasn't allowed its current configuration. CRASHED: it
    ended unexpectedly, or couldn't start.
    """

    OFF = auto()
    NOT_ALLOWED = auto()
    STARTING = auto()
    READY = auto()
    CRASHED = auto()


@dataclass(frozen=True, slots=True)
class ServerView:
    """The data of one server for the interface. `config` has placeholders, no keys. `restarting`:
    it will be restarted automatically.
    """

    config: ServerConfig
    state: ServerState
    error: McpError | None = None
    restarting: bool = False
    listing: ServerListing = field(default_factory=ServerListing)
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerContext:
    """What all servers share."""

    thread: LoopThread
    open_session: Callable[[], OpenSession]
    timeouts: ServerTimeouts


class ServerOwner(Protocol):
    """Has the configuration, and handles the servers' events."""

    def config(self, name: str) -> ServerConfig: ...

    def is_wanted(self, name: str) -> bool: ...

    def may_start(self, name: str) -> bool: ...

    def changed(self) -> None: ...

    def report_crash(self, error: KnownError) -> None:
        """Handle the crash of a running server."""
        ...

    async def prepare(self, name: str) -> ServerLaunch:
        """Return the launch of a server. Runs on the servers' loop. Raises McpError."""
        ...

    async def ask(self, server: str, key: object, question: UserQuestion) -> UserAnswer: ...

    def roots(self) -> Sequence[Path]:
        """Return the folders that the user allows. Runs on the servers' loop."""
        ...


class McpServer:
    """One server; `apply_wanted_state` starts or stops it."""

    def __init__(self, name: str, context: ServerContext, owner: ServerOwner) -> None:
        self.name = name
        self._context = context
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._log: deque[str] = deque(maxlen=_LINES)
        self._life: ServerConnection | None = None
        self._lives: Future[None] | None = None
        self._ready = False
        self._was_ready = False
        self._error: McpError | None = None
        self._given_up = False
        self._listing = ServerListing()
        self.tools = ServerTools(name, self, lambda: self._ready)

    def view(self) -> ServerView:
        return ServerView(
            self._owner.config(self.name),
            self._state(),
            self._error,
            self._life is not None and not self._given_up,
            self._listing,
            tuple(self._log),
        )

    def _state(self) -> ServerState:
        if self._ready:
            return ServerState.READY
        if not self._owner.is_wanted(self.name):
            return ServerState.OFF
        if not self._owner.may_start(self.name):
            return ServerState.NOT_ALLOWED
        return (
            ServerState.CRASHED
            if self._error is not None or self._life is None
            else ServerState.STARTING
        )

    # Start and end

    def _begin(self, invited: bool) -> None:
        if not (self._owner.is_wanted(self.name) and self._owner.may_start(self.name)):
            return
        self._error = None
        life = self._life = ServerConnection(
            self.name,
            prepare=partial(self._owner.prepare, self.name),
            open_session=self._context.open_session,
            callbacks=ConnectionCallbacks(
                lambda news: self._post(life, news),
                self._log.append,
                self._ask_person,
                self._owner.roots,
            ),
            timeouts=self._context.timeouts,
            invited=invited,
        )
        self._lives = self._context.thread.run(life.run())

    async def apply_wanted_state(self, *, restart: bool = False, invited: bool = False) -> None:
        """Start or stop the server according to its settings; `restart` stops it in any case;
        `invited` as in `ServerConnection`.
        """
        wanted = self._owner.is_wanted(self.name) and self._owner.may_start(self.name)
        if restart or not wanted:
            await self.aclose()
        if self._life is None:
            self._error = None
            self._begin(invited)
        self._owner.changed()

    async def aclose(self) -> None:
        """Stop the server and wait for its end."""
        life, lives = self._life, self._lives
        if life is None or lives is None:
            return
        self._context.thread.loop.call_soon_threadsafe(life.stop)
        waiting = asyncio.wrap_future(lives)
        await asyncio.wait([waiting], timeout=_ENDING)
        if not waiting.done():
            lives.cancel()
        self._hear(life, Stopped())

    # Events from the servers' loop

    def _post(self, life: ServerConnection, news: ConnectionEvent) -> None:
        with suppress(RuntimeError):  # the app's loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._hear, life, news)

    def _hear(self, life: ServerConnection, news: ConnectionEvent) -> None:
        if life is not self._life:
            return
        match news:
            case Starting():
                self._error = None
                self._given_up = False
            case ListingChanged(listing=listing):
                self._take(listing)
            case Crashed(error=error, restart_delay=wait):
                self._given_up = wait is None  # its connection ends a moment later
                self._fall(error)
            case Stopped():
                self._life = self._lives = None
                self._set_ready(False)
            case _:
                assert_never(news)
        self._owner.changed()

    def _take(self, listing: ServerListing) -> None:
        self._listing = listing
        self._was_ready = True
        for fault in self.tools.update(listing):
            self._log.append(f"— {fault}")
        self._set_ready(True)

    def _fall(self, error: McpError) -> None:
        was_ready, self._was_ready = self._was_ready, False
        self._error = error
        self._set_ready(False)
        if was_ready:  # a failed start is reported where it was started
            self._owner.report_crash(error)

    def _set_ready(self, ready: bool) -> None:
        if ready is not self._ready:
            self._ready = ready
            self.tools.notify()

    async def _ask_person(self, key: object, question: UserQuestion) -> UserAnswer:
        """Runs on the servers' loop; asks the user on the app's loop."""
        asked = asyncio.run_coroutine_threadsafe(
            self._owner.ask(self.name, key, question), self._loop
        )
        return await asyncio.wrap_future(asked)

    # Calls: a `ServerCaller`

    async def call(self, tool: str, arguments: Arguments, progress: Progress) -> ToolResult:
        async def work(session: McpSession, progress: Progress) -> ToolResult:
            contents = read_result(await session.call(tool, arguments, progress))
            if contents.failed:
                raise call_failure(REFUSED, self.name, contents.text)
            return await _result(contents)

        return await self._use(tool, work, progress)

    async def read(self, uri: str, progress: Progress) -> ToolResult:
        async def work(session: McpSession, progress: Progress) -> ToolResult:
            return await _result(read_resource(await session.read(uri)))

        return await self._use("read_resource", work, progress)

    async def prompt(
        self, name: str, arguments: Mapping[str, str], progress: Progress
    ) -> ToolResult:
        async def work(session: McpSession, progress: Progress) -> ToolResult:
            return await _result(read_prompt(await session.prompt(name, arguments)))

        return await self._use("get_prompt", work, progress)

    async def prompt_text(self, name: str, arguments: Mapping[str, str]) -> ToolResult:
        """Return the user text of the prompt `name`. Raises ToolError."""

        async def work(session: McpSession, progress: Progress) -> ToolResult:
            return await _result(prompt_as_user_text(await session.prompt(name, arguments)))

        return await self._use("get_prompt", work, lambda fraction, text: None)

    async def _use(self, tool: str, work: ServerWork, progress: Progress) -> ToolResult:
        life = self._life
        if life is None:
            raise call_failure(NOT_RUNNING_TEXT, self.name)
        return await asyncio.wrap_future(self._context.thread.run(life.use(tool, work, progress)))


async def _result(contents: AnswerContents) -> ToolResult:
    if contents.images:
        return await run_in_picture_queue(partial(to_result, contents, fit_picture))
    return to_result(contents, fit_picture)
