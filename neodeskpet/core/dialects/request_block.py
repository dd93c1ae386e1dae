"""The markers of the tool_request dialect, and the reader of a TOOL_REQUEST block while it streams.

Fields are `key:「始」value「末」`, `key:「始ESCAPE」value「末ESCAPE」` for values that contain
markers, or a bare line `key: value`. The result never depends on how the stream was split.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

_LONGEST_RUN = 64  # of "<": more of them are text
MARKER = re.compile(
    rf"<{{2,{_LONGEST_RUN}}}\[(?P<end>END_)?TOOL_(?P<kind>REQUEST|RESULT)\]>{{2,}}", re.IGNORECASE
)
END_PATTERN = re.compile(
    rf"[<《]{{0,{_LONGEST_RUN}}}\[END_TOOL_REQUEST\][>》]{{0,{_LONGEST_RUN}}}", re.IGNORECASE
)
"""Matches the end of a block, with any characters around it, where nothing else is possible."""
_END_BEGUN = re.compile(rf"[<《]{{0,{_LONGEST_RUN}}}(?P<word>\[[A-Z_]{{0,16}})?", re.IGNORECASE)
_BODIES = tuple(f"[{end}TOOL_{kind}]" for end in ("", "END_") for kind in ("REQUEST", "RESULT"))


def partial_marker(text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of a marker."""
    last = text.rfind("<")
    if last < 0:
        return 0
    start = last
    while start > 0 and text[start - 1] == "<" and last - start + 1 < _LONGEST_RUN:
        start -= 1
    run, rest = last - start + 1, text[last + 1 :].upper()
    if rest and run < 2:
        return 0
    if any(body.startswith(rest) or rest == body + ">" for body in _BODIES):
        return len(text) - start
    return 0


def may_end(text: str) -> bool:
    """Return whether the whole `text` may become an end marker, or is one that may continue."""
    match = _END_BEGUN.fullmatch(text)
    word = (match and match["word"]) or ""
    begun = match is not None and "[END_TOOL_REQUEST]".startswith(word.upper())
    return begun or END_PATTERN.fullmatch(text) is not None


def partial_suffix(text: str, word: str) -> int:
    """Return how many characters at the end of `text` are the beginning of `word`, but not all of
    it.
    """
    for length in range(min(len(word) - 1, len(text)), 0, -1):
        if text.endswith(word[:length]):
            return length
    return 0


CALL_INDEX = 1_000_000
"""Wire indices of calls in text begin here, separate from those of the decoder."""

_NAMELESS = "tool_request"
_KNOWN = frozenset({"tool_name", "input_json"})

# All lengths are bounded, so waiting for the rest of a key costs the same at any length.
_KEY = r"(?P<key>[A-Za-z_][\w.\-]{0,99})"
_GAP = re.compile(r"^[\s,，;；]+")
_OPEN = re.compile(_KEY + r"\s{0,99}[:：]\s{0,99}「始(?P<esc>ESCAPE)?」", re.IGNORECASE)
_MAY_OPEN = re.compile(
    _KEY + r"\s{0,99}(?:[:：]\s{0,99}(?:「(?:始(?:E(?:S(?:C(?:A(?:PE?)?)?)?)?)?)?)?)?",
    re.IGNORECASE,
)
_BARE = re.compile(_KEY + r"[ \t]{0,99}[:：]")
_FENCE = re.compile(r"```[a-zA-Z]*")


class _Mode(Enum):
    KEY = auto()
    PLAIN = auto()
    ESCAPED = auto()
    LINE = auto()


