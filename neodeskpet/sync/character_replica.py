"""This computer's side of syncing characters: cards with their world books, portraits, and the
personas of figures.

They stay files, which people edit by hand (decision 099). `characters.db` holds only the log of
changes, and for each file its content at the last check: a file with another content was changed on
this computer, and a missing one was deleted here. A folder that is missing or cannot be listed is
ignored.

The card's extension for this app (`extensions.neodeskpet`) is converted: only the name of a figure
is sent, because its path differs between computers; the mark of untrusted text stays on this
computer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from neodeskpet.characters.cards.card_files import SIGNATURE
from neodeskpet.characters.cards.character_card import parse_json, read_tree
from neodeskpet.characters.character_library import FOLDER as CHARACTERS
from neodeskpet.characters.character_library import is_figure_name
from neodeskpet.characters.persona import OURS, read_persona
from neodeskpet.characters.persona_files import FOLDER as PERSONAS
from neodeskpet.core.data_labels import (
    DataSource,
    SourceKind,
    add_sources,
    read_sources,
    write_sources,
)
from neodeskpet.core.errors import StoreError
from neodeskpet.platform.private_files import TooLarge, is_copy, read_regular, write_private
from neodeskpet.settings.config_files import ConfigFile
from neodeskpet.storage import sync_log
from neodeskpet.storage.change_log import CHANGE_LOG_TABLES
from neodeskpet.storage.database import Database, DatabaseContent, open_or_in_memory
from neodeskpet.storage.database_schema import migrate
from neodeskpet.storage.sync_log import CARD_KINDS, RecordVersion, SyncRecord
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.local_replica import LocalReplica, count_both

T = TypeVar("T")
CHARACTERS_FILE = "characters.db"
MAX_CARD_BYTES, MAX_PORTRAIT_BYTES = 8_000_000, 2_000_000
"""Most bytes of a file. Larger ones are not sent, and count as set aside."""
_BATCH_RECORDS = 10
"""Records of one fetch; few, because each may be large."""
_PLAIN_NAME = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|.][^\x00-\x1f\x7f/\\:*?\"<>|]{0,79}")
"""Ids that are valid file names on every system."""
_SYNC = DataSource(SourceKind.SYNC)

_MIGRATIONS = {
    "001-files": f"""
        {CHANGE_LOG_TABLES}
        ALTER TABLE shared_self ADD COLUMN token TEXT NOT NULL DEFAULT '';
        CREATE TABLE files (
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            stamp TEXT NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
    """,
}


def _prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    migrate(connection, path, _MIGRATIONS)


_CONTENT = DatabaseContent(_prepare)


@dataclass(frozen=True, slots=True)
class _CharacterFolder:
    """The folder for files of a kind. They are named `{id}{suffix}`."""

    folder: Path
    suffix: str
    max_bytes: int

    def path(self, one: str) -> Path:
        """Return the path of a file. Raises ValueError for an id that is not a valid file name."""
        path = self.folder / f"{one}{self.suffix}"
        plain = _PLAIN_NAME.fullmatch(one) and not one.endswith((" ", "."))
        if not plain or is_copy(path) or len(one.encode("utf-8", "surrogatepass")) > 200:
            raise ValueError("its id is not a valid file name")
        return path

    def list_files(self) -> dict[str, str] | None:
        """Return a stamp for each id that changes with the file; None for an unreadable folder."""
        found = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or not entry.name.endswith(self.suffix):
                        continue
                    if not entry.is_file():
                        continue
                    if not is_copy(Path(entry.name)):
                        found[entry.name.removesuffix(self.suffix)] = _stamp(entry.stat())
        except OSError:
            return None
        return found

    def read(self, one: str) -> bytes | None:
        """Return the content, None if there is no file. Raises OSError, ValueError."""
        try:
            return read_regular(self.path(one), self.max_bytes)
        except FileNotFoundError:
            return None
        except TooLarge as error:
            raise ValueError(str(error)) from None


class CharacterReplica(LocalReplica):
    """Characters in sync. All coroutines raise only StoreError. Nothing is opened before `start`.
    `named` returns the name of the figure at a path. `changed` is called on the loop when another
    computer changed a file.
    """

    kinds = CARD_KINDS
    batch_size = _BATCH_RECORDS

    def __init__(
        self,
        home: Path,
        named: Callable[[Path], str] = lambda path: path.stem,
        *,
        required: bool = False,
        on_remote_change: Callable[[], object] = lambda: None,
    ) -> None:
        """`required`: raise StoreError if the log can't be opened; else it is kept in memory.
        `on_remote_change` is called after changes of another computer were written here.
        """
        self._on_remote_change = on_remote_change
        self._named = named
        self._places: Mapping[str, _CharacterFolder] = {
            "card": _CharacterFolder(home / CHARACTERS, ".json", MAX_CARD_BYTES),
            "portrait": _CharacterFolder(home / CHARACTERS, ".png", MAX_PORTRAIT_BYTES),
            "persona": _CharacterFolder(home / PERSONAS, ".json", MAX_CARD_BYTES),
        }
        self._unwritten = False
        """Whether writing a file failed in this step."""
        self._log = _LazyDatabase(home / CHARACTERS_FILE, required=required)
        super().__init__(self._log, sync_log.start_logging, self._read_record)

    async def start(self) -> str:
        await self._log.open()
        return await super().start()

    def wake(self) -> None:
        """Check the files soon, because one may have changed."""
        self._log.on_change()

    async def aclose(self) -> None:
        """Close the log. Idempotent."""
        await self._log.close()

    async def count_pending(self) -> int:
        return (await self.counts())[0]

    async def count_set_aside(self) -> int:
        return (await self.counts())[1]

    async def counts(self) -> tuple[int, int]:
        if not self._log.is_open:
            return 0, 0

        def work(connection: sqlite3.Connection) -> tuple[int, int]:
            self._scan(connection)
            return count_both(connection)

        return await self._log.change(work)

    async def collect_pending(self) -> list[SyncRecord]:
        """Return the first records to send."""

        def work(connection: sqlite3.Connection) -> list[SyncRecord]:
            self._scan(connection)
            return sync_log.collect_pending(connection, self._read_record)

        return await self._log.change(work)

    async def apply(
        self,
        records: Sequence[SyncRecord],
        cursor: int,
        *,
        more: bool = False,
        trusted: bool = False,
    ) -> AppliedChanges:
        """Write records of other computers; return their number. A file that cannot be written now
        counts as set aside and is fetched again in the next step; the others are written.
        """

        def work(connection: sqlite3.Connection) -> int:
            known = sync_log.read_self(connection)
            if known is None:
                return 0
            self._scan(connection)  # a change on this computer may be newer

            def take(record: SyncRecord) -> None:
                try:
                    self._take(connection, record, trusted=trusted)
                except OSError as error:
                    self._unwritten = True
                    raise ValueError(str(error)) from error

            count = sync_log.apply_records(connection, records, cursor, take)
            if self._unwritten:
                connection.execute("UPDATE shared_self SET cursor = ?", (known[2],))
                self._unwritten = more
            sync_log.resume_logging(connection)
            return count

        return AppliedChanges(count=await self._log.change(work))

    def notify(self, ids: Sequence[str]) -> None:
        self._on_remote_change()

    # What changed on this computer

    def _scan(self, connection: sqlite3.Connection) -> None:
        """Log the files that were changed or deleted since the last check."""
        if sync_log.read_self(connection) is None:
            return
        for kind, place in self._places.items():
            listed = place.list_files()
            if listed is None:
                continue
            query = "SELECT id, stamp, digest FROM files WHERE kind = ?"
            known = {one: row for one, *row in connection.execute(query, (kind,))}
            for one, stamp in listed.items():
                before = known.pop(one, ["", ""])
                if stamp != before[0]:
                    self._look_at(connection, kind, one, stamp, before[1])
            for one in known:
                self._note_missing(connection, kind, one)

    def _look_at(
        self, connection: sqlite3.Connection, kind: str, one: str, stamp: str, before: str
    ) -> None:
        digest = self._digest(kind, one) or stamp
        connection.execute("REPLACE INTO files VALUES (?, ?, ?, ?)", (kind, one, stamp, digest))
        if digest != before:
            sync_log.log_change(connection, kind, one, int(stamp.split()[0]) // 1000)

    def _digest(self, kind: str, one: str) -> str:
        """Return the digest of the file, "" if it cannot be read."""
        try:
            data = self._places[kind].read(one)
        except (OSError, ValueError):
            data = None
        return "" if data is None else hashlib.sha256(data).hexdigest()

    def _note_missing(self, connection: sqlite3.Connection, kind: str, one: str) -> None:
        """Log a missing file. A character is deleted permanently; a figure may get another persona,
        and an existing character another portrait.
        """
        card = self._places["card"]
        gone = kind == "card" or (kind == "portrait" and not (card.folder / f"{one}.json").exists())
        connection.execute("DELETE FROM files WHERE kind = ? AND id = ?", (kind, one))
        sync_log.log_change(connection, kind, one, time.time_ns() // 1000, gone=gone)

    # Records

    def _read_record(
        self,
        connection: sqlite3.Connection,
        kind: str,
        one: str,
        version: RecordVersion,
        _: str | None,
    ) -> SyncRecord | None:
        """Return the record of the current file. Raises ValueError for one that cannot be sent."""
        try:
            data = self._places[kind].read(one)
        except OSError as error:
            raise ValueError(str(error)) from error
        if data is None:
            return (
                None
                if kind == "card"
                else SyncRecord(kind, one, "", version, sync_log.encode_value(None))
            )
        return SyncRecord(
            kind, one, "", version, sync_log.encode_value(self._shared_form(kind, one, data))
        )

    def _shared_form(self, kind: str, one: str, data: bytes) -> object:
        """Return the value that is sent for a file. Raises ValueError."""
        if kind == "portrait":
            return base64.b64encode(_checked_picture(data)).decode()
        tree = _checked_tree(kind, one, data.decode("utf-8-sig"))
        ours = _own_extension(tree)
        figure = ours.get("figure")
        if isinstance(figure, str) and figure and not is_figure_name(figure):
            ours["figure"] = self._named(Path(figure).expanduser())
        origins = [source for source in read_sources(ours.get("untrusted")) if source != _SYNC]
        ours["untrusted"] = write_sources(origins)
        # The order of fields differs between the computers' files.
        return json.loads(json.dumps(_with_own_extension(tree, ours), sort_keys=True))

    def _take(self, connection: sqlite3.Connection, record: SyncRecord, *, trusted: bool) -> None:
        """Write the record into its file. If the file has changes that were not sent yet, it is
        copied first. Raises ValueError, TypeError or LookupError if the record is not valid, and
        OSError if the file cannot be written.
        """
        kind, one = record.kind, record.id
        path = self._places[kind].path(one)
        value = None if record.version.deleted else sync_log.decode_value(record.value)
        if value is None:
            if kind == ("persona" if record.version.deleted else "card"):
                raise ValueError("it cannot be deleted like this")
            ConfigFile(path, MAX_CARD_BYTES).remove()
        elif not self._is_same(record):
            if kind == "portrait":
                data = _decode_picture(value)
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_private(path, data)
            else:
                tree = self._local_form(kind, one, value, trusted=trusted)
                self._keep_unsent(connection, kind, one, path)
                _write_tree(ConfigFile(path, MAX_CARD_BYTES), tree)
        self._remember(connection, kind, one)

    def _is_same(self, record: SyncRecord) -> bool:
        """Return whether the file already has this content; then its formatting is kept."""
        try:
            data = self._places[record.kind].read(record.id)
            form = None if data is None else self._shared_form(record.kind, record.id, data)
        except (OSError, ValueError):
            return False
        return form is not None and sync_log.encode_value(form) == record.value

    def _keep_unsent(self, connection: sqlite3.Connection, kind: str, one: str, path: Path) -> None:
        query = "SELECT 1 FROM shared_known WHERE kind = ? AND id = ? AND waits <> 0"
        unsent = connection.execute(query, (kind, one)).fetchone() is not None
        if unsent and path.is_file():
            ConfigFile(path, MAX_CARD_BYTES).copy_broken()

    def _local_form(
        self, kind: str, one: str, value: object, *, trusted: bool
    ) -> dict[str, object]:
        """Return the values to write into the file. Raises ValueError."""
        text = json.dumps(value)
        if len(text) > MAX_CARD_BYTES:
            raise ValueError("it is too large")
        tree = _checked_tree(kind, one, text)
        ours = _own_extension(tree)
        figure = ours.pop("figure", None)
        if isinstance(figure, str) and (not figure or is_figure_name(figure)):
            ours["figure"] = self._figure_here(kind, one, figure)
        origins = read_sources(ours.get("untrusted"))
        ours["untrusted"] = write_sources(origins if trusted else add_sources(origins, (_SYNC,)))
        return _with_own_extension(tree, ours)

    def _figure_here(self, kind: str, one: str, name: str) -> str:
        """Return the path in this computer's card if it belongs to the figure with this name."""
        try:
            data = self._places[kind].read(one)
            before = {} if data is None else _own_extension(_checked_tree(kind, one, data.decode()))
        except (OSError, ValueError):
            before = {}
        figure = before.get("figure")
        if isinstance(figure, str) and figure and not is_figure_name(figure):
            return figure if self._named(Path(figure).expanduser()) == name else name
        return name

    def _remember(self, connection: sqlite3.Connection, kind: str, one: str) -> None:
        """Store the current digest, so that the file does not count as changed here."""
        try:
            stamp = _stamp(self._places[kind].path(one).stat())
        except FileNotFoundError:
            connection.execute("DELETE FROM files WHERE kind = ? AND id = ?", (kind, one))
            return
        row = (kind, one, stamp, self._digest(kind, one) or stamp)
        connection.execute("REPLACE INTO files VALUES (?, ?, ?, ?)", row)


def _stamp(status: os.stat_result) -> str:
    """Return a stamp that changes with each change of a file."""
    return f"{status.st_mtime_ns} {status.st_size}"


class _LazyDatabase:
    """The log, opened when sync starts. Raises StoreError."""

    def __init__(self, path: Path, *, required: bool) -> None:
        self._path = path
        self._required = required
        self._database: Database | None = None
        self.on_change: Callable[[], object] = lambda: None

    @property
    def is_open(self) -> bool:
        return self._database is not None

    async def open(self) -> None:
        if self._database is None:
            self._database, _ = await open_or_in_memory(
                self._path, _CONTENT, busy=5.0, watch=5.0, required=self._required
            )

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._opened().change(work)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await self._opened().read(work)

    def subscribe(self, tell: Callable[[], object]) -> None:
        """Do nothing: files change, not the log; `CharacterReplica.wake` notifies."""
        self.on_change = tell

    async def close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            await database.aclose()

    def _opened(self) -> Database:
        if self._database is None:
            raise StoreError("sync has not started")
        return self._database


def _write_tree(file: ConfigFile, tree: Mapping[str, object]) -> None:
    """Write values; comments, order and spacing of the file are kept. Raises OSError."""
    try:
        before = file.read()
    except FileNotFoundError:
        before = ""
    except ValueError:
        file.copy_broken()
        before = ""
    file.write_values(before, tree)


def _decode_picture(value: object) -> bytes:
    """Decode a picture. Raises ValueError, TypeError."""
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    try:
        return _checked_picture(base64.b64decode(value, validate=True))
    except binascii.Error as error:
        raise ValueError(str(error)) from error


def _checked_picture(data: bytes) -> bytes:
    """Check that the data is a portrait as this app makes them. Raises ValueError."""
    if not data.startswith(SIGNATURE) or len(data) > MAX_PORTRAIT_BYTES:
        raise ValueError("it is not a small PNG picture")
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if not 0 < width * height <= _MAX_PIXELS:
        raise ValueError("it has too many pixels")
    return data


_MAX_PIXELS = 4_000_000


def _checked_tree(kind: str, one: str, text: str) -> dict[str, Any]:
    """Parse a card or a persona. Raises ValueError for invalid content."""
    tree = parse_json(text)
    if kind == "persona":
        read_persona(text)
    else:
        tree = read_tree(tree, one).tree
    if not isinstance(tree, dict):
        raise ValueError("it is not a card")
    return tree


def _own_extension(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card's extension for this app."""
    found: Any = tree
    for key in ("data", "extensions", OURS):
        found = found.get(key) if isinstance(found, dict) else None
    return dict(found) if isinstance(found, dict) else {}


def _with_own_extension(tree: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Return the card with this extension for this app and without empty parts, so that equal cards
    have equal texts on all computers.
    """
    data = tree.get("data")
    if not isinstance(data, dict):
        return dict(tree)
    extensions = data.get("extensions")
    extensions = dict(extensions) if isinstance(extensions, dict) else {}
    kept = {key: value for key, value in ours.items() if key != "untrusted" or value}
    if kept:
        extensions[OURS] = kept
    else:
        extensions.pop(OURS, None)
    rest = {**data, "extensions": extensions}
    if not extensions:
        del rest["extensions"]
    return {**tree, "data": rest}
