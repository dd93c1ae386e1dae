"""`neodeskpet store`: `move --to ADDRESS|sqlite` turns sync on or off, `delete` deletes everything
on the server. An interrupted move is continued by the next one. The files are copied before
anything is changed. `send_changes` sends the changes of another command at once, because the app
may not run for days.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from neodeskpet.cli.terminal import STOPPED, ProgressLine, add_data_dir, data_folder, parse_words
from neodeskpet.core.errors import KnownError, StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.figure.files.model_reader import name_at
from neodeskpet.language import format_error, join_hint, tr, translate_error
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.platform.private_files import sync_file, sync_folder
from neodeskpet.settings.secrets import ENVIRONMENT, PASSPHRASE_ENVIRONMENT, Secrets
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.database_file import copy_database, create_partial
from neodeskpet.sync.character_replica import CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.server_connection import ServerConnection, delete_server_data
from neodeskpet.sync.sync_engine import ConnectionThread, Replica, SyncEngine
from neodeskpet.sync.sync_errors import (
    AddressHoldsPassword,
    DriverMissing,
    InvalidAddress,
    PassphraseMissing,
    PassphraseWrong,
    ServerNotEncrypted,
    SyncError,
    check_address,
)
from neodeskpet.sync.sync_service import access_from_settings

_SEND_TIMEOUT = 2.0
"""Seconds by which sync may delay a command."""


async def send_changes(home: Path, store: SqliteStore, memory: MemoryStore) -> None:
    """Send changes, and print how many could not be sent in time. Does nothing while sync
    is off.
    """
    settings = SettingsStore(home / SETTINGS_FILE)
    address = settings.settings.sharing.address
    sides = (
        ConversationReplica(store),
        MemoryReplica(memory.facts.file, memory.apply_remote_changes),
    )
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
        count = tr(
            "Changes that still have to be sent to your other computers: {count}.",
            count=str(waiting),
        )
        print(f"{count} {reason}".strip(), file=sys.stderr)


async def _count_pending(sides: Sequence[Replica]) -> int:
    return sum([await side.count_pending() for side in sides])


LOCAL_ADDRESS = "sqlite"


_RETRY_HINT = N_("Nothing was changed. Run the same command again when the server is available.")


_OWN_HINTS = (
    InvalidAddress,
    AddressHoldsPassword,
    DriverMissing,
    PassphraseMissing,
    PassphraseWrong,
    ServerNotEncrypted,
)
"""Errors whose hints say what to do before the command is run again."""


class ServerFailed(Exception):
    """The server failed while data was moved. The hint of a SyncError describes an app that sends
    the changes later, which a command doesn't do.
    """

    def __init__(self, fault: SyncError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class MoveNotVerified(SyncError):
    code = "move_unproven"
    what = N_(
        "This computer and the server differ: {same} of {here} entries are on both, {there} there."
    )
    hint = N_("Nothing was changed. Close NeoDeskPet on all computers, then try again.")


class SyncIsOff(SyncError):
    code = "shared_nowhere"
    what = N_("Sync is off on this computer.")
    hint = N_("To turn it on: neodeskpet store move --to postgresql://name@computer/database")


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    try:
        home = data_folder(words.data_dir)
        if words.word == "delete":
            asyncio.run(_delete(home, words.address))
        else:
            asyncio.run(_move(home, words.to))
    except ServerFailed as error:
        print(join_hint(translate_error(error.fault)[0], tr(_RETRY_HINT)), file=sys.stderr)
        return 1
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1
    except OSError as error:
        print(tr("The file could not be written."), error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(tr("Nothing was changed. Run the same command again to continue."), file=sys.stderr)
        return STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet store", description=tr("Sync between several computers.")
    )
    secrets = tr(
        "The password is read from the keyring or from {password}, the passphrase (if you want "
        "encryption) from the keyring or from {passphrase}.",
        password=ENVIRONMENT,
        passphrase=PASSPHRASE_ENVIRONMENT,
    )
    words = parser.add_subparsers(dest="word", required=True)
    moved = words.add_parser(
        "move",
        help=tr("turn sync through a PostgreSQL server on or off"),
        description=secrets,
    )
    moved.add_argument(
        "--to",
        required=True,
        metavar="ADDRESS|sqlite",
        help="postgresql://name@computer/database",
    )
    add_data_dir(moved)
    deleted = words.add_parser(
        "delete",
        help=tr("delete everything on the server; the data on this computer is kept"),
        description=secrets,
    )
    deleted.add_argument(
        "--address", metavar="ADDRESS", default="", help=tr("another server than the current one")
    )
    deleted.add_argument("--yes", action="store_true", required=True)
    add_data_dir(deleted)
    return parser


async def _delete(home: Path, given: str) -> None:
    """Delete everything on the server. Then sync is off on this computer; other computers stop with
    a message.
    """
    settings = SettingsStore(home / SETTINGS_FILE)
    try:
        current = settings.settings.sharing.address
        address = check_address(given) if given else current
        if not address:
            raise SyncIsOff
        await asyncio.to_thread(_delete_on_server, address, settings, home)
        if address == current:
            settings.change("sharing", "address", "")
    finally:
        settings.close()
    print(tr("Everything on the server was deleted. The data on this computer is kept."))


def _delete_on_server(address: str, settings: SettingsStore, home: Path) -> None:
    access = access_from_settings(settings, Secrets(home / SECRETS_FILE), address)
    delete_server_data(address, access)


async def _move(home: Path, to: str) -> None:
    settings = SettingsStore(home / SETTINGS_FILE)
    address = settings.settings.sharing.address if to == LOCAL_ADDRESS else check_address(to)
    if not address:
        raise SyncIsOff
    secrets = Secrets(home / SECRETS_FILE)
    access = replace(
        access_from_settings(settings, secrets, address), allow_restart=to != LOCAL_ADDRESS
    )
    link = ConnectionThread(lambda: ServerConnection(address, access))
    try:
        await link.run(lambda server: server.id)  # check the server before copying anything
        await asyncio.to_thread(_back_up, home)
        await _sync_until_equal(home, settings, link, address, to)
    except (*_OWN_HINTS, MoveNotVerified):
        raise
    except SyncError as fault:
        raise ServerFailed(fault) from fault
    finally:
        link.close()
        settings.close()


async def _sync_until_equal(
    home: Path, settings: SettingsStore, link: ConnectionThread, address: str, to: str
) -> None:
    """Sync until both sides are equal, then switch. Raises StoreError."""
    store = await SqliteStore.open(home / STORE_FILE, required=True)
    memory = await MemoryStore.open(home / MEMORY_FILE, required=True)
    notebook = await Notebook.open(home / NOTEBOOK_FILE, required=True)
    characters = CharacterReplica(home, name_at, required=True)
    try:
        for fault in (store.fault, memory.fault, *notebook.faults):
            if fault is not None:
                raise fault
        sides = (
            ConversationReplica(store),
            MemoryReplica(memory.facts.file, memory.apply_remote_changes),
            NotebookReplica(notebook, lambda: None),
            characters,
        )
        device, *_ = [await side.start() for side in sides]
        with ProgressLine() as line:
            name = socket.gethostname()
            exchange = SyncEngine(sides, link, device, name, progress=line.show)
            await exchange.sync()
            found = await exchange.compare()
            if not found.is_equal:
                await exchange.sync_all()
                found = await exchange.compare()
        if not found.is_equal:
            counts = {"here": found.local, "there": found.remote, "same": found.same}
            raise MoveNotVerified(**{name: str(count) for name, count in counts.items()})
        settings.change("sharing", "address", "" if to == LOCAL_ADDRESS else address)
        print(tr("On this computer and on the server: {count} entries.", count=str(found.same)))
        if to == LOCAL_ADDRESS:
            print(tr("Sync is off. The data on the server is kept."))
        else:
            print(tr("Sync is on: {address}", address=address))
    finally:
        await characters.aclose()
        await notebook.aclose()
        await memory.aclose()
        await store.aclose()


def _back_up(home: Path) -> None:
    """Copy the files. Permanent deletions are applied to the copies too. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for name in (STORE_FILE, MEMORY_FILE, NOTEBOOK_FILE):
        path = home / name
        if path.exists():
            part = create_partial(path)
            try:
                with closing(sqlite3.connect(path)) as connection:
                    copy_database(connection, part)
            except sqlite3.Error as error:
                raise OSError(str(error)) from error
            copy = path.with_name(f"{path.stem}.before-move-{stamp}{path.suffix}")
            sync_file(part)
            part.replace(copy)
            sync_folder(home)
            print(tr("A copy is in {file}.", file=str(copy)))
