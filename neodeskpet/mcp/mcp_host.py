"""All MCP servers: which are configured, which run, and their tools.

All methods are called on the app's loop and return there; the servers run on a thread of their own,
which is started with the first of them. A server runs if it is on and the user allowed its current
configuration; adding one only stores it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.mcp.mcp_errors import NOT_RUNNING_TEXT, SecretMissing, call_failure
from neodeskpet.mcp.secret_placeholders import fill_in, hide_secrets, slots_of
from neodeskpet.mcp.server import LoopThread, McpServer, ServerContext, ServerState, ServerView
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.server_config_file import ServerConfigFile
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.mcp.server_environment import server_environment, variables_for
from neodeskpet.mcp.session_interface import (
    OpenSession,
    SamplingRequest,
    ServerLaunch,
    UserAnswer,
    UserQuestion,
)
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.secrets import Secrets
from neodeskpet.toolkit.toolbox import Toolbox

_log = logging.getLogger(__name__)

AskUser = Callable[[str, object, UserQuestion], Awaitable[UserAnswer]]
"""Asks the user a server's question: the server's name, and the key of the call that the question
belongs to.
"""


async def _answer_nothing(server: str, key: object, question: UserQuestion) -> UserAnswer:
    return UserAnswer()


Sample = Callable[[str, SamplingRequest], Awaitable[Mapping[str, object]]]
"""Answers a sampling request of the named server with `text` and `model`. Raises KnownError."""

MOST_SAMPLES, SAMPLE_PERIOD_SECONDS = 20, 3600.0
"""Most texts that a server gets from the model in an hour,"""
SAMPLE_TOKENS = 2_000
"""and most tokens of each."""


def _sdk() -> OpenSession:
    from neodeskpet.mcp.sdk_session import open_session  # takes a second and 70 MB

    return open_session


@dataclass(frozen=True, slots=True)
class HostEnvironment:
    """What servers get of this computer: its environment variables and the home folder. `variables`
    names variables besides the default ones.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    home: Path = field(default_factory=Path.home)
    variables: Callable[[], Collection[str]] = tuple


