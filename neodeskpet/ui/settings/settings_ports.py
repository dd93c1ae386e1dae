"""The interfaces and values that the settings pages need from the rest of the app. `app` implements
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from neodeskpet.core.errors import KnownError, SettingsError
from neodeskpet.core.release_notes import Release
from neodeskpet.language import format_error
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.settings.secrets import SecretPlace


@dataclass(frozen=True, slots=True)
class KeyState:
    """`tail` is the last four characters of the key, "" if there is none. `place` is where it is or
    would be stored; `where` names the environment variable or the file (in MEMORY the file that
    could be used). `exposed` is the computer that the key would reach without encryption, if the
    user has not allowed that; otherwise "".
    """

    tail: str = ""
    place: SecretPlace = SecretPlace.KEYRING
    where: str = ""
    exposed: str = ""


class EndpointTestVerdict(StrEnum):
    RUNNING = "running"
    GOOD = "good"
    FAULT = "fault"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class EndpointTestFinding:
    """A row of the test's table. A later finding with the same `id` replaces it. `title` is English
    (marked with `N_`); `text` and `detail` are translated.
    """

    id: str
    title: str
    verdict: EndpointTestVerdict
    text: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class EndpointTestProposal:
    """The result of a test as a proposal: a mode, a dialect ("" for no change) and the reason.
    `measured` are the abilities of `model` that were found, by the catalogue's field.
    """

    mode: str
    reason: str
    dialect: str = ""
    model: str = ""
    measured: Mapping[str, bool] = field(default_factory=dict)


Undo = Callable[[], None]
"""Undoes a change. Raises KnownError."""


@dataclass(frozen=True, slots=True)
class LocalModelServer:
    """A model server found on this computer. `title` is its name ("Ollama")."""

    title: str
    base_url: str
    models: tuple[str, ...] = ()


class KeyPort(Protocol):
    """The key of a service. Coroutines raise KnownError."""

    async def key(self) -> KeyState:
        """Return whether there is a key for the service, and where. A keyring may ask the user to
        unlock it.
        """
        ...

    async def store_key(self, key: str) -> None:
        """Store the key of the service."""
        ...

    async def delete_key(self) -> None:
        """Delete the key of the service."""
        ...

    async def allow_file(self) -> None:
        """Allow keys to be stored in a file, because there is no keyring."""
        ...

    def allow_plain(self) -> None:
        """Allow keys to be sent to this computer without encryption. Raises KnownError."""
        ...


@dataclass(frozen=True, slots=True)
class SyncState:
    """The state of sync. `fault`: why it fails, in words for the user, and `since` when (unix
    seconds). `waiting`: changes to be sent. `set_aside`: records that could not be exchanged.
    `sent`, `received`: when changes were last sent and received (unix seconds). `has_synced`: it
    has worked before.
    """

    on: bool = False
    has_synced: bool = False
    fault: str = ""
    since: float | None = None
    waiting: int = 0
    set_aside: int = 0
    sent: float | None = None
    received: float | None = None


class SyncPort(Protocol):
    """Sync, and its secrets."""

    @property
    def password(self) -> KeyPort: ...

    @property
    def passphrase(self) -> KeyPort: ...

    def state(self) -> SyncState: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each change of the state. Return a function that ends this."""
        ...

    async def test(self) -> str:
        """Connect to the server with the current settings and return its version. Raises
        KnownError.
        """
        ...


class EndpointPort(KeyPort, Protocol):
    """A model service. Its coroutines use the current settings."""

    async def models(self) -> Sequence[str]:
        """Return the models that the service reports."""
        ...

    async def test(
        self, found: Callable[[EndpointTestFinding], None]
    ) -> EndpointTestProposal | None:
        """Test the service; `found` is called for every row of the result."""
        ...

    def is_needed(self, proposal: EndpointTestProposal) -> bool:
        """Return whether applying the proposal would change anything."""
        ...

    def take(self, proposal: EndpointTestProposal) -> Undo:
        """Apply the proposal, and store the abilities that were measured. Raises KnownError."""
        ...


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """`mode` is one of `core.tool_settings.SERVICE_MODE_NAMES`; `dialect` is the text format."""

    mode: str
    dialect: str


