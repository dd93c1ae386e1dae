"""Sends what a terminal command changed to the sync server: the app may not run for days."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.core.errors import StoreError
from neodeskpet.language import format_error, tr
from neodeskpet.memory.recall.book import MemoryStore
from neodeskpet.memory.shared.exchange import ConnectionThread, Replica, SyncEngine
from neodeskpet.memory.shared.memory import MemoryReplica
from neodeskpet.memory.shared.server import ServerConnection
from neodeskpet.memory.store import SqliteStore
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.sync_access import access_from_settings

_SEND_TIMEOUT = 2.0
"""Seconds that a command may take longer because of sync."""


async def send_changes(home: Path, store: SqliteStore, memory: MemoryStore) -> None:
    """Prints how many changes could not be sent in time. Does nothing while sync is off."""
    settings = SettingsStore(home / SETTINGS_FILE)
    address = settings.settings.sharing.address
    sides = (store.replica, MemoryReplica(memory.facts.file, memory.apply_remote_changes))
    if not address or not await _count_pending(sides):
        settings.close()
        return
    link = ConnectionThread(
        lambda: ServerConnection(
            address, access_from_settings(settings, Secrets(home / SECRETS_FILE), address)
        )
    )
    reason = ""
    try:
        device, *_ = [await side.start() for side in sides]
        async with asyncio.timeout(_SEND_TIMEOUT):
            await SyncEngine(sides, link, device, socket.gethostname()).send()
    except TimeoutError:
        pass
    except StoreError as error:
        reason = format_error(error)
    finally:
        link.close()
        settings.close()
    if waiting := await _count_pending(sides):
        count = tr("Changes to be sent to your other computers: {count}.", count=str(waiting))
        print(f"{count} {reason}".strip(), file=sys.stderr)


async def _count_pending(sides: Sequence[Replica]) -> int:
    return sum([await side.count_pending() for side in sides])
