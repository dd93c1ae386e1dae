"""The connection to one MCP server: started, used, restarted with growing pauses after a crash, and
closed. It runs on the servers' loop. One task opens and closes the connection (`run`); calls
come from other tasks. What happens is reported in order, the last report is always `Stopped`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.errors import ToolTimedOut
from neodeskpet.mcp.mcp_errors import (
    NOT_RUNNING_TEXT,
    HandshakeNeeded,
    McpError,
    ProgramMissing,
    SecretMissing,
    ServerEnded,
    ServerFailed,
    ServerNotResponding,
    SignInNeeded,
    call_failure,
)
from neodeskpet.mcp.session_interface import (
    McpSession,
    OpenSession,
    Progress,
    ServerLaunch,
    ServerListing,
    UserAnswer,
    UserQuestion,
)
from neodeskpet.platform.redaction import redact

_WAITS = (1.0, 3.0, 10.0, 30.0, 60.0)
_STEADY = 60.0
"""Seconds after which a running server counts as stable, and earlier crashes are forgotten."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The number of crashes without a stable run in between."""

    crashes: int = 0

    def after(self, ran: float) -> Backoff:
        """Return the next state after a crash; the server had been ready for `ran` seconds (0:
        never).
        """
        return Backoff(1 if ran >= _STEADY else self.crashes + 1)

    @property
    def wait(self) -> float | None:
        """Seconds until the next start; None if there is no automatic restart any more."""
        return _WAITS[self.crashes - 1] if 0 < self.crashes <= len(_WAITS) else None


_log = logging.getLogger(__name__)

T = TypeVar("T")

_HOPELESS = (ProgramMissing, SecretMissing, SignInNeeded)
"""Errors that a restart can't solve."""


@dataclass(frozen=True, slots=True)
class ServerTimeouts:
    """Time limits in seconds. `start` is long, because a first start may download the server.
    `call` is the longest time without progress.
    """

    start: float = 180.0
    call: float = 120.0
    list: float = 30.0


@dataclass(frozen=True, slots=True)
class Starting:
    """The server is being started."""


@dataclass(frozen=True, slots=True)
class ListingChanged:
    """The server is ready, or its listing changed."""

    listing: ServerListing


@dataclass(frozen=True, slots=True)
class Crashed:
    """The server ended unexpectedly, or couldn't start; the next start is in `restart_delay`
    seconds, None for never.
    """

    error: McpError
    restart_delay: float | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The server is stopped and isn't restarted."""


ConnectionEvent = Starting | ListingChanged | Crashed | Stopped


class RunningCall:
    """A running call or start; its timeout is paused while the user is asked."""

    def __init__(self, key: object, timeout: float) -> None:
        self.key = key
        self._timeout = timeout
        self._limit = asyncio.timeout(timeout)
        self._asked = 0

    @property
    def limit(self) -> asyncio.Timeout:
        return self._limit

    def keep_alive(self) -> None:
        """Restart the timeout after progress."""
        if not self._asked:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._timeout)

    def pause(self) -> None:
        self._asked += 1
        self._limit.reschedule(None)

    def resume(self) -> None:
        self._asked -= 1
        self.keep_alive()


START_KEY = object()
"""The key of a start."""

_current: ContextVar[RunningCall | None] = ContextVar("call of a server", default=None)


@dataclass(frozen=True, slots=True)
class ConnectionCallbacks:
    """The callbacks of a connection, called in the thread of its loop. `tell` gets events, `log`
    gets lines of the server; `ask` asks the user for the call with this key (None if it is
    unknown); `roots` returns the folders that the user allows.
    """

    tell: Callable[[ConnectionEvent], None]
    log: Callable[[str], None]
    ask: Callable[[object, UserQuestion], Awaitable[UserAnswer]]
    roots: Callable[[], Sequence[Path]] = tuple


