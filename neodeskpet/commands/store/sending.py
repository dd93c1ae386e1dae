"""Sends what a terminal command changed to the sync server: the app may not run for days."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.core.errors import StoreError
from neodeskpet.language import explain, tr
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.shared.exchange import Exchange, Link, Side
from neodeskpet.memory.shared.memory import SharedMemory
from neodeskpet.memory.shared.server import Server
from neodeskpet.memory.store import SqliteStore
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.sync_access import sync_access

_WITHIN = 2.0
"""Seconds that a command may take longer because of sync."""


async def send_changes(home: Path, store: SqliteStore, memory: MemoryBook) -> None:
    """Prints how many changes could not be sent in time. Does nothing while sync is off."""
    settings = SettingsStore(home / SETTINGS_FILE)
    address = settings.settings.sharing.address
    sides = (store.shared, SharedMemory(memory.facts.file, memory.tell_shared))
    if not address or not await _waiting(sides):
        settings.close()
        return
    link = Link(
        lambda: Server(address, sync_access(settings, Secrets(home / SECRETS_FILE), address))
    )
    reason = ""
    try:
        device, *_ = [await side.begin() for side in sides]
        async with asyncio.timeout(_WITHIN):
            await Exchange(sides, link, device, socket.gethostname()).send()
    except TimeoutError:
        pass
    except StoreError as error:
        reason = explain(error)
    finally:
        link.close()
        settings.close()
    if waiting := await _waiting(sides):
        count = tr("Changes to be sent to your other computers: {count}.", count=str(waiting))
        print(f"{count} {reason}".strip(), file=sys.stderr)


async def _waiting(sides: Sequence[Side]) -> int:
    return sum([await side.waiting() for side in sides])
