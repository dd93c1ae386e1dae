"""The adapters between the settings window and the user's data (folder, deletion) and sync (state,
password, passphrase).
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.app.engine import Engine
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error
from neodeskpet.platform.installation import assets_dir, is_bundle, is_package
from neodeskpet.settings.secrets import (
    ENVIRONMENT,
    PASSPHRASE_ENVIRONMENT,
    SecretPlace,
    Secrets,
    passphrase_name,
    password_name,
    read_passphrase,
    read_password,
)
from neodeskpet.settings.startup import log_path
from neodeskpet.sync.server_connection import ServerConnection
from neodeskpet.sync.sync_engine import ConnectionThread
from neodeskpet.sync.sync_service import access_from_settings
from neodeskpet.ui.settings.settings_ports import KeyState, SyncState, UninstallInfo
from neodeskpet.ui.windows.companions_window import CompanionsPort


@dataclass(frozen=True, slots=True)
class UserFactsAdapter:
    """A `ui.settings.people_pages.UserFactsPort`. `open` shows the window of the memory."""

    engine: Engine
    open: Callable[[], object]

    async def count(self) -> int:
        return len(await self.engine.memory.store.facts.list_facts())


@dataclass(frozen=True, slots=True)
class OtherCompanionsAdapter:
    """A `ui.settings.people_pages.OtherCompanionsPort`. `open` shows the window of companions."""

    companions: CompanionsPort
    open: Callable[[], object]

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self.companions.subscribe(observer)

    async def names(self) -> list[str]:
        return [one.name for one in await self.companions.candidates() if one.is_present]


@dataclass(frozen=True, slots=True)
class DataAdapter:
    """A `ui.settings.settings_ports.DataPort` on the engine."""

    engine: Engine

    @property
    def folder(self) -> Path:
        return self.engine.storage.home

    @property
    def log(self) -> Path:
        return log_path(self.engine.storage.home)

    @property
    def removal(self) -> UninstallInfo:
        return removal_instructions()

    async def delete_conversations(self) -> int:
        """Delete all conversations and the memory, and start a new conversation; return how many
        were deleted.
        """
        chat, store = self.engine.chat, self.engine.storage.store
        chat.stop()
        await chat.wait_idle()
        known = await store.conversations()
        for info in known:
            await store.delete_conversation(info.id)
        await self.engine.memory.indexer.catch_up_changes()
        await self.engine.memory.store.clear()
        await chat.open()
        return len(known)

    async def key_place(self) -> SecretPlace:
        return await self.engine.storage.secrets.where_async(environment=False)


def removal_instructions() -> UninstallInfo:
    """Return how to uninstall this copy, which depends on how it was installed."""
    if not is_bundle():
        checkout = assets_dir().parent
        if (checkout / "pyproject.toml").is_file():
            return UninstallInfo(N_("Delete the folder {path}."), path=str(checkout))
        command = shlex.join([sys.executable, "-m", "pip", "uninstall", "neodeskpet"])
        return UninstallInfo(N_("Enter this in a terminal to remove the program."), command)
    if sys.platform == "win32":
        return UninstallInfo(N_("Uninstall it in the settings of Windows, under Apps."))
    if sys.platform == "darwin":
        return UninstallInfo(N_("Move NeoDeskPet from Applications to the bin."))
    if is_package():
        return UninstallInfo(
            N_("Enter this in a terminal to remove the program, or use the software centre."),
            "sudo apt remove neodeskpet",
        )
    folder = Path(sys.executable).resolve().parent
    return UninstallInfo(
        N_(
            "Enter this in a terminal to remove the program from the menu. Then "
            "delete the folder {path}."
        ),
        shlex.join([str(folder / "enter-menu.sh"), "--remove"]),
        str(folder),
    )


class SyncAdapter:
    """A `ui.settings.settings_ports.SyncPort` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.password = SyncSecret(engine, password_name, read_password, ENVIRONMENT)
        self.passphrase = SyncSecret(
            engine, passphrase_name, read_passphrase, PASSPHRASE_ENVIRONMENT
        )

    def state(self) -> SyncState:
        state = self._engine.storage.sync.state
        return SyncState(
            on=state.enabled,
            has_synced=state.has_synced,
            fault=format_error(state.fault) if state.fault is not None else "",
            since=state.since,
            waiting=state.pending,
            set_aside=state.set_aside,
            sent=state.sent,
            received=state.received,
        )

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._engine.storage.sync.subscribe(observer)

    async def test(self) -> str:
        settings, secrets = self._engine.settings, self._engine.storage.secrets
        address = settings.settings.sharing.address
        link = ConnectionThread(
            lambda: ServerConnection(address, access_from_settings(settings, secrets, address))
        )
        try:
            version = await link.run(lambda server: server.version)
        finally:
            link.close()
        self._engine.storage.sync.sync_now()
        return version


class SyncSecret:
    """A `ui.settings.settings_ports.KeyPort`: the password or the passphrase for the current
    address.
    """

    def __init__(
        self,
        engine: Engine,
        name: Callable[[str], str],
        read: Callable[[Secrets, str], str],
        variable: str,
    ) -> None:
        """The environment variable `variable` is used if the user entered nothing."""
        self._engine = engine
        self._name = name
        self._read = read
        self._variable = variable

    async def key(self) -> KeyState:
        secrets, address = self._engine.storage.secrets, self._key_address()
        own = await secrets.get_async(self._name(address), environment=False)
        given = await asyncio.to_thread(lambda: self._read(secrets, address))
        if given and not own:
            return KeyState("****", SecretPlace.ENVIRONMENT, self._variable)
        place = await secrets.where_async(self._name(address), environment=False)
        where = str(secrets.file) if place is SecretPlace.FILE else ""
        return KeyState("****" if own else "", place, where)

    async def store_key(self, key: str) -> None:
        await self._engine.storage.secrets.set_async(self._name(self._key_address()), key)
        self._engine.storage.sync.reconnect()

    async def delete_key(self) -> None:
        await self._engine.storage.secrets.delete_async(self._name(self._key_address()))
        self._engine.storage.sync.reconnect()

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.storage.secrets.allow_file)

    def allow_plain(self) -> None:
        """Do nothing: the address and the list of hosts decide about encryption."""

    def _key_address(self) -> str:
        return self._engine.settings.settings.sharing.address
