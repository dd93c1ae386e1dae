"""The interface of an open connection to a server; `sdk_session.py` implements it with the SDK."""

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
    """Stores the sign-in tokens of a web server, "" for none."""

    async def get(self, slot: str) -> str: ...

    async def put(self, slot: str, text: str) -> None: ...


class NoTokenStore:
    """Stores nothing."""

    async def get(self, slot: str) -> str:
        return ""

    async def put(self, slot: str, text: str) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """A server ready to start: placeholders filled in, with the complete environment."""

    config: ServerConfig
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    token_store: TokenStore = field(default_factory=NoTokenStore, repr=False)
    handshake: bool = False
    """Whether to use the handshake of protocol versions before 2026-07-28."""


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool. `schema` is the JSON Schema of the arguments. `claims` are the server's own
    statements about it ("only reads"), as JSON.
    """

    name: str
    description: str = ""
    schema: Json = field(default_factory=dict)
    title: str = ""
    claims: str = ""


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    """A resource. `uri` is a template (RFC 6570) if `template` is set."""

    uri: str
    name: str = ""
    description: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class PromptInfo:
    """A prompt. `arguments` are names; those in `required` must be given."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ServerListing:
    """What a server offers. `about` is its name and version, as it reports them."""

    tools: tuple[ToolInfo, ...] = ()
    resources: tuple[ResourceInfo, ...] = ()
    prompts: tuple[PromptInfo, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class FormRequest:
    """A server asks the user to fill in a form; `schema` describes it (a flat object)."""

    message: str
    schema: Json


@dataclass(frozen=True, slots=True)
class OpenUrlRequest:
    """A server asks the user to open an address and do something there."""

    message: str
    url: str


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """A server requests a text from the user's model. `messages` are roles and texts; the answer
    has the `text` and the `model`.
    """

    messages: tuple[tuple[str, str], ...]
    system: str = ""
    most: int = 1000
    """Most tokens of the answer."""
    left: int = 0
    """How many texts the server may still request in this hour, including this one."""

    @property
    def sent(self) -> Sequence[tuple[str, str]]:
        """Roles and texts of everything that is sent to the model, for the user."""
        return ([("system", self.system)] if self.system else []) + list(self.messages)


UserQuestion = FormRequest | OpenUrlRequest | SamplingRequest


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The user's answer. `accepted` is None if the user gave no answer. `why` tells the server the
    reason of a refusal that the user didn't decide.
    """

    accepted: bool | None = None
    values: Json = field(default_factory=dict)
    why: str = ""


class ConnectionListener(Protocol):
    """Gets the events of a connection, on its loop; `log` is called from any thread."""

    def change(self) -> None:
        """Handle a changed listing of the server."""
        ...

    def end(self) -> None:
        """Handle the end of the server."""
        ...

    def log(self, line: str) -> None:
        """Handle a line of output that isn't a message."""
        ...

    async def ask(self, question: UserQuestion) -> UserAnswer: ...

    def roots(self) -> Sequence[Path]:
        """Return the folders that the user allows."""
        ...

    def waiting(self) -> AbstractContextManager[None]:
        """Pause the timeout while the user does something."""
        ...


class McpSession(Protocol):
    """An open connection. Coroutines raise McpError or ToolFailed."""

    @property
    def closed(self) -> bool:
        """Whether the server has ended; the listener is notified too."""
        ...

    async def list(self) -> ServerListing: ...

    async def call(self, tool: str, arguments: Json, progress: Progress) -> Json:
        """Return the protocol's result; `progress` gets the progress. Cancelling cancels the call
        on the server.
        """
        ...

    async def read(self, uri: str) -> Json: ...

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Json: ...


OpenSession = Callable[[ServerLaunch, ConnectionListener], AbstractAsyncContextManager[McpSession]]
"""Connects; must be entered and left in one task."""
