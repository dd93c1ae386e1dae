"""The language of the local channel: one JSON object a line, in UTF-8.

::

    visitor  {"key": "…", "name": "Claude Code"}
    app      {"ok": true}
    visitor  {"id": 1, "do": "call", "tool": "say", "arguments": {"text": "…"}}
    app      {"id": 1, "text": "…", "data": {…}, "failed": false}

`do` is "tools", "windows", "window" (of that `name`), "call", "cancel" (of the call with
this id) or "ring" (a second start, with its `word` and the `files` it was given). Whoever says
something else is hung up on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from neodeskpet.core.json_text import read_json

MAX_REQUEST_BYTES = 256 * 1024
"""Bytes of a line that comes from a visitor."""
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
"""Bytes of a line that the app answers."""


class InvalidLine(ValueError):
    """What came is no line of this language."""


class JsonLineReader:
    """Bytes in, objects out. `most` bytes are taken for a line."""

    def __init__(self, most: int = MAX_REQUEST_BYTES) -> None:
        self._most = most
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Mapping[str, object]]:
        """The lines that are complete by now. Raises InvalidLine, and is of no use then."""
        self._held += data
        *whole, rest = self._held.split(b"\n")
        if max(len(line) for line in (*whole, rest)) > self._most:
            raise InvalidLine(f"a line has more than {self._most} bytes")
        self._held = bytearray(rest)
        return [parse_line(bytes(line)) for line in whole]


def parse_line(line: bytes) -> Mapping[str, object]:
    """The object of one line. Raises InvalidLine."""
    try:
        value = read_json(line.decode("utf-8"), strict=True)
    except ValueError as error:  # no UTF-8, no JSON, too deep
        raise InvalidLine(f"no JSON: {type(error).__name__}") from None
    if not isinstance(value, dict):
        raise InvalidLine("no object")
    return value


def format_line(message: Mapping[str, object]) -> bytes:
    """One line for `message`."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
