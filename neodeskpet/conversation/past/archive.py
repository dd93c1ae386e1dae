"""An archive as it lies on the disk: a zip, or the JSON out of it with what was unpacked beside it.
Read piece by piece; nothing of it is ever unpacked to a path.
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

from neodeskpet.conversation.past import claude
from neodeskpet.conversation.past.fields import list_in, rows_in, text_in
from neodeskpet.conversation.past.items import Item, Items
from neodeskpet.conversation.past.lines import FIRST, LineReader, are_lines
from neodeskpet.conversation.past.sources import is_session, read_item, read_session
from neodeskpet.conversation.past.thread import Thread
from neodeskpet.conversation.past.unpacked import LIST, files_beside, parts_of
from neodeskpet.core.json_text import TooDeep, read_json

_CHUNK = 1 << 18
_LONGEST = 48_000_000
"""Bytes of a conversation."""
_BACKUP = 200_000_000
"""Bytes of a backup that is one object with all its conversations."""
_BACKUP_NAME = "data.json"
_HEAD = 1 << 16
_DEEPEST = 150
_LARGEST = 6_000_000_000
"""Bytes that the conversations unpack to."""
_RATIO = 120
_SURE = 50_000_000
"""Below so many bytes nothing is a bomb."""
_SMALL = 32_000_000
_FILE = 60_000_000
_OWN_ID = re.compile(r"file[-_][A-Za-z0-9]+")
_TEXT = re.compile(
    r"\.(txt|md|markdown|csv|tsv|json|ya?ml|toml|py|js|ts|html?|css|xml|log|sql|c|h|cpp|rs|go|java|sh)$",
    re.I,
)
_ARCHIVE = re.compile(r"\.(zip|7z|rar|tar|tgz|gz|bz2|xz)$", re.I)
_BROKEN = (
    OSError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
)
"""What reading a file of a damaged archive raises, beside the decoders' own."""


class Refused(Exception):
    """The file as a whole is no archive that can be read: `args[0]` says why (`reader.REASONS`)."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in it that couldn't be read: which (its title, or its place in the file), and why
    (`reader.REASONS`).
    """

    what: str
    why: str


Found = Thread | Skipped


