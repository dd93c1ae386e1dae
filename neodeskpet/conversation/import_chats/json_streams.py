"""Reads long JSON files piece by piece: the items of one long list, and JSON lines.

A bad item costs only that item. Pure, except for the file object that is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from neodeskpet.core.json_text import read_json

_STRUCTURE = re.compile(rb'["\[\]{},]')
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHITESPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class JsonItem:
    """An item of the list. `data` is None if it was too long or nested too deep."""

    data: bytes | None
    size: int


class JsonItemSplitter:
    """Splits a file into items; each call returns the completed items. A file that is no list is
    one item of at most `single` bytes. `longest` is in bytes, `deepest` in levels.
    """

    def __init__(self, longest: int, deepest: int, single: int = 0) -> None:
        self._longest = longest
        self._single = max(single, longest)
        self._deepest = deepest
        self._level = 0
        self._top = -1  # the level of the items; -1 before anything was read
        self._in_string = False
        self._escaped = False
        self._item = bytearray()
        self._size = 0
        self._kept = True
        self._found: list[JsonItem] = []
        self.ended = False

    def feed(self, chunk: bytes) -> list[JsonItem]:
        if self._top < 0:
            chunk = chunk.removeprefix(_BOM).lstrip(_WHITESPACE)
            if not chunk:
                return []
            self._top = 1 if chunk.startswith(b"[") else 0
            self._longest = self._longest if self._top else self._single
        start = at = 0
        while at < len(chunk) and not self.ended:
            at, start = (
                self._pass_string(chunk, at, start)
                if self._in_string
                else self._pass(chunk, at, start)
            )
        if not self.ended:
            self._grow(chunk[start:])
        found, self._found = self._found, []
        return found

    def finish(self) -> list[JsonItem]:
        """End the file; the rest is an incomplete item."""
        if self._item.strip(_WHITESPACE) or self._size > len(self._item):
            self._close()
        self.ended = True
        found, self._found = self._found, []
        return found

    def _pass(self, chunk: bytes, at: int, start: int) -> tuple[int, int]:
        """Advance past the next structural character outside of strings. Returns the position and
        the start of the item.
        """
        found = _STRUCTURE.search(chunk, at)
        if found is None:
            return len(chunk), start
        at, mark = found.end(), found[0]
        if mark == b'"':
            self._in_string = True
        elif mark in b"[{":
            self._level += 1
            self._kept = self._kept and self._level - self._top <= self._deepest
            start = at if self._level == self._top else start
        elif mark in b"]}":
            self._level -= 1
            if self._level < self._top:
                self._grow(chunk[start : at - self._top])
                self._close()
                self.ended = True
        elif self._level == self._top == 1:
            self._grow(chunk[start : at - 1])
            self._close()
            start = at
        if self._level == self._top == 0 and not self._in_string and mark in b"]}":
            self._grow(chunk[start:at])
            self._close()
            self.ended = True
        return at, start

    def _pass_string(self, chunk: bytes, at: int, start: int) -> tuple[int, int]:
        if self._escaped:
            self._escaped = False
            return at + 1, start
        found = _STRING_REST.match(chunk, at)
        at = found.end() if found is not None else at
        if at < len(chunk):
            self._in_string = chunk[at : at + 1] != b'"'
            self._escaped = self._in_string
            at += 1
        return at, start

    def _grow(self, part: bytes) -> None:
        self._size += len(part)
        self._kept = self._kept and self._size <= self._longest
        if self._kept:
            self._item += part
        else:
            self._item.clear()

    def _close(self) -> None:
        data = bytes(self._item).strip(_WHITESPACE) if self._kept else None
        if data != b"":
            self._found.append(JsonItem(data, self._size))
        self._item = bytearray()
        self._size, self._kept = 0, True


_CHUNK_LINES = 1 << 18
_MAX_DEPTH = 150
HEAD_LINES = 20
"""The number of lines that identify the program."""


def is_json_lines(head: bytes) -> bool:
    """Return whether a file with this beginning has one JSON object per line: the first line is a
    complete object, and another one (or nothing) follows.
    """
    first, found, rest = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    if not found or not first.startswith(b"{"):
        return False
    if first.rstrip().endswith(b"}"):
        try:
            return isinstance(json.loads(first), dict) and rest.lstrip()[:1] in (b"", b"{")
        except (ValueError, RecursionError):
            return False
    return False


class JsonLines:
    """The objects of a JSON lines file. `invalid_lines` counts lines that are not objects or longer
    than `longest` bytes; `bytes_read` is the number of bytes read.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.invalid_lines = 0
        self.bytes_read = 0

    def read(self, source: IO[bytes]) -> Iterator[dict[str, Any] | None]:
        """Yield the objects; None from time to time if it takes long."""
        rest, kept = bytearray(), True
        while chunk := source.read(_CHUNK_LINES):
            self.bytes_read += len(chunk)
            *ended, last = chunk.split(b"\n")
            for line in ended:
                kept = kept and len(rest) + len(line) <= self._longest
                rest += line if kept else b""
                yield from self._row(bytes(rest), kept=kept)
                rest, kept = bytearray(), True
            kept = kept and len(rest) + len(last) <= self._longest
            rest = rest + last if kept else bytearray()
            yield None
        yield from self._row(bytes(rest), kept=kept)

    def _row(self, line: bytes, *, kept: bool) -> Iterator[dict[str, Any]]:
        line = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not line and kept:
            return
        value = _parse_line(line) if kept else None
        if isinstance(value, dict):
            yield value
        else:
            self.invalid_lines += 1


def _parse_line(line: bytes) -> object:
    try:
        return read_json(line.decode("utf-8", "replace"), depth=_MAX_DEPTH)
    except (ValueError, RecursionError):
        return None
