"""Reads files as passages in a child process (`knowledge_child`), so that a crash of a parser
doesn't end the app.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import Omitted, read_omitted
from neodeskpet.core.i18n import N_
from neodeskpet.documents.document import DocumentRefused, document_refused, size_of
from neodeskpet.memory.knowledge.passage_splitter import Passage
from neodeskpet.platform.child_process import FrameWorker

MAX_CHARACTERS = 3_000_000
"""Default limit of characters of a file: a book of a thousand pages."""
READ_TIMEOUT = 60.0
"""Seconds to read one file."""


class FileChanging(DocumentRefused):
    code = "document_changing"
    what = N_("“{name}” changed while it was being read. It will be read again later.")


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage with its search `terms`; `length` is the number of terms that aren't single
    characters.
    """

    passage: Passage
    terms: str
    length: int


@dataclass(frozen=True, slots=True)
class ReadFile:
    """`fingerprint` identifies the version of the file. `is_truncated`: the file has more text.
    `omitted` lists what was left out.
    """

    fingerprint: str
    size: int
    pages: int
    is_truncated: bool
    passages: tuple[IndexedPassage, ...]
    omitted: tuple[Omitted, ...] = ()
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a file: at most `longest` characters; `forgotten` are digests of lines that must
    not return (`knowledge_child.line_digest`, with `key`); `encoding` of the text, "" to detect it
    with `language` as a hint.
    """

    key: str = ""
    forgotten: Collection[str] = ()
    longest: int = MAX_CHARACTERS
    language: str = ""
    encoding: str = ""


def file_fingerprint(path: Path) -> str:
    """Return a fingerprint that changes with the file: modification time, size, and inode. Raises
    OSError.
    """
    about = path.stat()
    return f"{about.st_mtime_ns}:{about.st_size}:{about.st_ino}"


class PassageReader:
    """Reads files in a child process. Blocking; used by one thread at a time."""

    def __init__(self, seconds: float = READ_TIMEOUT) -> None:
        self._child = FrameWorker("passages", seconds)
        self._reading = threading.Lock()
        self._closed = False

    def read(self, path: Path, name: str, asked: ReadOptions | None = None) -> ReadFile:
        """Read a file; `name` is its display name. Raises DocumentRefused."""
        with self._reading:
            return self._read(path, name, asked or ReadOptions())

    def _read(self, path: Path, name: str, options: ReadOptions) -> ReadFile:
        size = size_of(path)
        try:
            before, written = file_fingerprint(path), path.stat().st_mtime
        except OSError as error:
            raise DocumentRefused(str(error), name=path.name) from None
        asked = {
            "path": str(path),
            "name": name,
            "time": _time_text(written).isoformat(),
            "key": options.key,
            "forgotten": sorted(options.forgotten),
            "longest": options.longest,
            "language": options.language,
            "encoding": options.encoding,
        }
        head = self._ask(path, asked)
        passages = tuple(self._passages(path, int(head["count"])))
        try:
            after = file_fingerprint(path)
        except OSError:
            after = ""
        if after != before:
            raise FileChanging(name=path.name)
        return ReadFile(
            before,
            size,
            int(head["pages"]),
            bool(head["cut"]),
            passages,
            omitted=read_omitted(head["omitted"]),
            encoding=str(head["encoding"]),
        )

    def _passages(self, path: Path, count: int) -> Iterator[IndexedPassage]:
        at = 0
        while at < count:
            rows = self._ask(path, {"from": at})["passages"]
            if not rows:
                raise document_refused(path, "slow")
            for text, start, line, page, heading, terms, length in rows:
                yield IndexedPassage(Passage(text, start, line, page, heading), terms, length)
            at += len(rows)

    def _ask(self, path: Path, asked: Mapping[str, object]) -> dict[str, Any]:
        answer = None if self._closed else self._child.ask(json.dumps(asked).encode())
        if answer is None:
            raise document_refused(path, "slow")
        reply: dict[str, Any] = json.loads(answer)
        if "refused" in reply:
            raise document_refused(path, reply["refused"], reply.get("detail", ""))
        if "from" in asked and "passages" not in reply:
            raise document_refused(path, "slow")  # the child process was restarted
        return reply

    def close(self) -> None:
        """Close the reader; a running `read` is refused. Idempotent."""
        self._closed = True
        self._child.stop()
        with self._reading:
            self._child.close()


def _time_text(written: float) -> datetime:
    try:
        return datetime.fromtimestamp(written)
    except (OverflowError, OSError, ValueError):
        return datetime(1970, 1, 1)