class Archive:
    """Raises Refused and OSError. `done` is the share that `conversations` has gone through;
    `unknown` counts kinds of content that nobody here knows.
    """

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise Refused("unreadable")
        self._path = path
        self._beside = {one.name: one for one in files_beside(path)}
        self._zip = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
        self._whole_time = path.stat().st_mtime
        self._lists = self._find_lists()
        self._sizes = [self._size(name) for name in self._lists]
        if sum(self._sizes) > _LARGEST:
            raise Refused("large")
        self._read = 0
        self.unknown: Counter[str] = Counter()
        self._project_rows = rows_in(self._small("projects.json"))
        self._projects = claude.read_projects(self._project_rows)
        self._files = self._find_files()

    @property
    def done(self) -> float:
        return min(1.0, self._read / max(1, sum(self._sizes)))

    def conversations(self) -> Iterator[Found | None]:
        """All there are, from the beginning; None from time to time, when it takes long."""
        self._read = 0
        self.unknown.clear()
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
            project = claude.read_project(row, self._made())
            if project is not None:
                yield project
        for inner in self._inner_archives():
            yield Skipped(inner, "inner_archive")
        memories = self._small("memories.json")
        told = claude.read_memories(memories, self._made(), self._projects) if memories else None
        if told is not None:
            yield told

    def file(self, pointer: str) -> tuple[str, bytes] | None:
        """The name and content of a picture or a file that a conversation names."""
        if pointer.startswith("data:"):
            return _inline(pointer)
        found = _OWN_ID.match(pointer.rpartition("/")[2])
        name = self._files.get(found[0]) if found is not None else None
        if name is None:
            return None
        try:
            return _base(name), self._whole(name, _FILE)
        except _BROKEN:
            return None
        except Exception:  # noqa: BLE001 - each of the decoders that zipfile uses has errors of its own
            return None

    def text(self, pointer: str) -> str:
        """What stands in a file of text; "" for any other."""
        found = self.file(pointer)
        if found is None or not _TEXT.search(found[0]) or b"\0" in found[1]:
            return ""
        return found[1].decode("utf-8", "replace")

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    # Inside

    def _find_lists(self) -> list[str]:
        if self._zip is None:
            return [one.name for one in parts_of(self._path)]
        infos = _conversations(self._zip.infolist())
        if not infos:
            raise Refused("inner_archive" if self._inner_archives() else "foreign")
        for info in infos:
            if info.flag_bits & 1:
                raise Refused("encrypted")
            packed = max(1, info.compress_size)
            if info.file_size > _SURE and info.file_size / packed > _RATIO:
                raise Refused("bomb")
        return sorted(one.filename for one in infos)

    def _inner_archives(self) -> list[str]:
        if self._zip is None:  # what lies in the same folder isn't part of it
            return []
        return [name for name in self._names() if _ARCHIVE.search(name)]

    def _find_files(self) -> Mapping[str, str]:
        """The archive's files by what conversations call them."""
        found: dict[str, str] = {}
        for name in self._names():
            named = _OWN_ID.match(_base(name))
            if named is not None:
                found.setdefault(named[0], name)
        return found

    def _names(self) -> list[str]:
        return [*self._beside] if self._zip is None else self._zip.namelist()

    def _size(self, name: str) -> int:
        if self._zip is None:
            return self._path.with_name(name).stat().st_size
        return self._zip.getinfo(name).file_size

    def _whole(self, name: str, most: int) -> bytes:
        """A file that has at most so many bytes. Raises ValueError for a larger or a locked one."""
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
                return are_lines(source.read(_HEAD))
        except _BROKEN:
            return False
        except Exception:  # noqa: BLE001 - the decoders' own, which reading the items will meet too
            return False

    def _session(self, name: str) -> Iterator[Found | None]:
        """The conversation of a file of JSON lines."""
        lines = LineReader(_LONGEST)
        rows: list[dict[str, Any]] = []
        before, size = self._read, 0
        try:
            with self._open(name) as source:
                for row in lines.rows(source):
                    self._read = before + lines.read
                    size = lines.read
                    if row is None:
                        yield None
                    elif len(rows) < FIRST or is_session(rows[:FIRST]):
                        rows.append(row)
                    if size > _BACKUP:
                        yield Skipped(_base(name), "item_large")
                        return
        except _BROKEN:
            yield Skipped(_base(name), "item_broken")
        if not is_session(rows[:FIRST]):
            yield Skipped(_base(name), "item_foreign")
            return
        stem = PurePosixPath(name).stem
        thread = read_session(rows, rows[:FIRST], self.unknown, stem, self._made())
        yield thread if thread.rows else Skipped(_base(name), "item_empty")
        if lines.broken:
            yield Skipped(f"{_base(name)}: {lines.broken}", "item_lines")

    def _items(self, name: str) -> Iterator[Item | None]:
        items = Items(_LONGEST, _DEEPEST, _BACKUP)
        try:
            with self._open(name) as source:
                while (chunk := source.read(_CHUNK)) and not items.ended:
                    self._read += len(chunk)
                    found = items.feed(chunk)
                    yield from found or (None,)
        except _BROKEN:
            yield Item(b"{", 0)
        except Exception as error:
            if not type(error).__module__.startswith(("zlib", "lzma", "bz2")):
                raise
            yield Item(b"{", 0)
        yield from items.end()

    def _of(self, item: Item, place: int) -> Iterator[Found]:
        if item.data is None:
            yield Skipped(f"#{place}", "item_large")
            return
        try:
            value = read_json(item.data.decode("utf-8", "replace"), depth=_DEEPEST + 2)
            yield from self._threads(value, place)
        except TooDeep:
            yield Skipped(f"#{place}", "item_large")
        except MemoryError:
            yield Skipped(f"#{place}", "item_large")
        except (ValueError, RecursionError):
            yield Skipped(f"#{place}", "item_broken")

    def _threads(self, value: object, place: int) -> Iterator[Found]:
        waiting = deque([value])
        while waiting:
            one = waiting.popleft()
            if not isinstance(one, dict):
                yield Skipped(f"#{place}", "item_foreign")
            elif (
                threads := read_item(one, self.unknown, self._projects, self._made())
            ) is not None:
                for thread in threads:
                    yield _filled(thread, place)
            elif isinstance(one.get("conversations"), list):
                waiting.extend(one["conversations"])
            else:
                named = text_in(one.get("title")) or text_in(one.get("name"))
                yield Skipped(named[:80] or f"#{place}", "item_foreign")

    def _small(self, name: str) -> Any:
        """One of the small files beside the conversations, as far as it can be read."""
        for one in self._names():
            if _base(one) == name:
                try:
                    return list_in(read_json(self._whole(one, _SMALL).decode("utf-8", "replace")))
                except (ValueError, RecursionError, OSError, zipfile.BadZipFile, RuntimeError):
                    return None
                except Exception:  # noqa: BLE001 - as above; what stands in it is only names
                    return None
        return None


def _conversations(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Those that hold conversations: the lists, else a backup, else sessions, else any JSON."""
    for fits in (
        lambda name: LIST.fullmatch(name) is not None,
        lambda name: name == _BACKUP_NAME,
        lambda name: name.lower().endswith(".jsonl"),
        lambda name: name.lower().endswith(".json"),
    ):
        found = [one for one in infos if fits(_base(one.filename))]
        if found:
            return found
    return []


def _inline(address: str) -> tuple[str, bytes] | None:
    """The content of a `data:` address."""
    kind, _, data = address.partition(";base64,")
    try:
        return kind.rpartition("/")[2][:20], base64.b64decode(data, validate=True)
    except ValueError:
        return None


def _filled(thread: Thread, place: int) -> Found:
    return thread if thread.rows else Skipped(thread.title or f"#{place}", "item_empty")


def _base(name: str) -> str:
    return PurePosixPath(name).name


def rows_with_pointers(thread: Thread, ask: Callable[[dict[str, Any]], None]) -> None:
    """Have `ask` fill in each block that names a file of the archive."""
    for row in thread.rows:
        for block in row["blocks"]:
            if "pointer" in block:
                ask(block)
