"""JSON lines: files with an object in each line, as programs keep their sessions. Pure.

A line ends with a line feed and with nothing else: a string may hold other characters that Python
takes for the end of a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from neodeskpet.core.json_text import read_json

_CHUNK_LINES = 1 << 18
_MAX_DEPTH = 150
HEAD_LINES = 20
"""So many lines tell whose session it is."""


def is_json_lines(head: bytes) -> bool:
    """Whether a file that begins so holds an object a line: the first line is a whole object, and
    another one follows (or nothing).
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
    """The objects of a file. `broken` counts lines that are no objects, or longer than `longest`
    bytes; `read` how many bytes were read.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.invalid_lines = 0
        self.bytes_read = 0

    def read(self, source: IO[bytes]) -> Iterator[dict[str, Any] | None]:
        """None from time to time, when it takes long."""
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