class ServerConnection:
    """The connection to one server; `prepare` makes the launch for each start."""

    def __init__(
        self,
        name: str,
        *,
        prepare: Callable[[], Awaitable[ServerLaunch]],
        open_session: Callable[[], OpenSession],
        callbacks: ConnectionCallbacks,
        timeouts: ServerTimeouts,
        invited: bool = False,
    ) -> None:
        """`invited`: the user started the server and expects its questions."""
        self._name = name
        self._invited = invited
        self._prepare = prepare
        self._open = open_session
        self._callbacks = callbacks
        self._timeouts = timeouts
        self._handshake = self._must_reconnect = False
        self._up = asyncio.Event()
        self._session: McpSession | None = None
        self._calls: list[RunningCall] = []
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._ending = False
        self._changed = False
        self._last_words = ""

    async def run(self) -> None:
        """Keep the server running until `stop`, or until restarting is given up."""
        self._task = asyncio.current_task()
        backoff = Backoff()
        try:
            while not self._ending:
                error, ran = await self._live_once()
                if error is None and self._must_reconnect:
                    self._must_reconnect = False
                    continue
                if error is None:
                    return
                backoff = backoff.after(ran)
                wait = None if isinstance(error, _HOPELESS) else backoff.wait
                if not error.detail:
                    error = type(error)(self._last_words, **error.params)
                self._callbacks.log(f"— {error}")
                self._callbacks.tell(Crashed(error, wait))
                if wait is None:
                    return
                await asyncio.sleep(wait)
        finally:
            self._callbacks.tell(Stopped())

    def stop(self) -> None:
        """Stop the server; `Stopped` follows."""
        self._ending = True
        self._wake.set()
        if self._session is None and self._task is not None:
            self._task.cancel()  # it is starting, or waiting for the next start

    async def _live_once(self) -> tuple[McpError | None, float]:
        """Run from a start to its end. Return the error that ended it (None: `stop`), and how long
        it was ready.
        """
        began = 0.0
        self._callbacks.tell(Starting())
        self._last_words = ""
        try:
            launch = replace(await self._prepare(), handshake=self._handshake)
            async with self._opened(launch) as (session, listing):
                self._session, began = session, time.monotonic()
                self._up.set()
                self._callbacks.tell(ListingChanged(listing))
                await self._watch(session)
        except McpError as error:
            return error, time.monotonic() - began if began else 0.0
        except Exception as error:  # noqa: BLE001 - any SDK error counts as a failed server
            _log.exception("The server %s failed", self._name)
            return ServerFailed(f"{type(error).__name__}: {error}"[:300], name=self._name), 0.0
        finally:
            self._session = None
            self._up.clear()
        return None, 0.0

    @asynccontextmanager
    async def _opened(
        self, launch: ServerLaunch
    ) -> AsyncIterator[tuple[McpSession, ServerListing]]:
        """Open the connection and list the server's tools. Raises McpError."""
        connect = self._open()  # loading the SDK takes time, which must not count for the server
        async with AsyncExitStack() as stack:
            start = RunningCall(START_KEY, self._timeouts.start)
            mark = _current.set(start)
            try:
                async with start.limit:
                    session = await stack.enter_async_context(connect(launch, self))
                    listing = await session.list()
            except TimeoutError:
                seconds = f"{self._timeouts.start:g}"
                raise ServerNotResponding(name=self._name, seconds=seconds) from None
            finally:
                _current.reset(mark)
            yield session, listing

    async def _watch(self, session: McpSession) -> None:
        """Wait until the server is stopped or has ended. Raises ServerEnded."""
        while not self._ending:
            if session.closed:
                raise ServerEnded(name=self._name)
            if self._must_reconnect:
                return
            if self._changed:
                self._changed = False
                await self._list_again(session)
            await self._wake.wait()
            self._wake.clear()

    async def _list_again(self, session: McpSession) -> None:
        try:
            async with asyncio.timeout(self._timeouts.list):
                listing = await session.list()
        except (McpError, TimeoutError) as error:
            self._callbacks.log(f"— {error or 'It does not list its tools.'}")
        else:
            self._callbacks.tell(ListingChanged(listing))

    # A `ConnectionListener`

    def change(self) -> None:
        self._changed = True
        self._wake.set()

    def end(self) -> None:
        self._wake.set()

    def log(self, line: str) -> None:
        self._last_words = redact(line)[:300]
        self._callbacks.log(redact(line))

    async def ask(self, question: UserQuestion) -> UserAnswer:
        """Ask the user on behalf of the current call: the one whose task asks, else the newest. A
        start has no card for questions, so it may ask only if the user started it.
        """
        call = self._call()
        if call is None or (call.key is START_KEY and not self._invited):
            return UserAnswer()
        with self.waiting():
            return await self._callbacks.ask(call.key, question)

    def roots(self) -> Sequence[Path]:
        return self._callbacks.roots()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        call = self._call()
        if call is None:
            yield
            return
        call.pause()
        try:
            yield
        finally:
            call.resume()

    def _call(self) -> RunningCall | None:
        """Return the current call. The listening task was created during the start and has its
        context.
        """
        call = _current.get()
        if call is None or (call.key is START_KEY and self._session is not None):
            return self._calls[-1] if self._calls else None
        return call

    # Calls

    async def _shake_hands(self) -> McpSession:
        """Reconnect with the handshake of older protocol versions. Raises HandshakeNeeded if that
        doesn't help.
        """
        if not self._handshake:
            self._handshake = self._must_reconnect = True
            self._up.clear()
            self._wake.set()
        try:
            async with asyncio.timeout(self._timeouts.start):
                await self._up.wait()
        except TimeoutError:
            pass
        if self._session is None or self._must_reconnect:
            raise HandshakeNeeded(name=self._name)
        return self._session

    async def use(
        self, key: object, work: Callable[[McpSession, Progress], Awaitable[T]], progress: Progress
    ) -> T:
        """Run `work` with the open connection and return its result. Raises ToolError."""
        session = self._session
        if session is None or session.closed:
            raise call_failure(NOT_RUNNING_TEXT, self._name)
        call = RunningCall(key, self._timeouts.call)

        def told(fraction: float | None, text: str) -> None:
            call.keep_alive()
            progress(fraction, text)

        self._calls.append(call)
        mark = _current.set(call)
        try:
            async with call.limit:
                try:
                    return await work(session, told)
                except HandshakeNeeded:
                    return await work(await self._shake_hands(), told)
        except HandshakeNeeded:
            raise call_failure(NOT_RUNNING_TEXT, self._name) from None
        except TimeoutError:
            raise ToolTimedOut(
                advice="It reported no progress. Try something smaller, or tell the user.",
                seconds=f"{self._timeouts.call:g}",
            ) from None
        finally:
            _current.reset(mark)
            self._calls.remove(call)
