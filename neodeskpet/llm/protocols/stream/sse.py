"""Server-sent events, decoded from bytes as they come. Sans-IO, as WHATWG defines the format.

Lines end with LF, CR or CRLF (also when split between two chunks); a BOM, comments and unknown
fields are skipped; several `data` lines are joined with LF. Bytes are only turned into text
once a line is whole, so a split inside a UTF-8 character does no harm. Beyond the standard, a last
event without its blank line counts, because gateways cut it off; and a `data` line that is a whole
JSON object is an event when another `data` line follows without a blank line in between. The cost
is linear in the bytes.
"""

from __future__ import annotations

import json
from functools import partial
from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """`event` is "" when the stream didn't name it; `data` without its last line end."""

    event: str
    data: str


_event = partial(tuple.__new__, SseEvent)  # faster than NamedTuple's own constructor


class SseDecoder:
    """One per response: call `feed(bytes)` for each chunk, `end()` at EOF."""

    __slots__ = ("_data", "_event", "_first", "_glued", "_named", "_pieces", "_skip_lf")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of the line that has not ended yet
        self._data: list[bytes] = []
        self._event = ""
        self._glued = ""  # the event name before the first of the `data` lines
        # the last line with an event name; the next one is often the same
        self._named = (b"event:", "")
        self._first = True
        self._skip_lf = False

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that `chunk` completes, in order."""
        if not chunk:
            return []
        if self._skip_lf:
            self._skip_lf = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._skip_lf = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            self._pieces.append(chunk)
            return []
        if self._pieces:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces.clear()
        rest = lines.pop()
        if rest:
            self._pieces.append(rest)
        if self._first:
            self._first = False
            lines[0] = lines[0].removeprefix(_BOM)
        return self._read(lines)

    def end(self) -> list[SseEvent]:
        """Return what EOF completes: at most one event without its blank line."""
        last = b"".join(self._pieces)
        self._pieces.clear()
        if self._first:
            self._first = False
            last = last.removeprefix(_BOM)
        return self._read([last, b""] if last else [b""])

    def _read(self, lines: list[bytes]) -> list[SseEvent]:
        out: list[SseEvent] = []
        data = self._data
        for line in lines:
            if line.startswith(b"data: "):  # nearly all lines are this, or blank
                self._part(out)
                data.append(line[6:])
            elif not line:
                if data:
                    whole = data[0] if len(data) == 1 else b"\n".join(data)
                    out.append(_event((self._event, whole.decode("utf-8", "replace"))))
                    data.clear()
                self._event = ""
            elif line == self._named[0]:
                self._event = self._named[1]
            elif line.startswith(b"event:"):
                self._event = line[6:].decode("utf-8", "replace").removeprefix(" ")
                self._named = (line, self._event)
            elif line.startswith(b"data:"):
                self._part(out)
                data.append(line[5:])
            elif line == b"data":
                data.append(b"")
            elif line == b"event":
                self._event = ""
        return out

    def _part(self, out: list[SseEvent]) -> None:
        """Begin a `data` line: if the previous one is a complete object, that is an event by
        itself.
        """
        if not self._data:
            self._glued = self._event
        elif len(self._data) == 1 and _is_whole(self._data[0]):
            out.append(_event((self._glued, self._data[0].decode("utf-8", "replace"))))
            self._data.clear()
            self._glued = self._event


def _is_whole(line: bytes) -> bool:
    """Return whether `line` is one JSON object, or the terminator of the OpenAI protocols."""
    line = line.strip()
    if line.lower() == b"[done]":
        return True
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return False
    try:
        json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return False
    return True
