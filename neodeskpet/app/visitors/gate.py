"""The port for other programs (MCP over HTTP): there while the settings want it, on a thread of its
own; and its token, of which the settings keep the SHA-256.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from neodeskpet.language import tr
from neodeskpet.mcp.loop_thread import LoopThread
from neodeskpet.observers import Observers
from neodeskpet.settings.store import SettingsStore
from neodeskpet.visitors.port import AppWindowInfo, OfferedTool, ToolAnswer, ToolHost
from neodeskpet.visitors.token import new_token

_log = logging.getLogger(__name__)

_SHUTDOWN_TIMEOUT = 5.0


class HttpApiServer:
    """`begin` it once. `address` is where it listens, "" for nowhere; `fault` why not."""

    def __init__(self, settings: SettingsStore, house: ToolHost) -> None:
        self._settings = settings
        self._house = house
        self._thread = LoopThread("port for programs")
        self._changed: Observers[[]] = Observers()
        self._turn = asyncio.Lock()
        self._serving: Future[None] | None = None
        self._stop: asyncio.Event | None = None
        self._served: int | None = None  # the port
        self.address = ""
        self.fault = ""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when address or fault are others; returns what ends it."""
        return self._changed.subscribe(observer)

    def make_token(self) -> str:
        """A new one, instead of any before. It can't be had again. Raises SettingsError."""
        token, digest = new_token()
        self._settings.change("programs", "token", digest)
        return token

    async def apply_settings(self) -> None:
        """Serve as the settings want it now."""
        async with self._turn:
            wanted = self._wanted()
            if wanted != self._served or self.fault:
                await self._end()
                if wanted is not None:
                    await self._begin(wanted)
                self._served = wanted if self.address else None
        self._changed.notify()

    async def aclose(self) -> None:
        async with self._turn:
            await self._end()
            if self._thread.begun:
                await asyncio.to_thread(self._thread.close)

    def _wanted(self) -> int | None:
        programs = self._settings.settings.programs
        on = programs.allowed and programs.http and programs.token
        return programs.port if on else None

    def _digest(self) -> str:
        return self._settings.settings.programs.token

    async def _begin(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        listening: asyncio.Future[str] = loop.create_future()
        house = CrossThreadToolHost(self._house, loop)

        def tell(fault: str) -> None:
            if not listening.done():
                listening.set_result(fault)

        async def serve() -> None:
            from neodeskpet.visitors import http_port  # a second, and 70 MB

            self._stop = asyncio.Event()
            try:
                ear = http_port.open_listener(port)
            except OSError as error:
                loop.call_soon_threadsafe(tell, error.strerror or str(error))
                return
            loop.call_soon_threadsafe(tell, "")
            await http_port.serve_http(house, ear, self._digest, self._stop)

        self._serving = self._thread.run(serve())
        self.fault = await listening
        self.address = "" if self.fault else f"http://127.0.0.1:{port}/mcp"
        if self.fault:
            _log.warning("Port %s can't be used: %s", port, self.fault)
            self.fault = tr("It can't be used: {reason}", reason=self.fault)

    async def _end(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            if self._stop is not None:
                self._thread.loop.call_soon_threadsafe(self._stop.set)
            await asyncio.wait({asyncio.wrap_future(serving)}, timeout=_SHUTDOWN_TIMEOUT)
        self.address = self.fault = ""
        self._served = None


class CrossThreadToolHost:
    """A `House` whose calls are carried out on the loop of another."""

    def __init__(self, house: ToolHost, loop: asyncio.AbstractEventLoop) -> None:
        self._house = house
        self._loop = loop

    async def tools(self) -> Sequence[OfferedTool]:
        asked = asyncio.run_coroutine_threadsafe(_tools_of(self._house), self._loop)
        return await asyncio.wrap_future(asked)

    async def windows(self) -> Sequence[AppWindowInfo]:
        asked = asyncio.run_coroutine_threadsafe(_windows_of(self._house), self._loop)
        return await asyncio.wrap_future(asked)

    async def window(self, who: str, name: str) -> ToolAnswer:
        asked = asyncio.run_coroutine_threadsafe(_window_of(self._house, who, name), self._loop)
        return await asyncio.wrap_future(asked)

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        asked = asyncio.run_coroutine_threadsafe(
            _call_tool(self._house, who, tool, arguments), self._loop
        )
        return await asyncio.wrap_future(asked)


async def _windows_of(house: ToolHost) -> Sequence[AppWindowInfo]:
    return await house.windows()


async def _window_of(house: ToolHost, who: str, name: str) -> ToolAnswer:
    return await house.window(who, name)


async def _tools_of(house: ToolHost) -> Sequence[OfferedTool]:
    return await house.tools()


async def _call_tool(
    house: ToolHost, who: str, tool: str, arguments: Mapping[str, object]
) -> ToolAnswer:
    return await house.call(who, tool, arguments)
