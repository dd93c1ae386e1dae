"""What the pages of the settings need from the rest of the app, as protocols and values; `app`
implements them.
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
    """`tail` is the last four letters of the key, "" when there is none. `place` is where it is or
    would be kept; `where` names the environment variable, or the file (in MEMORY the one it could
    go to). `exposed` is the computer that the key would reach without encryption, which nobody has
    allowed yet; "" if there is none.
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
    """A row of the test's table. A later finding with the same `id` replaces the row. `title` is
    English (marked with `N_`); `text` and `detail` are written for the person.
    """

    id: str
    title: str
    verdict: EndpointTestVerdict
    text: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class EndpointTestProposal:
    """What the test advises: a mode, a dialect ("" leaves it) and why. `measured` are the
    abilities of `model` that it found out, by the field of the catalogue that holds them.
    """

    mode: str
    reason: str
    dialect: str = ""
    model: str = ""
    measured: Mapping[str, bool] = field(default_factory=dict)


Undo = Callable[[], None]
"""Puts back what was changed; raises KnownError if it can't."""


@dataclass(frozen=True, slots=True)
class LocalModelServer:
    """A model server found on this computer. `title` is its name ("Ollama")."""

    title: str
    base_url: str
    models: tuple[str, ...] = ()


class KeyPort(Protocol):
    """The key of a service. Coroutines raise KnownError."""

    async def key(self) -> KeyState:
        """Whether there is a key for the service, and where. A keyring may ask the person
        to unlock it first.
        """
        ...

    async def store_key(self, key: str) -> None:
        """Keep the key of the service."""
        ...

    async def delete_key(self) -> None:
        """Forget the key of the service."""
        ...

    async def allow_file(self) -> None:
        """The person agreed that keys go to a file, as there is no keyring."""
        ...

    def allow_plain(self) -> None:
        """The person agreed that keys go to other computers unencrypted. Raises KnownError."""
        ...


@dataclass(frozen=True, slots=True)
class SyncState:
    """The state of sync. `fault`: why it fails, in words for the user, and `since` when (unix
    seconds). `waiting`: changes to be sent. `set_aside`: records that could not be exchanged.
    `sent`, `received`: when changes were last sent and received (unix seconds). `met`: it has
    worked before.
    """

    on: bool = False
    met: bool = False
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

    def subscribe(self, hear: Callable[[], object]) -> Callable[[], None]:
        """Call `hear` whenever the state changes; the result ends that."""
        ...

    async def test(self) -> str:
        """Connect to the server with the current settings: its version. Raises KnownError."""
        ...


class EndpointPort(KeyPort, Protocol):
    """A service of models. Its coroutines work with the settings as they are."""

    async def models(self) -> Sequence[str]:
        """The models the endpoint offers."""
        ...

    async def test(
        self, found: Callable[[EndpointTestFinding], None]
    ) -> EndpointTestProposal | None:
        """Try the endpoint; `found` is called for every row as it is known."""
        ...

    def is_needed(self, proposal: EndpointTestProposal) -> bool:
        """Whether taking the proposal would change anything."""
        ...

    def take(self, proposal: EndpointTestProposal) -> Undo:
        """Put into force what the test advises, and note what it measured. Raises KnownError."""
        ...


class CatalogPort(Protocol):
    """The services there are. What is kept in a file may be changed by hand meanwhile."""

    @property
    def catalog(self) -> Catalog:
        """What counts: the file, the last good one while it is broken, else the simple settings."""
        ...

    @property
    def kept(self) -> bool:
        """Whether there is a file, good or broken; without one the simple settings count."""
        ...

    @property
    def fault(self) -> SettingsError | None:
        """What is wrong with the file."""
        ...

    @property
    def outside(self) -> bool:
        """Whether the service of this run is named from outside, so that the file waits."""
        ...

    def refresh(self) -> None:
        """Look whether the file was changed by hand."""
        ...

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Put a change in force and keep it. Raises KnownError."""
        ...

    def start_anew(self) -> Path | None:
        """Keep a copy of a broken file and begin with what counts now; where the copy is. Raises
        KnownError.
        """
        ...

    def endpoint(self, name: str, model: str = "") -> EndpointPort:
        """A service by its name; a test is about `model` there. "" is that of the simple
        settings.
        """
        ...

    def tested(self, name: str) -> EndpointTestVerdict | None:
        """The result of the last test of a service."""
        ...

    def reported(self, name: str) -> Sequence[str]:
        """The models that a service reported when it was last asked."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; returns what ends it."""
        ...


@dataclass(frozen=True, slots=True)
class UninstallInfo:
    """How this copy of the program is taken away: words to be translated, with a `{path}`, and what
    is typed into a terminal, if anything.
    """

    words: str
    command: str = ""
    path: str = ""


class DataPort(Protocol):
    """Where the person's things lie. `delete_conversations` raises KnownError."""

    @property
    def removal(self) -> UninstallInfo: ...

    @property
    def folder(self) -> Path: ...

    @property
    def log(self) -> Path: ...

    async def delete_conversations(self) -> int:
        """Delete all of them; how many there were."""
        ...

    async def key_place(self) -> SecretPlace:
        """Where keys that are entered are kept."""
        ...


class IntegrationsPort(Protocol):
    """How other programs reach the companion."""

    @property
    def address(self) -> str:
        """Where it listens for them over HTTP, "" for nowhere."""
        ...

    @property
    def fault(self) -> str:
        """Why it doesn't, in words for the person."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when these are others; returns what ends it."""
        ...

    def make_token(self) -> str:
        """A new token, which can't be read again. Raises KnownError."""
        ...

    def started(self) -> str:
        """The table of servers (JSON) for a program that starts one."""
        ...

    def reached(self, token: str) -> str:
        """The same for a program that comes over HTTP."""
        ...


class UpdatesPort(Protocol):
    """Newer versions of this program."""

    @property
    def version(self) -> str:
        """The one that runs."""
        ...

    @property
    def language(self) -> str:
        """The one that is spoken now."""
        ...

    @property
    def newer_release(self) -> Release | None:
        """The newer one that was heard of since the start."""
        ...

    async def check(self) -> Release | None:
        """Ask for the newest one, if it is newer. Raises KnownError."""
        ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Have it called whenever one was looked for; returns what ends that."""
        ...


def edit_catalog(port: CatalogPort, change: Callable[[Catalog], Catalog]) -> str:
    """Put a change into force; what is wrong with it, "" when all is well."""
    try:
        port.edit(change)
    except KnownError as error:
        return format_error(error)
    return ""
