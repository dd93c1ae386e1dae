"""All servers of tools: what is set up, which of them run, and what they have.

Everything here is called on the app's loop and comes back there; the servers live on a thread of
their own, which begins with the first of them. A server runs when it is on and the person allowed
it as it is; adding one only sets it up.
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
"""Puts a server's question to the person: its name, and the key of the call that it belongs to."""


async def _answer_nothing(server: str, key: object, question: UserQuestion) -> UserAnswer:
    return UserAnswer()


Sample = Callable[[str, SamplingRequest], Awaitable[Mapping[str, object]]]
"""Answers a request of this server: `text` and `model`. Raises KnownError."""

MOST_SAMPLES, SAMPLE_PERIOD_SECONDS = 20, 3600.0
"""So many texts a server gets of the model in an hour,"""
SAMPLE_TOKENS = 2_000
"""each of at most so many tokens."""


def _sdk() -> OpenSession:
    from neodeskpet.mcp.sdk_session import open_session  # a second, and 70 MB

    return open_session


@dataclass(frozen=True, slots=True)
class HostEnvironment:
    """What servers get of this computer: its environment variables, and the home folder. Beside
    those that every program gets, `variables` names further ones.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    home: Path = field(default_factory=Path.home)
    variables: Callable[[], Collection[str]] = tuple


class McpHost:
    """`on_trouble` reports a server that crashed. `roots` are the folders that the user allows;
    servers that ask are told them. `sample` writes the text that a server asks of the user's model.
    """

    def __init__(
        self,
        book: ServerConfigFile,
        secrets: Secrets,
        toolbox: Toolbox,
        *,
        environment: HostEnvironment | None = None,
        patience: ServerTimeouts | None = None,
        open_session: Callable[[], OpenSession] = _sdk,
        roots: Callable[[], Sequence[Path]] = tuple,
        sample: Sample | None = None,
    ) -> None:
        self._roots = roots
        self._sample = sample
        self._sampled: dict[str, deque[float]] = {}
        self._book = book
        self._secrets = secrets
        self._toolbox = toolbox
        self._environment = environment or HostEnvironment()
        self._ground = ServerContext(LoopThread("mcp"), open_session, patience or ServerTimeouts())
        self._ask: AskUser = _answer_nothing
        self._servers: dict[str, McpServer] = {}
        self._leave: dict[str, Callable[[], None]] = {}
        self._changed: Observers[[]] = Observers()
        self._trouble: Observers[[KnownError]] = Observers()
        self._reading = asyncio.Lock()
        self._known = self._closed = False

    # What is seen of it

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever a server changed; returns what ends it."""
        return self._changed.subscribe(observer)

    def on_trouble(self, hear: Callable[[KnownError], None]) -> Callable[[], None]:
        """Call `hear` when a server that ran fell."""
        return self._trouble.subscribe(hear)

    def ask_with(self, ask: AskUser) -> None:
        self._ask = ask

    def servers(self) -> list[ServerView]:
        return [server.view() for server in self._servers.values()]

    async def wait_until_started(self, patience: float) -> None:
        """Returns when none is being started any more, or after `patience` seconds."""
        done = asyncio.Event()
        forget = self.subscribe(lambda: done.set() if not self._starting() else None)
        try:
            if self._starting():
                with suppress(TimeoutError):
                    await asyncio.wait_for(done.wait(), patience)
        finally:
            forget()

    def _starting(self) -> bool:
        return any(view.state is ServerState.STARTING for view in self.servers())

    async def prompt_text(
        self, server: str, prompt: str, arguments: Mapping[str, str]
    ) -> ToolResult:
        """What a prompt of this server has the person say. Raises ToolError."""
        return await self._running(server).prompt_text(prompt, arguments)

    async def read(self, server: str, uri: str) -> ToolResult:
        """What stands in a resource of this server. Raises ToolError."""
        return await self._running(server).read(uri, lambda fraction, text: None)

    def _running(self, server: str) -> McpServer:
        known = self._servers.get(server)
        if known is None:
            raise call_failure(NOT_RUNNING_TEXT, server)
        return known

    # Setting up

    async def load(self) -> None:
        """Read what is set up, once; nothing is started by that."""
        async with self._reading:
            if self._known:
                return
            await asyncio.to_thread(self._book.read)
            self._known = True
            for name in self._book.configs:
                self._meet(name)
        self._changed.notify()

    async def start(self) -> None:
        """Start what is set up and was allowed. Returns before they are ready."""
        await self.load()
        for server in self._servers.values():
            await server.apply_wanted_state()

    async def add(self, configs: Sequence[ServerConfig]) -> list[str]:
        """Set these up; returns their names. None is started before the person allowed it."""
        await self.load()
        names = []
        for config in configs:
            name = self._book.free_name(config.name)
            await self._put(replace(config, name=name))
            self._meet(name)
            names.append(name)
        self._changed.notify()
        return names

    async def update(self, config: ServerConfig) -> bool:
        """Have it instead of the one of its name, which is ended. Whether another thing is run."""
        server = self._servers[config.name]
        before = self._book.configs[config.name]
        await self._put(config)
        for slot in set(slots_of(before)) - set(slots_of(self._book.configs[config.name])):
            await self._secrets.delete_async(_secret_name(config.name, slot))
        now = self._book.configs[config.name]
        await server.apply_wanted_state(restart=True)  # a key may be another, which doesn't show
        self._changed.notify()
        return now.fingerprint() != before.fingerprint()

    async def _put(self, config: ServerConfig) -> None:
        hidden, kept = hide_secrets(config)
        for slot, value in kept.items():
            await self._secrets.set_async(_secret_name(config.name, slot), value)
        self._book.update(hidden)

    async def allow(self, name: str) -> None:
        """The person has seen it as it is and wants it started."""
        self._book.allow(name)
        await self._servers[name].apply_wanted_state(invited=True)
        self._changed.notify()

    async def set_enabled(self, name: str, on: bool) -> None:
        self._book.update(replace(self._book.configs[name], on=on))
        await self._servers[name].apply_wanted_state()
        self._changed.notify()

    async def restart(self, name: str) -> None:
        """The person wants it started anew, and may be asked to sign in."""
        await self._servers[name].apply_wanted_state(restart=True, invited=True)

    async def delete(self, name: str) -> None:
        server = self._servers.pop(name)
        config = self._book.configs[name]
        address = config.url
        with suppress(SecretMissing):
            address = (await self.prepare(name)).config.url
        self._book.delete(name)
        self._changed.notify()
        self._leave.pop(name)()
        await server.aclose()
        for slot in (*slots_of(config), *_KeyringTokens.slots(address)):
            await self._secrets.delete_async(_secret_name(name, slot))

    async def aclose(self) -> None:
        """End all of them."""
        self._closed = True
        await asyncio.gather(*(server.aclose() for server in self._servers.values()))
        if self._ground.thread.begun:
            await asyncio.to_thread(self._ground.thread.close)

    def _meet(self, name: str) -> None:
        server = McpServer(name, self._ground, self)
        self._servers[name] = server
        self._leave[name] = self._toolbox.add(server.tools)

    # For a server: a `Keeper`

    def config(self, name: str) -> ServerConfig:
        return self._book.configs[name]

    def is_wanted(self, name: str) -> bool:
        return not self._closed and self._book.configs[name].on

    def may_start(self, name: str) -> bool:
        return self._book.is_allowed(name)

    def changed(self) -> None:
        self._changed.notify()

    def report_crash(self, error: KnownError) -> None:
        self._trouble.notify(error)

    async def ask(self, server: str, key: object, question: UserQuestion) -> UserAnswer:
        if isinstance(question, SamplingRequest):
            return await self._ask_model(server, key, question)
        return await self._ask(server, key, question)

    async def _ask_model(self, server: str, key: object, question: SamplingRequest) -> UserAnswer:
        """A text of the model, once the person has allowed this very request. A server has a budget
        of its own, so that nobody allows them without end.
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
        """On the servers' loop. Raises SecretMissing."""
        config = self._book.configs[name]
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
    """In the keyring, under the address: what lets us in there goes to no other."""

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
