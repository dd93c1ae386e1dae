"""`neodeskpet store move --to ADDRESS|sqlite`: share conversations and memory over a server, or
have them on this computer alone again.

What is on the way when it is cut off goes on the next time. Before anything is changed the files
are copied; the copies stay beside them. Exit codes: 0 well, 1 it could not be done, 2 wrong usage,
130 when stopped.
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
from pathlib import Path

from neodeskpet.commands.terminal import STOPPED, ProgressLine, add_data_dir, home_of
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.database.file import copy_whole, new_part
from neodeskpet.files import sync_file, sync_folder
from neodeskpet.language import advise, explain, say, tr
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.tables import FILE_NAME as MEMORY_FILE
from neodeskpet.memory.shared.address import check_address
from neodeskpet.memory.shared.exchange import Exchange, Link
from neodeskpet.memory.shared.faults import (
    AddressHoldsPassword,
    AddressUnfit,
    DriverMissing,
    SharingFault,
)
from neodeskpet.memory.shared.memory import SharedMemory
from neodeskpet.memory.shared.server import Server
from neodeskpet.memory.store import FILE_NAME as STORE_FILE
from neodeskpet.memory.store import SqliteStore
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.shared_password import ENVIRONMENT, read_password
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore

HERE = "sqlite"


_AGAIN = N_("Nothing was switched. Run the same command again when the server is usable.")


class ServerFailed(Exception):
    """The server failed while data was moved. The hints of a SharingFault are about an app that
    runs and sends later; a command doesn't.
    """

    def __init__(self, fault: SharingFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class MoveUnproven(SharingFault):
    code = "move_unproven"
    what = N_("Not all is the same here and on the server: {same} of {here} here, {there} there.")
    hint = N_("Nothing was switched. Close NeoDeskPet on all computers, then try again.")


class SharedNowhere(SharingFault):
    code = "shared_nowhere"
    what = N_("Everything is on this computer alone already.")
    hint = N_("To share it: neodeskpet store move --to postgresql://name@computer/database")


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    try:
        words = _parser().parse_args(argv)
    except SystemExit as ended:  # argparse has said what is wrong
        return int(ended.code or 0)
    try:
        asyncio.run(_move(home_of(words.data_dir), words.to))
    except ServerFailed as error:
        print(advise(say(error.fault)[0], tr(_AGAIN)), file=sys.stderr)
        return 1
    except KnownError as error:
        print(explain(error), file=sys.stderr)
        return 1
    except OSError as error:
        print(tr("The file could not be written."), error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(tr("Nothing was switched. The same command goes on from here."), file=sys.stderr)
        return STOPPED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet store", description=tr("Where conversations and memory are.")
    )
    words = parser.add_subparsers(dest="word", required=True)
    moved = words.add_parser(
        "move",
        help=tr("share them over a PostgreSQL server, or have them here alone again"),
        description=tr("The password is read from the keyring, or from {name}.", name=ENVIRONMENT),
    )
    moved.add_argument(
        "--to",
        required=True,
        metavar="ADDRESS|sqlite",
        help="postgresql://name@computer/database",
    )
    add_data_dir(moved)
    return parser


async def _move(home: Path, to: str) -> None:
    settings = SettingsStore(home / SETTINGS_FILE)
    address = settings.settings.sharing.address if to == HERE else check_address(to)
    if not address:
        raise SharedNowhere
    password = read_password(Secrets(home / SECRETS_FILE), address)
    link = Link(lambda: Server(address, password))
    try:
        await link.ask(lambda server: server.id)  # nothing is copied for a server that is unusable
        await asyncio.to_thread(_back_up, home)
        await _exchange(home, settings, link, address, to)
    except (MoveUnproven, AddressUnfit, AddressHoldsPassword, DriverMissing):
        raise
    except SharingFault as fault:
        raise ServerFailed(fault) from fault
    finally:
        link.close()
        settings.close()


async def _exchange(home: Path, settings: SettingsStore, link: Link, address: str, to: str) -> None:
    """Send and fetch until both sides are the same, then switch. Raises StoreError."""
    store = await SqliteStore.open(home / STORE_FILE, required=True)
    memory = await MemoryBook.open(home / MEMORY_FILE, required=True)
    try:
        for fault in (store.fault, memory.fault):
            if fault is not None:
                raise fault
        remembered = SharedMemory(memory.facts.file, memory.tell_shared)
        device, _ = await store.shared.begin(), await remembered.begin()
        with ProgressLine() as line:
            name = socket.gethostname()
            sides = (store.shared, remembered)
            exchange = Exchange(sides, link, device, name, progress=line.show)
            await exchange.step()
            found = await exchange.compare()
            if not found.well:
                await exchange.look_again()
                found = await exchange.compare()
        if not found.well:
            counts = {"here": found.here, "there": found.there, "same": found.same}
            raise MoveUnproven(**{name: str(count) for name, count in counts.items()})
        settings.change("sharing", "address", "" if to == HERE else address)
        print(tr("The same here and there: {count} entries.", count=str(found.same)))
        if to == HERE:
            print(tr("Everything is on this computer alone now. The server keeps what it has."))
        else:
            print(tr("From now on this computer keeps in step with {address}.", address=address))
    finally:
        await memory.close()
        await store.close()


def _back_up(home: Path) -> None:
    """Copies of the files, which deletions reach like the files themselves. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for name in (STORE_FILE, MEMORY_FILE):
        path = home / name
        if path.exists():
            part = new_part(path)
            try:
                with closing(sqlite3.connect(path)) as connection:
                    copy_whole(connection, part)
            except sqlite3.Error as error:
                raise OSError(str(error)) from error
            copy = path.with_name(f"{path.stem}.before-move-{stamp}{path.suffix}")
            sync_file(part)
            part.replace(copy)
            sync_folder(home)
            print(tr("A copy lies in {file}.", file=str(copy)))
