"""Converts the bytes of a response body to wire events, and detects whether they are SSE or JSON.

Some gateways answer a streaming request with a complete JSON reply, a JSON error, one JSON object
per line, an HTML page, plain text or nothing. Sans-IO; used by the client and by `neodeskpet
decode`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.wire import WireEvent
from neodeskpet.llm.protocols.protocol import Decoder
from neodeskpet.llm.protocols.provider_errors import bad_reply, reply_too_long
from neodeskpet.llm.protocols.reply_decoder import (
    TERMINATOR_GRACE_SECONDS,
    check_value_count,
    is_terminator,
)
from neodeskpet.llm.protocols.stream.sse import SseDecoder, SseEvent
from neodeskpet.llm.protocols.stream.surrogate_pairs import PairJoiner

MOST_BODY_BYTES = 32 << 20
"""The maximum bytes of one line, event or body: a megabyte of gzip may unpack to a gigabyte. A
picture in a reply has some megabytes.
"""
HEAVY_BYTES = 1 << 18
"""From this size on, decoding in the UI thread would block the window."""

_HEAD = 4096
_AT_ONCE = 64  # events that are decoded before the first of them is passed on
_HALF = re.compile(r"\\u[dD]")  # may be half of a surrogate pair
_SPACE = b" \t\r\n\xef\xbb\xbf"
_FIELDS = ("data", "event", "id", "retry", ":")


class BodyReader:
    """One per response: call `feed(bytes)` for each chunk, `end()` at EOF. Both raise LlmError,
    after yielding what was decoded before the error.
    """

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._sse = SseDecoder()
        self._head = b""  # the first bytes, until an event was decoded
        self._whole: list[bytes] | None = None  # a body that isn't SSE
        self._known = False
        self._events = 0
        self._enough = False  # the body is complete, although the connection stays open
        self._size = 0  # bytes since the last event
        self._escapes = False  # those bytes may contain some
        self._pairs = PairJoiner()

    @property
    def done(self) -> bool:
        """The reply is complete: the rest need not be read."""
        return self._decoder.done or self._enough

    @property
    def settled(self) -> bool:
        """The reply may end here: EOF or a connection error counts as its end."""
        if self._whole is not None:
            return self._is_closed()
        return self._decoder.settled and not self._decoder.doubted

    @property
    def silence(self) -> float | None:
        """The seconds of silence after which `fall_silent` must be called; None for never."""
        if self._whole is None:
            return self._decoder.silence
        return TERMINATOR_GRACE_SECONDS if not self._enough and self._looks_closed() else None

    def is_heavy(self, data: bytes = b"") -> bool:
        """Return whether decoding `data`, or the end, takes so long that it belongs on another
        thread.
        """
        return self._size + len(data) > HEAVY_BYTES

    def fall_silent(self) -> Iterator[WireEvent]:
        if self._whole is None:
            return self._pairs.repair(self._decoder.fall_silent())
        self._enough = self._is_closed()
        return iter(())

    def _looks_closed(self) -> bool:
        last = self._whole[-1] if self._whole else b""
        return last.rstrip()[-1:] in (b"}", b"]")

    def _is_closed(self) -> bool:
        """Return whether the body is one complete JSON text."""
        if not self._looks_closed():
            return False
        try:
            read_json(b"".join(self._whole or ()).decode("utf-8", "replace"), depth=MOST_BODY_DEPTH)
        except ValueError:
            return False
        return True

    def feed(self, data: bytes) -> Iterator[WireEvent]:
        if not self._known:
            data = self._look(data)
        self._size += len(data)
        if self._size > MOST_BODY_BYTES:
            raise reply_too_long(MOST_BODY_BYTES >> 20)
        if self._whole is not None:
            self._whole.append(data)
            return iter(())
        if not self._events:
            self._head = (self._head + data)[:_HEAD]
        escapes = b"\\" in data
        self._escapes = self._escapes or escapes
        events = self._sse.feed(data)
        if not events:
            return iter(())
        self._size = 0
        escaped, self._escapes = self._escapes, escapes
        return self._take(events, escaped=escaped)

    def end(self) -> Iterator[WireEvent]:
        if self._whole is not None:
            yield from self._read_whole(b"".join(self._whole).decode("utf-8", "replace"))
        else:
            yield from self._read_rest()
            if not self._events and not _looks_like_sse(self._head):
                raise bad_reply(self._head.decode("utf-8", "replace"))
        yield from self._pairs.end()
        yield from self._pairs.repair(self._decoder.end())

    def _read_rest(self) -> Iterator[WireEvent]:
        """Yield what EOF completes. After a complete reply, a cut-off terminator is ignored."""
        try:
            yield from self._take(self._sse.end(), escaped=self._escapes)
        except LlmError:
            if not self._decoder.settled:
                raise

    def _look(self, data: bytes) -> bytes:
        """Detect the format by the first visible byte; return the data to decode (empty before
        that).
        """
        self._head += data
        visible = self._head.lstrip(_SPACE)
        if not visible:
            return b""
        self._known = True
        if visible[:1] in (b"{", b"[", b"<"):
            self._whole = []
        data, self._head = self._head, b""
        return data

    def _take(self, events: list[SseEvent], *, escaped: bool) -> Iterator[WireEvent]:
        """`escaped`: the data may contain JSON escapes."""
        self._events += len(events)
        if len(events) <= _AT_ONCE:
            return self._decode(events, escaped)
        starts = range(0, len(events), _AT_ONCE)
        parts = (self._decode(events[start : start + _AT_ONCE], escaped) for start in starts)
        return chain.from_iterable(parts)

    def _decode(self, events: list[SseEvent], escaped: bool) -> Iterator[WireEvent]:
        if self._decoder.done:
            return iter(())
        events_out = self._decoder.feed(*events)
        if self._pairs.waits or (escaped and _may_hold_halves(events)):
            return self._pairs.repair(events_out)
        return events_out

    def _read_whole(self, text: str) -> Iterator[WireEvent]:
        text = text.strip("\ufeff \t\r\n")
        check_value_count(text)
        try:
            body = _value(text)
        except ValueError:
            yield from self._read_lines(text)
            return
        yield from self._pairs.repair(self._decoder.read_body(body))

    def _read_lines(self, text: str) -> Iterator[WireEvent]:
        """Decode one JSON object per line as a stream without SSE framing; otherwise it isn't a
        reply.
        """
        if text.startswith("<"):
            raise bad_reply(text)
        lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]  # not at U+2028
        try:
            streamed = len(lines) > 1 and all(
                is_terminator(line.strip()) or isinstance(_value(line), dict) for line in lines
            )
        except ValueError:
            streamed = False
        if streamed:
            yield from self._take([SseEvent("", line) for line in lines], escaped=True)
        elif text.endswith(("}", "]")):
            raise bad_reply(text)
        else:
            raise StreamBroken(reason=N_("The connection ended before the reply was complete."))


def _may_hold_halves(events: list[SseEvent]) -> bool:
    return any(_HALF.search(event.data) for event in events)


def _value(text: str) -> object:
    return read_json(text, depth=MOST_BODY_DEPTH)


def _looks_like_sse(head: bytes) -> bool:
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    lines = [line.removeprefix("\ufeff") for line in lines if line]
    if not lines:
        return False
    *whole, last = lines  # the last line may be cut off within the field's name
    return any(field.startswith(last.partition(":")[0]) for field in _FIELDS) and all(
        line.startswith(":") or line.partition(":")[0] in _FIELDS for line in whole
    )
