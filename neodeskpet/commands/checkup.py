"""Looks at this computer: what the app needs to start, to remember and to show itself."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from neodeskpet import __version__
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.core.wording import N_
from neodeskpet.language import count_messages, say, tr, tr_count
from neodeskpet.live2d.files.catalog import ModelDescription
from neodeskpet.live2d.files.chosen import model_path
from neodeskpet.live2d.files.guard import PROBE_SECONDS, check_model
from neodeskpet.llm.catalog.file import CatalogFile
from neodeskpet.llm.trial.result import Outcome
from neodeskpet.memory.shared.faults import SharingFault
from neodeskpet.memory.shared.server import Server
from neodeskpet.memory.store import FILE_NAME as STORE_FILE
from neodeskpet.settings.secrets import ENVIRONMENT_KEY, Place, Secrets
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.sync_access import sync_access

_LITTLE = 200_000_000  # bytes
_UNLOCKING = 10.0  # seconds for a keyring that asks the person


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at, written for the person."""

    id: str
    title: str
    outcome: Outcome
    text: str = ""
    detail: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


async def check_up(
    home: Path, settings: SettingsStore, services: CatalogFile
) -> AsyncGenerator[Row, None]:
    """Each finding as it is made."""
    yield versions()
    yield check_folder(home)
    yield check_settings("settings", tr("Settings"), settings.fault)
    yield check_services(services, settings)
    yield await asyncio.to_thread(check_database, home / STORE_FILE)
    yield await check_keys(home)
    if settings.settings.sharing.address:
        yield await asyncio.to_thread(check_sync, settings, Secrets(home / SECRETS_FILE))
    yield check_display()
    for row in await check_companion(model_path(settings.settings), home / "cache"):
        yield row


def versions() -> Row:
    """What runs here."""
    facts = {
        "neodeskpet": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "qt": _installed("PySide6-Essentials"),
        "live2d": _installed("live2d-py"),
    }
    text = f"NeoDeskPet {__version__}, Python {facts['python']}, Qt {facts['qt']}"
    return Row("version", tr("Version"), Outcome.GOOD, text, str(facts["system"]), facts)


def check_folder(home: Path) -> Row:
    """Whether the data folder can be written and has room."""
    title = tr("Data folder")
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"x")
        free = shutil.disk_usage(home).free
    except OSError as error:
        return Row("folder", title, Outcome.FAILED, str(home), str(error))
    outcome = Outcome.FAULT if free < _LITTLE else Outcome.GOOD
    said = tr("{count} GB free", count=f"{free / 1e9:.1f}")
    return Row("folder", title, outcome, str(home), said, {"free": free})


def check_settings(row_id: str, title: str, fault: KnownError | None) -> Row:
    """A file of settings, of which its reader said what is wrong."""
    if fault is None:
        return Row(row_id, title, Outcome.GOOD, tr("readable"))
    return Row(row_id, title, Outcome.FAULT, *say(fault))


def check_services(file: CatalogFile, settings: SettingsStore) -> Row:
    """Where the model services come from."""
    title = tr("Model services")
    if file.fault is not None:
        return check_settings("services", title, file.fault)
    if file.catalog is not None:
        text = tr_count(N_("{count} model"), N_("{count} models"), len(file.catalog.models))
        return Row("services", title, Outcome.GOOD, text, str(file.path))
    service = settings.settings.service
    if service.protocol == "offline" or not service.base_url:
        return Row("services", title, Outcome.ABSENT, tr("none: the offline helper answers"))
    return Row("services", title, Outcome.GOOD, tr("as in the settings"))


def check_database(path: Path) -> Row:
    """Whether the conversations can be read; nothing is written."""
    title = tr("Conversations")
    if not path.exists():
        return Row("database", title, Outcome.ABSENT, tr("none yet"))
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    except sqlite3.Error as error:
        return Row("database", title, Outcome.FAILED, tr("can't be read"), str(error))
    if verdict != "ok":
        return Row("database", title, Outcome.FAILED, tr("damaged"), str(verdict))
    size = path.stat().st_size
    text = count_messages(count)
    facts = {"messages": count, "bytes": size}
    return Row("database", title, Outcome.GOOD, text, f"{size / 1e6:.1f} MB", facts)


async def check_keys(home: Path) -> Row:
    """Where keys are kept. No key is read."""
    title = tr("Keys")
    secrets = Secrets(home / SECRETS_FILE, environ={})
    try:
        place = await asyncio.wait_for(secrets.where_async(), _UNLOCKING)
    except TimeoutError:
        return Row("keys", title, Outcome.FAULT, tr("the keyring doesn't answer"))
    detail = tr("{name} is set", name=ENVIRONMENT_KEY) if os.environ.get(ENVIRONMENT_KEY) else ""
    text = {
        Place.KEYRING: tr("in the system's keyring"),
        Place.FILE: tr("in {file}", file=str(secrets.file)),
    }.get(place, tr("there is no keyring: in memory only"))
    outcome = Outcome.FAULT if place is Place.MEMORY else Outcome.GOOD
    return Row("keys", title, outcome, text, detail, {"place": place.value})


def check_sync(settings: SettingsStore, secrets: Secrets) -> Row:
    """Whether the sync server can be used as it is set. May block on a keyring."""
    title, address = tr("Sync"), settings.settings.sharing.address
    try:
        with closing(Server(address, sync_access(settings, secrets, address))) as server:
            text = tr("The server answers: PostgreSQL {version}.", version=server.version)
    except SharingFault as fault:
        return Row("sync", title, Outcome.FAILED, *say(fault))
    return Row("sync", title, Outcome.GOOD, text, address)


def check_display(environ: Mapping[str, str] | None = None, system: str = sys.platform) -> Row:
    """Whether there is a display to show the companion on."""
    title = tr("Display")
    variables = os.environ if environ is None else environ
    if not system.startswith("linux"):
        return Row("display", title, Outcome.GOOD, system)
    x11, wayland = variables.get("DISPLAY", ""), variables.get("WAYLAND_DISPLAY", "")
    if x11:
        return Row("display", title, Outcome.GOOD, f"X11 {x11}", wayland)
    if wayland:
        return Row("display", title, Outcome.FAILED, f"Wayland {wayland}", tr("without XWayland"))
    return Row("display", title, Outcome.ABSENT, tr("none"))


async def check_companion(path: Path, cache: Path) -> list[Row]:
    """Whether the figure passes every check the app makes, and whether it could be drawn."""
    title = tr("Companion")
    try:
        found = await check_model(path, cache, timeout=PROBE_SECONDS)
    except ModelFileError as error:
        return [Row("companion", title, Outcome.FAILED, *say(error))]
    text = tr(
        "{name}: {expressions} expressions, {motions} motions",
        name=found.name,
        expressions=str(len(found.expressions)),
        motions=str(sum(found.motions.values())),
    )
    dropped = [f"{one.file}: {one.reason}" for one in found.dropped]
    outcome = Outcome.FAULT if dropped else Outcome.GOOD
    return [Row("companion", title, outcome, text, "; ".join(dropped)), _drawing(found)]


def _drawing(found: ModelDescription) -> Row:
    """The trial of the figure drew it, if it could get a context without a window."""
    title = tr("Drawing (OpenGL)")
    if found.reach is not None:
        return Row("gl", title, Outcome.GOOD, tr("the figure could be drawn"))
    return Row("gl", title, Outcome.ABSENT, tr("can't be tried without a window here"))


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:  # a bundle may come without metadata
        return "?"
