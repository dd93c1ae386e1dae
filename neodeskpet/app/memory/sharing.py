"""The settings' ports onto sync: its state, its password and its passphrase."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from neodeskpet.engine import Engine
from neodeskpet.language import format_error
from neodeskpet.memory.shared.exchange import ConnectionThread
from neodeskpet.memory.shared.server import ServerConnection
from neodeskpet.settings.secrets import SecretPlace, Secrets
from neodeskpet.settings.shared_password import (
    ENVIRONMENT,
    PASSPHRASE_ENVIRONMENT,
    passphrase_name,
    password_name,
    read_passphrase,
    read_password,
)
from neodeskpet.sync_access import access_from_settings
from neodeskpet.ui.settings.ports import KeyState, SyncState


class SyncAdapter:
    """A `ui.settings.ports.SyncPort` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.password = SyncSecret(engine, password_name, read_password, ENVIRONMENT)
        self.passphrase = SyncSecret(
            engine, passphrase_name, read_passphrase, PASSPHRASE_ENVIRONMENT
        )

    def state(self) -> SyncState:
        state = self._engine.sync.state
        return SyncState(
            on=state.enabled,
            met=state.has_synced,
            fault=format_error(state.fault) if state.fault is not None else "",
            since=state.since,
            waiting=state.pending,
            set_aside=state.set_aside,
            sent=state.sent,
            received=state.received,
        )

    def subscribe(self, hear: Callable[[], object]) -> Callable[[], None]:
        return self._engine.sync.subscribe(hear)

    async def test(self) -> str:
        settings, secrets = self._engine.settings, self._engine.secrets
        address = settings.settings.sharing.address
        link = ConnectionThread(
            lambda: ServerConnection(address, access_from_settings(settings, secrets, address))
        )
        try:
            version = await link.run(lambda server: server.version)
        finally:
            link.close()
        self._engine.sync.sync_now()
        return version


class SyncSecret:
    """A `ui.settings.ports.KeyPort`: the password, or the passphrase, for the address in use."""

    def __init__(
        self,
        engine: Engine,
        name: Callable[[str], str],
        read: Callable[[Secrets, str], str],
        variable: str,
    ) -> None:
        """`variable` of the environment is used where nothing was entered."""
        self._engine = engine
        self._name = name
        self._read = read
        self._variable = variable

    async def key(self) -> KeyState:
        secrets, address = self._engine.secrets, self._key_address()
        own = await secrets.get_async(self._name(address), environment=False)
        given = await asyncio.to_thread(lambda: self._read(secrets, address))
        if given and not own:
            return KeyState("****", SecretPlace.ENVIRONMENT, self._variable)
        place = await secrets.where_async(self._name(address), environment=False)
        where = str(secrets.file) if place is SecretPlace.FILE else ""
        return KeyState("****" if own else "", place, where)

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(self._name(self._key_address()), key)
        self._engine.sync.reconnect()

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(self._name(self._key_address()))
        self._engine.sync.reconnect()

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.secrets.allow_file)

    def allow_plain(self) -> None:
        """The address and the list of hosts decide about encryption on the way."""

    def _key_address(self) -> str:
        return self._engine.settings.settings.sharing.address
