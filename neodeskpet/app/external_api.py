"""Runs the external API of the desktop app: the local channel, the optional HTTP port (MCP) on a
thread of its own, and the settings page's port onto both.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from neodeskpet.app.engine import Engine
from neodeskpet.app.external_api_companion import DesktopCompanionAccess, ShowNotice
from neodeskpet.app.turn_factory import approval_policy
from neodeskpet.core.errors import KnownError
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.external_api.access_control import new_token
from neodeskpet.external_api.local_protocol import AppWindowInfo, OfferedTool, ToolAnswer, ToolHost
from neodeskpet.external_api.tool_gateway import ToolGateway
from neodeskpet.language import tr
from neodeskpet.mcp.server import LoopThread
from neodeskpet.platform.installation import data_dir, own_command
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.chat.program_questions import ProgramQuestionCard
from neodeskpet.ui.local_server import LocalServer
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)

_SHUTDOWN_TIMEOUT = 5.0


class HttpApiServer:
    """Serves the external API over HTTP, as `apply_settings` decides. `address` is where it
    listens, "" if it doesn't; `fault` is the reason.
    """

    def __init__(self, settings: SettingsStore, host: ToolHost) -> None:
        self._settings = settings
        self._host = host
        self._thread = LoopThread("port for programs")
        self._changed: Observers[[]] = Observers()
        self._turn = asyncio.Lock()
        self._serving: Future[None] | None = None
        self._stop: asyncio.Event | None = None
        self._served: int | None = None  # the port
        self.address = ""
        self.fault = ""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when the address or the fault changes; return the function that ends the
        subscription.
        """
        return self._changed.subscribe(observer)

    def make_token(self) -> str:
        """Create a new token, which replaces the old one. It is returned only once. Raises
        SettingsError.
        """
        token, digest = new_token()
        self._settings.change("programs", "token", digest)
        return token

    async def apply_settings(self) -> None:
        """Start or stop serving according to the settings."""
        async with self._turn:
            wanted = self._enabled_port()
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

    def _enabled_port(self) -> int | None:
        programs = self._settings.settings.programs
        on = programs.allowed and programs.http and programs.token
        return programs.port if on else None

    def _digest(self) -> str:
        return self._settings.settings.programs.token

    async def _begin(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        listening: asyncio.Future[str] = loop.create_future()
        host = CrossThreadToolHost(self._host, loop)

        def tell(fault: str) -> None:
            if not listening.done():
                listening.set_result(fault)

        async def serve() -> None:
            from neodeskpet.external_api import http_server  # a second, and 70 MB

            self._stop = asyncio.Event()
            try:
                listening_socket = http_server.open_listener(port)
            except OSError as error:
                loop.call_soon_threadsafe(tell, error.strerror or str(error))
                return
            loop.call_soon_threadsafe(tell, "")
            await http_server.serve_http(host, listening_socket, self._digest, self._stop)

        self._serving = self._thread.run(serve())
        self.fault = await listening
        self.address = "" if self.fault else f"http://127.0.0.1:{port}/mcp"
        if self.fault:
            _log.warning("Port %s can't be used: %s", port, self.fault)
            self.fault = tr("The port can't be used: {reason}", reason=self.fault)

    async def _end(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            if self._stop is not None:
                self._thread.loop.call_soon_threadsafe(self._stop.set)
            await asyncio.wait({asyncio.wrap_future(serving)}, timeout=_SHUTDOWN_TIMEOUT)
        self.address = self.fault = ""
        self._served = None


class CrossThreadToolHost:
    """A `ToolHost` that runs its calls on the event loop of another thread."""

    def __init__(self, host: ToolHost, loop: asyncio.AbstractEventLoop) -> None:
        self._host = host
        self._loop = loop

    async def tools(self) -> Sequence[OfferedTool]:
        asked = asyncio.run_coroutine_threadsafe(_tools_of(self._host), self._loop)
        return await asyncio.wrap_future(asked)

    async def windows(self) -> Sequence[AppWindowInfo]:
        asked = asyncio.run_coroutine_threadsafe(_windows_of(self._host), self._loop)
        return await asyncio.wrap_future(asked)

    async def window(self, who: str, name: str) -> ToolAnswer:
        asked = asyncio.run_coroutine_threadsafe(_window_of(self._host, who, name), self._loop)
        return await asyncio.wrap_future(asked)

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        asked = asyncio.run_coroutine_threadsafe(
            _call_tool(self._host, who, tool, arguments), self._loop
        )
        return await asyncio.wrap_future(asked)


async def _windows_of(host: ToolHost) -> Sequence[AppWindowInfo]:
    return await host.windows()


async def _window_of(host: ToolHost, who: str, name: str) -> ToolAnswer:
    return await host.window(who, name)


async def _tools_of(host: ToolHost) -> Sequence[OfferedTool]:
    return await host.tools()


async def _call_tool(
    host: ToolHost, who: str, tool: str, arguments: Mapping[str, object]
) -> ToolAnswer:
    return await host.call(who, tool, arguments)


class ProgramsAdapter:
    """A `ui.settings.settings_ports.IntegrationsPort`."""

    def __init__(self, home: Path, http_api: HttpApiServer) -> None:
        self._home = home
        self._http_server = http_api

    @property
    def address(self) -> str:
        return self._http_server.address

    @property
    def fault(self) -> str:
        return self._http_server.fault

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._http_server.subscribe(observer)

    def make_token(self) -> str:
        return self._http_server.make_token()

    def started(self) -> str:
        command, *before = own_command()
        usual = data_dir() == self._home
        folder = [] if usual else ["--data-dir", str(self._home)]
        return _server_config({"command": command, "args": [*before, "mcp", *folder]})

    def reached(self, token: str) -> str:
        headers = {"Authorization": f"Bearer {token}"}
        return _server_config(
            {"type": "http", "url": self._http_server.address, "headers": headers}
        )


def _server_config(entry: dict[str, object]) -> str:
    fields = json.dumps(entry, ensure_ascii=False)
    return f'{{\n  "mcpServers": {{\n    "neodeskpet": {fields}\n  }}\n}}'


class ExternalApi:
    """The local channel and the HTTP server. `card` returns the card of the chat for questions;
    `failed` gets errors that can't be reported to a program.
    """

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        pet: PetWindow,
        card: Callable[[], ProgramQuestionCard],
        put_up: ShowNotice,
        failed: Callable[[KnownError], None],
    ) -> None:
        settings = engine.settings

        def asks(spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
            return approval_policy(settings.settings).asks(spec, arguments)

        self._settings = settings
        self.companion = DesktopCompanionAccess(
            companion, pet, pet.isVisible, lambda: settings.settings.companion, put_up, card
        )
        self.tool_gateway = ToolGateway(
            self.companion,
            engine.tools.toolbox,
            asks,
            apps=engine.tools.apps,
            wanted=lambda: settings.settings.programs.allowed,
        )
        self.http_server = HttpApiServer(settings, self.tool_gateway)
        self._local_server: LocalServer | None = None
        self._work = TaskRunner("hall", failed=failed)
        self._leave = settings.subscribe(self._on_setting_changed)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._work.start("port", self.http_server.apply_settings)

    def set_local_server(self, server: LocalServer) -> None:
        self._local_server = server
        server.set_tool_host(self.tool_gateway)

    async def aclose(self) -> None:
        """Close all connections and withdraw their open questions."""
        self._leave()
        await self._work.aclose()
        if self._local_server is not None:
            self._local_server.close()
        await self.http_server.aclose()
        self.companion.stop()

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        if section == "programs":
            self._work.start("port", self.http_server.apply_settings)
