"""One TOOL_REQUEST block, read while it streams.

Fields are `key:「始」value「末」` (`:` or `：`, commas between them optional, any number of lines),
`key:「始ESCAPE」value「末ESCAPE」` for values that contain marks, or a bare line `key: value`.
With `input_json` that is the arguments; without it the other fields are, as strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.core.dialects.request_markers import MARKER, partial_marker, partial_suffix
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

CALL_INDEX = 1_000_000
"""Wire indices of calls found in text begin here, away from those of the decoder."""

_NAMELESS = "tool_request"
_OPEN = re.compile(
    r"\s*[,，;；]*\s*(?P<key>[A-Za-z_][\w.\-]*)\s*[:：]\s*「始(?P<esc>ESCAPE)?」", re.I
)
_BARE = re.compile(r"\s*[,，;；]*\s*(?P<key>[A-Za-z_][\w.\-]*)[ \t]*[:：][ \t]*(?P<value>[^\n]*)")
_KEY_SO_FAR = re.compile(r"\s*[,，;；]*\s*[A-Za-z_][\w.\-]*\s*[:：]?\s*$")
_MARK_SO_FAR = "「始ESCAPE」"
_FENCED = re.compile(r"^```[a-zA-Z]*\s*(.*?)\s*```$", re.DOTALL)


class _Mode(Enum):
    KEY = auto()
    PLAIN = auto()
    ESCAPED = auto()


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The block ended; `rest` follows it. `reopened`: another block began instead of an end."""

    rest: str
    reopened: bool = False


class RequestBlock:
    """Feed text until a `BlockEnd` is returned. `index` is the call's wire index."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._buffer = ""
        self._mode = _Mode.KEY
        self._key = ""
        self._pieces: list[str] = []
        self._fields: dict[str, str] = {}
        self._started = False
        self._begun = False  # the value has a character that isn't white space
        self._live = False  # input_json is being passed on as it streams
        self._blank = ""  # white space that may be the end of a value
        self._end: BlockEnd | None = None

    def feed(self, text: str) -> Generator[WireEvent, None, BlockEnd | None]:
        self._buffer += text
        while self._end is None:
            events = self._read_key() if self._mode is _Mode.KEY else self._read_value()
            if events is None:
                return None
            yield from events
        return self._end

    def abandon(self) -> Iterator[WireEvent]:
        """The reply ended inside the block: the call was made but never closed."""
        if not self._started:
            self._started = True
            yield ToolCallStarted(self._index, "", self._fields.get("tool_name") or _NAMELESS)

    # Between values

    def _read_key(self) -> list[WireEvent] | None:
        """Events of one step, or None when more text is needed."""
        stripped = self._buffer.lstrip(" \t\r\n,，;；")
        if stripped.startswith("<"):
            marker = MARKER.match(stripped)
            if marker:
                return self._close(stripped, marker)
            if partial_marker(stripped) == len(stripped):
                return None
        opened = _OPEN.match(self._buffer)
        if opened:
            return self._open_value(opened)
        return self._read_bare()

    def _open_value(self, opened: re.Match[str]) -> list[WireEvent]:
        self._key = opened["key"].lower() if opened["key"].lower() in _KNOWN else opened["key"]
        self._mode = _Mode.ESCAPED if opened["esc"] else _Mode.PLAIN
        self._buffer = self._buffer[opened.end() :]
        self._pieces = []
        self._begun = False
        self._blank = ""
        return []

    def _read_bare(self) -> list[WireEvent] | None:
        if not self._buffer.strip() or _KEY_SO_FAR.fullmatch(self._buffer):
            return None
        bare = _BARE.match(self._buffer)
        value = bare["value"] if bare else self._buffer.lstrip().split("\n", 1)[0]
        if _MARK_SO_FAR.startswith(value.strip().upper()) and value.strip():
            return None
        marker = MARKER.search(self._buffer)
        newline = self._buffer.find("\n", bare.start("value") if bare else self._first_letter())
        if newline < 0 and marker is None:
            return None
        end = newline if newline >= 0 else len(self._buffer)
        if marker is not None:
            end = min(end, marker.start())
        events: list[WireEvent] = []
        if bare is not None and bare.start("value") <= end:
            self._key = bare["key"].lower() if bare["key"].lower() in _KNOWN else bare["key"]
            events = self._store(self._buffer[bare.start("value") : end].strip().rstrip(",，"))
        self._buffer = self._buffer[end:]
        return events

    def _first_letter(self) -> int:
        return len(self._buffer) - len(self._buffer.lstrip())

    # Inside a value

    def _read_value(self) -> list[WireEvent] | None:
        escaped = self._mode is _Mode.ESCAPED
        found = (_END_ESCAPED if escaped else _END_PLAIN).search(self._buffer)
        if found is None:
            held = partial_suffix(self._buffer.upper(), "「末ESCAPE」")
            if not escaped:
                held = max(held, partial_marker(self._buffer))
            taken = self._buffer[: len(self._buffer) - held]
            self._buffer = self._buffer[len(taken) :]
            events = self._grow(taken)
            return events or None
        events = self._grow(self._buffer[: found.start()])
        # A marker ends the value and is read again as the end of the block.
        at = found.start() if found.group().startswith("<") else found.end()
        self._buffer = self._buffer[at:]
        self._mode = _Mode.KEY
        value = "".join(self._pieces).strip()
        if self._live and self._key == "input_json":
            self._fields.setdefault("input_json", value)
            return events
        return events + self._store(value)

    def _grow(self, text: str) -> list[WireEvent]:
        if not text:
            return []
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
            if text.startswith("{") and self._may_stream():
                self._live = True
        self._pieces.append(text)
        if not (self._live and self._key == "input_json"):
            return []
        text, self._blank = self._blank + text, ""
        shown = text.rstrip()
        self._blank = text[len(shown) :]
        return [ToolArgsDelta(self._index, shown)] if shown else []

    def _may_stream(self) -> bool:
        fresh = "input_json" not in self._fields
        return self._started and self._key == "input_json" and fresh

    def _store(self, value: str) -> list[WireEvent]:
        self._fields.setdefault(self._key, value)
        if self._key == "tool_name" and not self._started:
            self._started = True
            return [ToolCallStarted(self._index, "", self._fields["tool_name"] or _NAMELESS)]
        return []

    # The end

    def _close(self, text: str, marker: re.Match[str]) -> list[WireEvent]:
        reopened = not marker["end"]
        self._end = BlockEnd(text[marker.end() :], reopened)
        events = list(self.abandon())
        if reopened:
            return events
        if not self._live:
            events.append(ToolArgsDelta(self._index, self._arguments()))
        return [*events, ToolCallReady(self._index)]

    def _arguments(self) -> str:
        given = self._fields.get("input_json")
        if given is not None:
            fenced = _FENCED.match(given)
            return fenced[1] if fenced else given
        rest = {key: value for key, value in self._fields.items() if key != "tool_name"}
        return json.dumps(rest, ensure_ascii=False) if rest else ""


_KNOWN = frozenset({"tool_name", "input_json"})
_END_PLAIN = re.compile(r"「末(?:ESCAPE)?」|" + MARKER.pattern, re.IGNORECASE)
_END_ESCAPED = re.compile("「末ESCAPE」", re.IGNORECASE)
