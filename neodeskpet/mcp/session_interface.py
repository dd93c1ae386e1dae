"""An open connection to a server, as the app sees it; `session.py` makes one with the SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from neodeskpet.mcp.server_config import ServerConfig

Json = Mapping[str, object]
Progress = Callable[[float | None, str], None]


class TokenStore(Protocol):
    """Keeps what lets us into a server on the web, "" for nothing."""

    async def get(self, slot: str) -> str: ...

    async def put(self, slot: str, text: str) -> None: ...


class NoTokenStore:
    """Keeps nothing."""

    async def get(self, slot: str) -> str:
        return ""

    async def put(self, slot: str, text: str) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """A server as it is started: its placeholders filled, with the whole environment."""

    config: ServerConfig
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    vault: TokenStore = field(default_factory=NoTokenStore, repr=False)
    handshake: bool = False
    """Whether to connect as protocol versions before 2026-07-28 do."""


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """`schema` is the JSON Schema of the arguments. `claims` is what the server says it does ("only
    reads"), as JSON.
    """

    name: str
    description: str = ""
    schema: Json = field(default_factory=dict)
    title: str = ""
    claims: str = ""


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    """`uri` is a template (RFC 6570) where `template` is set."""

    uri: str
    name: str = ""
    description: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class PromptInfo:
    """`arguments` are their names; those in `required` must be given."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ServerListing:
    """What a server has. `about` is its name and version, in its words."""

    tools: tuple[ToolInfo, ...] = ()
    resources: tuple[ResourceInfo, ...] = ()
    prompts: tuple[PromptInfo, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class FormRequest:
    """A server asks the person to fill in what `schema` describes (a flat object)."""

    message: str
    schema: Json


@dataclass(frozen=True, slots=True)
class OpenUrlRequest:
    """A server asks the person to open an address and do something there."""

    message: str
    url: str


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """A server wants a text from the user's model. `messages` are roles and texts; the answer has
    the `text` and the `model`.
    """

    messages: tuple[tuple[str, str], ...]
    system: str = ""
    most: int = 1000
    """Tokens of the answer at most."""
    left: int = 0
    """How many texts the server may still get in this hour, this one included."""

    @property
    def sent(self) -> Sequence[tuple[str, str]]:
        """Roles and texts of all that the model would be sent, for the person."""
        return ([("system", self.system)] if self.system else []) + list(self.messages)


UserQuestion = FormRequest | OpenUrlRequest | SamplingRequest


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """`accepted` is None when the person gave no answer at all. `why` tells the server the
    reason of a refusal that the person didn't decide.
    """

    accepted: bool | None = None
    values: Json = field(default_factory=dict)
    why: str = ""


class ConnectionListener(Protocol):
    """Hears of a connection, on its loop; `log` from any thread."""

    def change(self) -> None:
        """What the server has is different now."""
        ...

    def end(self) -> None:
        """The server is gone."""
        ...

    def log(self, line: str) -> None:
        """What it wrote that is no message."""
        ...

    async def ask(self, question: UserQuestion) -> UserAnswer: ...

    def roots(self) -> Sequence[Path]:
        """The folders that the person allows."""
        ...

    def waiting(self) -> AbstractContextManager[None]:
        """While the person does something, no patience runs out."""
        ...


class McpSession(Protocol):
    """An open connection. Coroutines raise McpError or ToolFailed."""

    @property
    def closed(self) -> bool:
        """Whether the server is gone; the watcher hears of it."""
        ...

    async def list(self) -> ServerListing: ...

    async def call(self, tool: str, arguments: Json, told: Progress) -> Json:
        """The result as the protocol has it; `told` hears how far it is. Cancelling tells the
        server.
        """
        ...

    async def read(self, uri: str) -> Json: ...

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Json: ...


OpenSession = Callable[[ServerLaunch, ConnectionListener], AbstractAsyncContextManager[McpSession]]
"""Connects; must be entered and left by one task."""