_ENDS = {
    _Mode.PLAIN: re.compile(r"「末(?:ESCAPE)?」|" + MARKER.pattern, re.IGNORECASE),
    _Mode.ESCAPED: re.compile("「末ESCAPE」", re.IGNORECASE),
    _Mode.LINE: re.compile(r"\n|" + MARKER.pattern, re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class BlockEnd:
    """The end of a block. `rest` is the text after its end marker; if it was `cut`, `rest` begins
    with the other marker that came instead.
    """

    rest: str
    cut: bool = False


class RequestBlock:
    """Feed text until a `BlockEnd` is returned. `index` is the wire index of the call."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._buffer = ""
        self._mode = _Mode.KEY
        self._fields: dict[str, str] = {}
        self._started = False
        self._streamed = False  # input_json was passed on while it streamed
        # Of the current value:
        self._key = ""  # "" for a line without a key
        self._pieces: list[str] = []
        self._begun = False  # it has text other than white space
        self._live = False  # it is passed on while it streams
        self._blank = ""  # white space that may belong to its end

    def feed(self, text: str) -> Generator[WireEvent, None, BlockEnd | None]:
        self._buffer += text
        while self._buffer:
            if self._mode is not _Mode.KEY:
                step = self._read_value()
            elif self._skip_gap():
                marker = MARKER.match(self._buffer)
                if marker:
                    return (yield from self._close(marker))
                slip = END_PATTERN.match(self._buffer)
                if slip and slip.end() < len(self._buffer):
                    yield from self._finish()
                    return BlockEnd(self._buffer[slip.end() :])
                step = self._read_key()
            else:
                return None
            if step is None:
                return None
            yield from step
        return None

    def abandon(self) -> Iterator[WireEvent]:
        """Handle the end of the reply: without an end marker the call stays unfinished."""
        if self._mode is _Mode.KEY and END_PATTERN.fullmatch(self._buffer):
            yield from self._finish()
        elif not self._started:
            yield ToolCallStarted(self._index, "", _NAMELESS)

    def _finish(self) -> Iterator[WireEvent]:
        if not self._started:
            yield ToolCallStarted(self._index, "", _NAMELESS)
        if not self._streamed:
            yield ToolArgsDelta(self._index, self._arguments())
        yield ToolCallReady(self._index)

    # Between values

    def _skip_gap(self) -> bool:
        """Drop text between fields; return whether anything is left."""
        self._buffer = _GAP.sub("", self._buffer)
        return bool(self._buffer)

    def _read_key(self) -> list[WireEvent] | None:
        """Return the events of one step, or None if more text is needed."""
        opened = _OPEN.match(self._buffer)
        if opened is not None:
            self._begin(opened, _Mode.ESCAPED if opened["esc"] else _Mode.PLAIN)
        elif _MAY_OPEN.fullmatch(self._buffer) or may_end(self._buffer):
            return None
        else:
            self._begin(_BARE.match(self._buffer), _Mode.LINE)
        return []

    def _begin(self, head: re.Match[str] | None, mode: _Mode) -> None:
        key = head["key"] if head else ""
        self._key = key.lower() if key.lower() in _KNOWN else key
        self._buffer = self._buffer[head.end() :] if head else self._buffer
        self._mode = mode
        self._pieces = []
        self._begun = self._live = False

    # Inside a value

    def _read_value(self) -> list[WireEvent] | None:
        end = _ENDS[self._mode].search(self._buffer)
        if end is None:
            taken = self._buffer[: len(self._buffer) - self._held()]
            self._buffer = self._buffer[len(taken) :]
            return self._grow(taken) or None
        events = self._grow(self._buffer[: end.start()])
        # A marker ends the value and is read again as the end of the block.
        at = end.start() if end.group().startswith("<") else end.end()
        self._buffer = self._buffer[at:]
        return events + self._store()

    def _held(self) -> int:
        """Return how much of the end of the buffer may become the end of the value."""
        marker = 0 if self._mode is _Mode.ESCAPED else partial_marker(self._buffer)
        if self._mode is _Mode.LINE:
            return marker
        return max(marker, partial_suffix(self._buffer.upper(), "「末ESCAPE」"))

    def _grow(self, text: str) -> list[WireEvent]:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
            self._live = text.startswith("{") and self._may_stream()
        self._pieces.append(text)
        if not self._live:
            return []
        text, self._blank = self._blank + text, ""
        shown = text.rstrip()
        self._blank = text[len(shown) :]
        return [ToolArgsDelta(self._index, shown)] if shown else []

    def _may_stream(self) -> bool:
        fresh = "input_json" not in self._fields
        return self._started and self._key == "input_json" and fresh and self._mode != _Mode.LINE

    def _store(self) -> list[WireEvent]:
        """Store the complete value. Of equal keys the first counts."""
        value = "".join(self._pieces).strip()
        if self._mode is _Mode.LINE:
            value = value.rstrip(",， \t")
        self._streamed = self._streamed or self._live
        self._mode = _Mode.KEY
        if self._key == "tool_name" and not self._started and value:
            self._started = True
            return [ToolCallStarted(self._index, "", value)]
        if self._key and self._key != "tool_name":
            self._fields.setdefault(self._key, value)
        return []

    # The end

    def _close(self, marker: re.Match[str]) -> Generator[WireEvent, None, BlockEnd]:
        if not (marker["end"] and marker["kind"].upper() == "REQUEST"):
            yield from self.abandon()
            return BlockEnd(self._buffer, cut=True)
        yield from self._finish()
        return BlockEnd(self._buffer[marker.end() :])

    def _arguments(self) -> str:
        given = self._fields.get("input_json")
        if given is not None:
            return _unfenced(given)
        return json.dumps(self._fields, ensure_ascii=False) if self._fields else ""


def _unfenced(given: str) -> str:
    """Return the text without the code fence that models put around JSON."""
    text = given.strip()
    fence = _FENCE.match(text)
    if fence is None or not text.endswith("```") or len(text) < fence.end() + 3:
        return given
    return text[fence.end() : -3].strip()
