"""Several computers of one user: stores connected by a PostgreSQL server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.server_connection import ServerConnection, ServerPosition
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from tests.support.postgres import PASSWORD


class OwnServer(ServerConnection):
    """Only the user can write to it, so its content is exactly what was sent. (Text from other
    servers is marked as untrusted.)
    """

    def position(self, token: str = "") -> ServerPosition:
        return replace(super().position(token), trusted=True)


class Computer:
    """A store with its connection to the server. Make one with `await Computer.open(…)`."""

    def __init__(self, store: SqliteStore, address: str, device: str, name: str) -> None:
        self.store = store
        self.address = address
        self.link = ConnectionThread(lambda: OwnServer(address, PASSWORD))
        self.exchange = SyncEngine([ConversationReplica(store)], self.link, device, name)

    @classmethod
    async def open(
        cls,
        address: str,
        name: str,
        path: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Computer:
        store = await SqliteStore.open(path, clock=clock)
        return cls(store, address, await ConversationReplica(store).start(), name)

    async def step(self) -> None:
        await self.exchange.sync()

    async def close(self) -> None:
        self.link.close()
        await self.store.aclose()


async def meet(*computers: Computer) -> None:
    """Until all have received everything."""
    for _ in range(2):
        for one in computers:
            await one.step()
