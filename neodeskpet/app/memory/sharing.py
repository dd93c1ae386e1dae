"""The settings' port onto the server that several computers share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from neodeskpet.engine import Engine
from neodeskpet.language import explain
from neodeskpet.memory.shared.exchange import Link
from neodeskpet.memory.shared.server import Server
from neodeskpet.settings.secrets import Place
from neodeskpet.settings.shared_password import ENVIRONMENT, password_name, read_password
from neodeskpet.ui.settings.ports import KeyState, SharingState


class SharingAdapter:
    """A `ui.settings.ports.SharingPort` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def state(self) -> SharingState:
        state = self._engine.sharing.state
        fault = explain(state.fault) if state.fault is not None else ""
        return SharingState(state.on, state.met, fault, state.since, state.waiting)

    def observe(self, hear: Callable[[], object]) -> Callable[[], None]:
        return self._engine.sharing.observe(hear)

    async def test(self) -> str:
        address = self._address()

        link = Link(lambda: Server(address, read_password(self._engine.secrets, address)))
        try:
            version = await link.ask(lambda server: server.version)
        finally:
            link.close()
        self._engine.sharing.look()
        return version

    async def key(self) -> KeyState:
        secrets, name = self._engine.secrets, password_name(self._address())
        own = await secrets.get_async(name, environment=False)
        given = await asyncio.to_thread(lambda: read_password(secrets, self._address()))
        if given and not own:
            return KeyState("****", Place.ENVIRONMENT, ENVIRONMENT)
        place = await secrets.where_async(name, environment=False)
        where = str(secrets.file) if place is Place.FILE else ""
        return KeyState("****" if own else "", place, where)

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(password_name(self._address()), key)
        self._engine.sharing.look()

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(password_name(self._address()))

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.secrets.allow_file)

    def allow_plain(self) -> None:
        """The driver decides how it is encrypted, as the address says."""

    def _address(self) -> str:
        return self._engine.settings.settings.sharing.address