class McpHost:
    """All servers. `subscribe_problems` reports a crashed server. `roots` are the folders that the
    user allows; they are given to servers that request them. `sample` generates the text that a
    server requests from the user's model.
    """

    def __init__(
        self,
        config_file: ServerConfigFile,
        secrets: Secrets,
        toolbox: Toolbox,
        *,
        environment: HostEnvironment | None = None,
        timeouts: ServerTimeouts | None = None,
        open_session: Callable[[], OpenSession] = _sdk,
        roots: Callable[[], Sequence[Path]] = tuple,
        sample: Sample | None = None,
    ) -> None:
        self._roots = roots
        self._sample = sample
        self._sampled: dict[str, deque[float]] = {}
        self._config = config_file
        self._secrets = secrets
        self._toolbox = toolbox
        self._environment = environment or HostEnvironment()
        self._ground = ServerContext(LoopThread("mcp"), open_session, timeouts or ServerTimeouts())
        self._ask: AskUser = _answer_nothing
        self._servers: dict[str, McpServer] = {}
        self._leave: dict[str, Callable[[], None]] = {}
        self._changed: Observers[[]] = Observers()
        self._problems: Observers[[KnownError]] = Observers()
        self._reading = asyncio.Lock()
        self._known = self._closed = False

    # State for the interface

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when a server changed; returns a function that unsubscribes it."""
        return self._changed.subscribe(observer)

    def subscribe_problems(self, handler: Callable[[KnownError], None]) -> Callable[[], None]:
        """Call `handler` when a running server crashed."""
        return self._problems.subscribe(handler)

    def ask_with(self, ask: AskUser) -> None:
        self._ask = ask

    def servers(self) -> list[ServerView]:
        return [server.view() for server in self._servers.values()]

    async def wait_until_started(self, timeout: float) -> None:
        """Return when no server is starting any more, or after `timeout` seconds."""
        done = asyncio.Event()
        forget = self.subscribe(lambda: done.set() if not self._starting() else None)
        try:
            if self._starting():
                with suppress(TimeoutError):
                    await asyncio.wait_for(done.wait(), timeout)
        finally:
            forget()

    def _starting(self) -> bool:
        return any(view.state is ServerState.STARTING for view in self.servers())

    async def prompt_text(
        self, server: str, prompt: str, arguments: Mapping[str, str]
    ) -> ToolResult:
        """Return the user text of a prompt of this server. Raises ToolError."""
        return await self._running(server).prompt_text(prompt, arguments)

    async def read(self, server: str, uri: str) -> ToolResult:
        """Return the content of a resource of this server. Raises ToolError."""
        return await self._running(server).read(uri, lambda fraction, text: None)

    def _running(self, server: str) -> McpServer:
        known = self._servers.get(server)
        if known is None:
            raise call_failure(NOT_RUNNING_TEXT, server)
        return known

    # Configuration

    async def load(self) -> None:
        """Read the configuration, once; nothing is started."""
        async with self._reading:
            if self._known:
                return
            await asyncio.to_thread(self._config.read)
            self._known = True
            for name in self._config.configs:
                self._meet(name)
        self._changed.notify()

    async def start(self) -> None:
        """Start the allowed servers. Returns before they are ready."""
        await self.load()
        for server in self._servers.values():
            await server.apply_wanted_state()

    async def add(self, configs: Sequence[ServerConfig]) -> list[str]:
        """Add these servers and return their names. None is started before the user allows it."""
        await self.load()
        names = []
        for config in configs:
            name = self._config.free_name(config.name)
            await self._put(replace(config, name=name))
            self._meet(name)
            names.append(name)
        self._changed.notify()
        return names

    async def update(self, config: ServerConfig) -> bool:
        """Replace the server with the same name, and restart it. Return whether its fingerprint
        changed.
        """
        server = self._servers[config.name]
        before = self._config.configs[config.name]
        await self._put(config)
        for slot in set(slots_of(before)) - set(slots_of(self._config.configs[config.name])):
            await self._secrets.delete_async(_secret_name(config.name, slot))
        now = self._config.configs[config.name]
        # A key may have changed, which the fingerprint doesn't show.
        await server.apply_wanted_state(restart=True)
        self._changed.notify()
        return now.fingerprint() != before.fingerprint()

    async def _put(self, config: ServerConfig) -> None:
        hidden, kept = hide_secrets(config)
        for slot, value in kept.items():
            await self._secrets.set_async(_secret_name(config.name, slot), value)
        self._config.update(hidden)

    async def allow(self, name: str) -> None:
        """Allow the current configuration, which the user has seen, and start the server."""
        self._config.allow(name)
        await self._servers[name].apply_wanted_state(invited=True)
        self._changed.notify()

    async def set_enabled(self, name: str, on: bool) -> None:
        self._config.update(replace(self._config.configs[name], on=on))
        await self._servers[name].apply_wanted_state()
        self._changed.notify()

    async def restart(self, name: str) -> None:
        """Restart a server for the user; it may ask them to sign in."""
        await self._servers[name].apply_wanted_state(restart=True, invited=True)

    async def delete(self, name: str) -> None:
        server = self._servers.pop(name)
        config = self._config.configs[name]
        address = config.url
        with suppress(SecretMissing):
            address = (await self.prepare(name)).config.url
        self._config.delete(name)
        self._changed.notify()
        self._leave.pop(name)()
        await server.aclose()
        for slot in (*slots_of(config), *_KeyringTokens.slots(address)):
            await self._secrets.delete_async(_secret_name(name, slot))

    async def aclose(self) -> None:
        """Stop all servers."""
        self._closed = True
        await asyncio.gather(*(server.aclose() for server in self._servers.values()))
        if self._ground.thread.begun:
            await asyncio.to_thread(self._ground.thread.close)

    def _meet(self, name: str) -> None:
        server = McpServer(name, self._ground, self)
        self._servers[name] = server
        self._leave[name] = self._toolbox.add(server.tools)

    # For a server: a `ServerOwner`

    def config(self, name: str) -> ServerConfig:
        return self._config.configs[name]

    def is_wanted(self, name: str) -> bool:
        return not self._closed and self._config.configs[name].on

    def may_start(self, name: str) -> bool:
        return self._config.is_allowed(name)

    def changed(self) -> None:
        self._changed.notify()

    def report_crash(self, error: KnownError) -> None:
        self._problems.notify(error)

    async def ask(self, server: str, key: object, question: UserQuestion) -> UserAnswer:
        if isinstance(question, SamplingRequest):
            return await self._ask_model(server, key, question)
        return await self._ask(server, key, question)

    async def _ask_model(self, server: str, key: object, question: SamplingRequest) -> UserAnswer:
        """Return a text of the model after the user allowed this very request. Each server has a
        limit, so that the number of requests is bounded.
        """
        if self._sample is None:
            return UserAnswer(False, why="There is no language model here.")
        used = self._sampled.setdefault(server, deque(maxlen=MOST_SAMPLES))
        now = time.monotonic()
        left = MOST_SAMPLES - sum(now - at <= SAMPLE_PERIOD_SECONDS for at in used)
        if not left:
            return UserAnswer(False, why=f"The limit of {MOST_SAMPLES} texts an hour is used up.")
        bounded = replace(question, most=min(question.most, SAMPLE_TOKENS), left=left)
        answer = await self._ask(server, key, bounded)
        if not answer.accepted:
            return answer
        used.append(now)
        try:
            return UserAnswer(True, await self._sample(server, bounded))
        except KnownError as error:
            _log.warning("The server %s gets no text of the model: %s", server, error)
            return UserAnswer(False, why="The language model gave no answer.")

    def roots(self) -> Sequence[Path]:
        return [one for one in self._roots() if one.is_absolute()]

    async def prepare(self, name: str) -> ServerLaunch:
        """Fill in the keys for a launch. Runs on the servers' loop. Raises SecretMissing."""
        config = self._config.configs[name]
        values: dict[str, str] = {}
        for slot in slots_of(config):
            value = await self._secrets.get_async(_secret_name(name, slot), environment=False)
            if not value:
                raise SecretMissing(name=name, slot=slot)
            values[slot] = value
        filled = fill_in(config, values.__getitem__, variables_for(self._environment.environ))
        environment = server_environment(
            self._environment.environ,
            filled.env,
            more=self._environment.variables(),
            home=self._environment.home,
        )
        return ServerLaunch(filled, environment, _KeyringTokens(self._secrets, name, filled.url))


class _KeyringTokens:
    """Stores tokens in the keyring by address, so that they are never sent to another one."""

    def __init__(self, secrets: Secrets, server: str, url: str) -> None:
        self._secrets = secrets
        self._server = server
        self._url = url

    @staticmethod
    def slots(url: str) -> list[str]:
        return [f"{slot} {url}" for slot in ("tokens", "client")] if url else []

    async def get(self, slot: str) -> str:
        return await self._secrets.get_async(self._name(slot), environment=False)

    async def put(self, slot: str, text: str) -> None:
        await self._secrets.set_async(self._name(slot), text)

    def _name(self, slot: str) -> str:
        return _secret_name(self._server, f"{slot} {self._url}")


def _secret_name(server: str, slot: str) -> str:
    return f"mcp {server} {slot}"
