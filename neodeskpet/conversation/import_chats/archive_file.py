"""Reads an archive on disk: a zip file, or its unpacked JSON files.

It is read piece by piece and never extracted to a path.
"""

from __future__ import annotations

import base64
import re
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from neodeskpet.conversation.import_chats import claude_archive
from neodeskpet.conversation.import_chats.archive_formats import is_session, read_item, read_session
from neodeskpet.conversation.import_chats.format_helpers import list_of, objects_of, text_of
from neodeskpet.conversation.import_chats.json_streams import (
    HEAD_LINES,
    JsonItem,
    JsonItemSplitter,
    JsonLines,
    is_json_lines,
)
from neodeskpet.conversation.import_chats.thread_builder import ImportedThread
from neodeskpet.core.json_text import TooDeep, read_json

LIST_NAME = re.compile(r"conversations([-_]?\d+)?\.json", re.IGNORECASE)


def archive_parts(path: Path) -> list[Path]:
    """Return the conversation files that belong together with `path`: numbered files form one
    archive, any other file is alone. Raises OSError.
    """
    found = LIST_NAME.fullmatch(path.name)
    if found is None or not found[1]:
        return [path]
    beside = (one for one in files_in_folder(path) if LIST_NAME.fullmatch(one.name))
    return sorted({path, *(one for one in beside if one.stem != "conversations")})


def files_in_folder(path: Path) -> list[Path]:
    """Return the regular files in the folder. Links are skipped: the author of an archive must not
    choose which files of this computer are read. Raises OSError.
    """
    if LIST_NAME.fullmatch(path.name) is None:
        return []
    return [one for one in path.parent.iterdir() if not one.is_symlink() and one.is_file()]


_CHUNK_BYTES = 1 << 18
_MAX_ITEM_BYTES = 48_000_000
"""Bytes of a conversation."""
_MAX_BACKUP_BYTES = 200_000_000
"""Bytes of a backup that is one object with all its conversations."""
_BACKUP_NAME = "data.json"
_HEAD_BYTES = 1 << 16
_MAX_DEPTH = 150
_MAX_ARCHIVE_BYTES = 6_000_000_000
"""The largest unpacked size of all conversations, in bytes."""
_MAX_COMPRESSION_RATIO = 120
_UNCHECKED_RATIO_BYTES = 50_000_000
"""Files smaller than this are not checked for decompression bombs."""
_MAX_SMALL_BYTES = 32_000_000
_MAX_FILE_BYTES = 60_000_000
_FILE_ID = re.compile(r"file[-_][A-Za-z0-9]+")
_TEXT_NAME = re.compile(
    r"\.(txt|md|markdown|csv|tsv|json|ya?ml|toml|py|js|ts|html?|css|xml|log|sql|c|h|cpp|rs|go|java|sh)$",
    re.I,
)
_ARCHIVE_NAME = re.compile(r"\.(zip|7z|rar|tar|tgz|gz|bz2|xz)$", re.I)
_READ_ERRORS = (
    OSError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
)
"""Exceptions of reading a damaged archive, besides those of the decoders."""