class CatalogPort(Protocol):
    """All services. The user may edit their file at any time."""

    @property
    def catalog(self) -> Catalog:
        """The catalogue in use: the file, or its last good version while it is broken, or the
        service in the settings.
        """
        ...

    @property
    def kept(self) -> bool:
        """Whether the file exists, valid or broken."""
        ...

    @property
    def fault(self) -> SettingsError | None:
        """The error of the file."""
        ...

    @property
    def outside(self) -> bool:
        """Whether the command line or the environment names the service of this run."""
        ...

    def refresh(self) -> None:
        """Read the file again if it was changed by hand."""
        ...

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Apply a change and store it. Raises KnownError."""
        ...

    def start_over(self) -> Path | None:
        """Replace a broken file by the catalogue in use; return the path of a copy of the old file,
        None if it wasn't broken. Raises KnownError.
        """
        ...

    def endpoint(self, name: str, model: str = "") -> EndpointPort:
        """A service by its name; a test is about `model` there. "" is that of the simple
        settings.
        """
        ...

    def tested(self, name: str) -> EndpointTestVerdict | None:
        """Return the result of the last test of a service."""
        ...

    def reported(self, name: str) -> Sequence[str]:
        """Return the models that a service reported when it was last asked."""
        ...

    def tool_calls(self, name: str) -> ToolCalls:
        """Return how the tools of a service are called."""
        ...

    def choose_tool_mode(self, name: str, mode: str) -> None:
        """Store the mode of a service. Raises KnownError."""
        ...

    def choose_text_format(self, dialect: str) -> None:
        """Store the text format of all services. Raises KnownError."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; returns what ends it."""
        ...


@dataclass(frozen=True, slots=True)
class UninstallInfo:
    """How to uninstall this copy of the program: a text to translate, with a `{path}`, and a
    command for the terminal, "" if there is none.
    """

    words: str
    command: str = ""
    path: str = ""


class DataPort(Protocol):
    """Where the user's data is stored. `delete_conversations` raises KnownError."""

    @property
    def removal(self) -> UninstallInfo: ...

    @property
    def folder(self) -> Path: ...

    @property
    def log(self) -> Path: ...

    async def delete_conversations(self) -> int:
        """Delete all conversations; return their number."""
        ...

    async def key_place(self) -> SecretPlace:
        """Return where entered keys are stored."""
        ...


class IntegrationsPort(Protocol):
    """How other programs connect to the companion."""

    @property
    def address(self) -> str:
        """The address at which the HTTP server listens, "" if it doesn't."""
        ...

    @property
    def fault(self) -> str:
        """Why it doesn't listen, as a text for the user."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when address or fault has changed. Return a function that ends this."""
        ...

    def make_token(self) -> str:
        """Create and return a token, which can't be read again. Raises KnownError."""
        ...

    def started(self) -> str:
        """Return the MCP configuration (JSON) for a program that starts the server itself."""
        ...

    def reached(self, token: str) -> str:
        """Return the MCP configuration (JSON) for a program that connects over HTTP."""
        ...


class UpdatesPort(Protocol):
    """Newer versions of this program."""

    @property
    def version(self) -> str:
        """The running version."""
        ...

    @property
    def language(self) -> str:
        """The current language of the interface."""
        ...

    @property
    def newer_release(self) -> Release | None:
        """The newer version that was found since the start, None if none was."""
        ...

    async def check(self) -> Release | None:
        """Ask for the newest version; return it if it is newer. Raises KnownError."""
        ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each check. Return a function that ends this."""
        ...


def edit_catalog(port: CatalogPort, change: Callable[[Catalog], Catalog]) -> str:
    """Apply a change; return the error, "" if there is none."""
    try:
        port.edit(change)
    except KnownError as error:
        return format_error(error)
    return ""