class ArchiveRefused(Exception):
    """The file can't be read as an archive: `args[0]` is the reason (a key of
    `archive_reader.REFUSAL_REASONS`).
    """


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item that couldn't be read: its title or position, and the reason (a key of
    `archive_reader.REFUSAL_REASONS`).
    """

    item: str
    reason: str


FoundItem = ImportedThread | SkippedItem


class Archive:
    """An open archive. Raises ArchiveRefused and OSError. `progress` is the share that
    `conversations` has read; `unknown_kinds` counts unknown kinds of content.
    """

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise ArchiveRefused("unreadable")
        self._path = path
        self._beside = {one.name: one for one in files_in_folder(path)}
        self._zip = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
        self._whole_time = path.stat().st_mtime
        self._lists = self._find_lists()
        self._sizes = [self._size(name) for name in self._lists]
        if sum(self._sizes) > _MAX_ARCHIVE_BYTES:
            raise ArchiveRefused("large")
        self._read = 0
        self.unknown_kinds: Counter[str] = Counter()
        self._project_rows = objects_of(self._small("projects.json"))
        self._projects = claude_archive.read_projects(self._project_rows)
        self._files = self._find_files()

    @property
    def progress(self) -> float:
        return min(1.0, self._read / max(1, sum(self._sizes)))

    def conversations(self) -> Iterator[FoundItem | None]:
        """Yield all conversations from the beginning; None from time to time if it takes long."""
        self._read = 0
        self.unknown_kinds.clear()
        place = 0
        for name in self._lists:
            if self._is_lines(name):
                yield from self._session(name)
                continue
            for found in self._items(name):
                if found is None:
                    yield None
                    continue
                place += 1
                yield from self._of(found, place)
        for row in self._project_rows:
            project = claude_archive.read_project(row, self._made())
            if project is not None:
                yield project
        for inner in self._inner_archives():
            yield SkippedItem(inner, "inner_archive")
        memories = self._small("memories.json")
        told = (
            claude_archive.read_memories(memories, self._made(), self._projects)
            if memories
            else None
        )
        if told is not None:
            yield told

    def file(self, pointer: str) -> tuple[str, bytes] | None:
        """Return the name and content of a picture or a file that a conversation names."""
        if pointer.startswith("data:"):
            return _data_url_content(pointer)
        found = _FILE_ID.match(pointer.rpartition("/")[2])
        name = self._files.get(found[0]) if found is not None else None
        if name is None:
            return None
        try:
            return _base_name(name), self._read_file(name, _MAX_FILE_BYTES)
        except _READ_ERRORS:
            return None
        except Exception:  # noqa: BLE001 - each of the decoders that zipfile uses has errors of its own
            return None

    def text(self, pointer: str) -> str:
        """Return the content of a text file, "" for any other."""
        found = self.file(pointer)
        if found is None or not _TEXT_NAME.search(found[0]) or b"\0" in found[1]:
            return ""
        return found[1].decode("utf-8", "replace")

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    # Inside

    def _find_lists(self) -> list[str]:
        if self._zip is None:
            return [one.name for one in archive_parts(self._path)]
        infos = _conversations(self._zip.infolist())
        if not infos:
            raise ArchiveRefused("inner_archive" if self._inner_archives() else "foreign")
        for info in infos:
            if info.flag_bits & 1:
                raise ArchiveRefused("encrypted")
            packed = max(1, info.compress_size)
            if (
                info.file_size > _UNCHECKED_RATIO_BYTES
                and info.file_size / packed > _MAX_COMPRESSION_RATIO
            ):
                raise ArchiveRefused("bomb")
        return sorted(one.filename for one in infos)

    def _inner_archives(self) -> list[str]:
        if self._zip is None:  # other files in the same folder are not part of the archive
            return []
        return [name for name in self._names() if _ARCHIVE_NAME.search(name)]

    def _find_files(self) -> Mapping[str, str]:
        """Map the names used in conversations to the archive's files."""
        found: dict[str, str] = {}
        for name in self._names():
            named = _FILE_ID.match(_base_name(name))
            if named is not None:
                found.setdefault(named[0], name)
        return found

    def _names(self) -> list[str]:
        return [*self._beside] if self._zip is None else self._zip.namelist()

    def _size(self, name: str) -> int:
        if self._zip is None:
            return self._path.with_name(name).stat().st_size
        return self._zip.getinfo(name).file_size

    def _read_file(self, name: str, most: int) -> bytes:
        """Return a file of at most `most` bytes. Raises ValueError for a larger or
        encrypted one.
        """
        if self._size(name) > most or (self._zip and self._zip.getinfo(name).flag_bits & 1):
            raise ValueError(name)
        with self._open(name) as file:
            return file.read(most)

    def _made(self) -> float:
        return self._whole_time

    def _open(self, name: str) -> IO[bytes]:
        return self._path.with_name(name).open("rb") if self._zip is None else self._zip.open(name)

    def _is_lines(self, name: str) -> bool:
        if name.lower().endswith(".jsonl"):
            return True
        try:
            with self._open(name) as source:
                return is_json_lines(source.read(_HEAD_BYTES))
        except _READ_ERRORS:
            return False
        except Exception:  # noqa: BLE001 - the decoders' own, which reading the items will meet too
            return False

    def _session(self, name: str) -> Iterator[FoundItem | None]:
        """Yield the conversation of a JSON lines file."""
        lines = JsonLines(_MAX_ITEM_BYTES)
        rows: list[dict[str, Any]] = []
        before, size = self._read, 0
        try:
            with self._open(name) as source:
                for row in lines.read(source):
                    self._read = before + lines.bytes_read
                    size = lines.bytes_read
                    if row is None:
                        yield None
                    elif len(rows) < HEAD_LINES or is_session(rows[:HEAD_LINES]):
                        rows.append(row)
                    if size > _MAX_BACKUP_BYTES:
                        yield SkippedItem(_base_name(name), "item_large")
                        return
        except _READ_ERRORS:
            yield SkippedItem(_base_name(name), "item_broken")
        if not is_session(rows[:HEAD_LINES]):
            yield SkippedItem(_base_name(name), "item_foreign")
            return
        stem = PurePosixPath(name).stem
        thread = read_session(rows, rows[:HEAD_LINES], self.unknown_kinds, stem, self._made())
        yield thread if thread.rows else SkippedItem(_base_name(name), "item_empty")
        if lines.invalid_lines:
            yield SkippedItem(f"{_base_name(name)}: {lines.invalid_lines}", "item_lines")

    def _items(self, name: str) -> Iterator[JsonItem | None]:
        items = JsonItemSplitter(_MAX_ITEM_BYTES, _MAX_DEPTH, _MAX_BACKUP_BYTES)
        try:
            with self._open(name) as source:
                while (chunk := source.read(_CHUNK_BYTES)) and not items.ended:
                    self._read += len(chunk)
                    found = items.feed(chunk)
                    yield from found or (None,)
        except _READ_ERRORS:
            yield JsonItem(b"{", 0)
        except Exception as error:
            if not type(error).__module__.startswith(("zlib", "lzma", "bz2")):
                raise
            yield JsonItem(b"{", 0)
        yield from items.finish()

    def _of(self, item: JsonItem, place: int) -> Iterator[FoundItem]:
        if item.data is None:
            yield SkippedItem(f"#{place}", "item_large")
            return
        try:
            value = read_json(item.data.decode("utf-8", "replace"), depth=_MAX_DEPTH + 2)
            yield from self._threads(value, place)
        except TooDeep:
            yield SkippedItem(f"#{place}", "item_large")
        except MemoryError:
            yield SkippedItem(f"#{place}", "item_large")
        except (ValueError, RecursionError):
            yield SkippedItem(f"#{place}", "item_broken")

    def _threads(self, value: object, place: int) -> Iterator[FoundItem]:
        waiting = deque([value])
        while waiting:
            one = waiting.popleft()
            if not isinstance(one, dict):
                yield SkippedItem(f"#{place}", "item_foreign")
            elif (
                threads := read_item(one, self.unknown_kinds, self._projects, self._made())
            ) is not None:
                for thread in threads:
                    yield _with_place(thread, place)
            elif isinstance(one.get("conversations"), list):
                waiting.extend(one["conversations"])
            else:
                named = text_of(one.get("title")) or text_of(one.get("name"))
                yield SkippedItem(named[:80] or f"#{place}", "item_foreign")

    def _small(self, name: str) -> Any:
        """Return one of the small files beside the conversations, None if it can't be read."""
        for one in self._names():
            if _base_name(one) == name:
                try:
                    return list_of(
                        read_json(self._read_file(one, _MAX_SMALL_BYTES).decode("utf-8", "replace"))
                    )
                except (ValueError, RecursionError, OSError, zipfile.BadZipFile, RuntimeError):
                    return None
                except Exception:  # noqa: BLE001 - as above; what stands in it is only names
                    return None
        return None


def _conversations(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the files with conversations: lists, otherwise a backup, otherwise sessions, otherwise
    any JSON.
    """
    for fits in (
        lambda name: LIST_NAME.fullmatch(name) is not None,
        lambda name: name == _BACKUP_NAME,
        lambda name: name.lower().endswith(".jsonl"),
        lambda name: name.lower().endswith(".json"),
    ):
        found = [one for one in infos if fits(_base_name(one.filename))]
        if found:
            return found
    return []


def _data_url_content(address: str) -> tuple[str, bytes] | None:
    """Return the content of a `data:` URL."""
    kind, _, data = address.partition(";base64,")
    try:
        return kind.rpartition("/")[2][:20], base64.b64decode(data, validate=True)
    except ValueError:
        return None


def _with_place(thread: ImportedThread, place: int) -> FoundItem:
    return thread if thread.rows else SkippedItem(thread.title or f"#{place}", "item_empty")


def _base_name(name: str) -> str:
    return PurePosixPath(name).name


def fill_pointers(thread: ImportedThread, ask: Callable[[dict[str, Any]], None]) -> None:
    """Call `ask` for each block that names a file of the archive."""
    for row in thread.rows:
        for block in row["blocks"]:
            if "pointer" in block:
                ask(block)
