"""The base class of all decoders: it numbers the parts, and yields events before an error."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from json.scanner import make_scanner
from typing import Any, ClassVar, TypeVar, assert_never, cast

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import MOST_BODY_DEPTH, has_more_values, nests_deeper
from neodeskpet.core.wire import (
    PictureReceived,
    RefusalDelta,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ThinkingRetracted,
    ToolCallReady,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols.protocol import HttpRequest
from neodeskpet.llm.protocols.provider_errors import bad_reply, reply_error, too_many_values
from neodeskpet.llm.protocols.reply_pictures import PictureData, PictureLink
from neodeskpet.llm.protocols.stream.protocol_detection import explain_wrong_protocol
from neodeskpet.llm.protocols.stream.sse import SseEvent
from neodeskpet.llm.protocols.stream.think_tags import RETRACTED, ThinkTagReader

T = TypeVar("T")
# json.loads without its checks. It accepts raw tabs in strings, which gateways send.
_read_json = make_scanner(cast(Any, json.JSONDecoder(strict=False)))

_SHALLOW = 2 * MOST_BODY_DEPTH
"""A JSON text of at most this many characters can't be nested too deeply."""

_SLICE = 4096  # characters of text that are searched at once

MANY_VALUES = 50_000  # values in one event, or in a reply that isn't streamed
MOST_PARTS = 600  # calls in one reply: a card is created and stored for each

TERMINATOR_GRACE_SECONDS = 3.0
"""Seconds that a reply waits for its terminator after a finish reason that came alone (usage may
come with the terminator).
"""

TextKind = type[TextDelta] | type[RefusalDelta] | type[ThinkingDelta]


class ReplyDecoder(ABC):
    """A `protocol.Decoder`: a subclass reads events and passes the results to `emit`. Consecutive
    text of one kind is one part with one index; each call is a part of its own.
    """

    protocol: ClassVar[str] = ""

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self.done = False
        self.doubted = False
        self._bare_end = False  # the last event was a finish reason without content
        self._trusts_end = True  # no content has come after such a reason yet
        self._pictures: set[int] = set()
        self._out: list[WireEvent] = []
        self.emit = self._out.append
        self._parts = 0
        self._tags = ThinkTagReader()
        self._is_plain = self._tags.is_plain
        self._kind: type[WireEvent] | None = None  # of the current part
        self._index = -1
        self._first: object = None  # the first event, in whatever protocol

    @abstractmethod
    def read_event(self, event: SseEvent) -> None:
        """Read one event. Raises LlmError."""

    @abstractmethod
    def read_whole(self, body: object) -> None:
        """Read a reply that isn't streamed. Raises LlmError, BadReply if it isn't one."""

    @abstractmethod
    def finish(self) -> None:
        """Emit the remaining data and `ResponseFinished`. Raises StreamBroken."""

    @property
    def settled(self) -> bool:
        return self.done or self.finish_reason is not None

    @property
    def silence(self) -> float | None:
        return TERMINATOR_GRACE_SECONDS if self._bare_end and not self.done else None

    def fall_silent(self) -> Iterator[WireEvent]:
        self.done = self._bare_end
        return iter(())

    def stop_with(self, reason: str, *, bare: bool) -> None:
        """Note a finish reason. `bare`: it came without content. Only then a short silence ends the
        reply: some gateways send a reason with every piece, or before any text.
        """
        self.finish_reason = reason
        if not bare:
            self._bare_end = False
            return
        self.flush_text()
        self._bare_end = self._parts > 0 and self._trusts_end
        self.doubted = self.doubted and not self._bare_end

    def feed(self, *events: SseEvent) -> Iterator[WireEvent]:
        read = self.read_event
        try:
            for event in events:
                if self.done:
                    break
                if self.finish_reason is None:
                    read(event)
                else:
                    self._read_after_end(event)
        except LlmError as error:
            return yield_before_error(self.take_events(), error)
        return iter(self.take_events())

    def _read_after_end(self, event: SseEvent) -> None:
        """Note content after a finish reason: it reopens the reply."""
        mark, was_bare = self.mark(), self._bare_end
        self.read_event(event)
        if self.has_written(mark) and not self.done:
            self.doubted = True
            self._trusts_end = self._trusts_end and not was_bare
            self._bare_end = False

    def mark(self) -> tuple[int, str]:
        """Return a position in the decoded content, for `has_written`."""
        return len(self._out), self._tags.held

    def has_written(self, mark: tuple[int, str]) -> bool:
        """Return whether content came after `mark`."""
        count, held = mark
        return self._tags.held not in ("", held) or any(
            not isinstance(event, UsageReported | ToolCallReady) for event in self._out[count:]
        )

    def read_body(self, body: object) -> Iterator[WireEvent]:
        self._first = body
        return self._tell(self.read_whole, body)

    def end(self) -> Iterator[WireEvent]:
        return self._tell(lambda _: self._finish(), None)

    def _finish(self) -> None:
        self.flush_text()
        unclosed = self._tags.unclosed
        if unclosed and self._kind is ThinkingDelta:
            self.emit(ThinkingRetracted(self._index, unclosed))
        self.finish()

    def resume(self, request: HttpRequest) -> HttpRequest | None:
        """Return None: most protocols don't pause."""
        return None

    def _tell(self, read: Callable[[T], None], what: T) -> Iterator[WireEvent]:
        try:
            read(what)
        except LlmError as error:
            yield from self.take_events()
            if self._parts:
                raise
            raise explain_wrong_protocol(error, self.protocol, self._first) from None
        yield from self.take_events()

    def take_events(self) -> list[WireEvent]:
        out = self._out.copy()
        self._out.clear()
        return out

    # Parts

    def new_part(self) -> int:
        """Return the index of a new part; later text is a part of its own. Raises LlmError when
        there are too many.
        """
        if self._parts >= MOST_PARTS:
            raise too_many_values()
        self.flush_text()
        self._kind = None
        return self._new_index()

    def _new_index(self) -> int:
        self._parts += 1
        return self._parts - 1

    def write_text(self, text: str) -> None:
        """Emit a piece of text, which may contain thinking between tags."""
        if self._kind is TextDelta and self._is_plain(text):
            self.emit(TextDelta(self._index, text))
            return
        for start in range(0, len(text) or 1, _SLICE):  # a search for tags reads all of it
            self._write_pieces(self._tags.feed(text[start : start + _SLICE]))

    def flush_text(self) -> None:
        """Emit the text that was held back because it might have become a tag."""
        self._write_pieces(self._tags.end())

    def _write_pieces(self, pieces: list[tuple[bool, str]]) -> None:
        for piece in pieces:
            if piece != RETRACTED:
                self.put(ThinkingDelta if piece[0] else TextDelta, piece[1])
            elif self._kind is TextDelta:
                self.emit(TextRetracted(self._index))
                self._kind = None

    def write(self, kind: TextKind, text: str) -> None:
        """Emit a piece of text unchanged; a new part begins when the kind changes."""
        if kind is not self._kind:
            self.flush_text()
        self.put(kind, text)

    def put(self, kind: TextKind, text: str) -> None:
        """The same, after the text that is held back."""
        if kind is not self._kind:
            self._index = self._new_index()
            self._kind = kind
        self.emit(kind(self._index, text))

    def write_picture(self, found: PictureData | PictureLink | None) -> None:
        """Emit a picture of the reply, once; or a link if only its address was sent."""
        match found:
            case PictureData(data=data, media_type=media_type):
                if hash(data) not in self._pictures:
                    self._pictures.add(hash(data))
                    self.emit(PictureReceived(self.new_part(), data, media_type))
            case PictureLink(url=url):
                if hash(url) not in self._pictures:
                    self._pictures.add(hash(url))
                    self.write(TextDelta, f"\n\n[image]({url})\n\n")
            case None:
                pass
            case _:
                assert_never(found)

    def write_opaque(self, opaque: str) -> None:
        """Emit the data to send back with the thinking that was just written (or without any)."""
        if self._kind is not ThinkingDelta:
            self._index = self.new_part()
            self._kind = ThinkingDelta
        self.emit(ThinkingDelta(self._index, "", opaque))

    def parse(self, event: SseEvent) -> dict[str, Any]:
        """Return the JSON object of an event; an empty one for events to skip. Raises LlmError."""
        text = event.data.strip()
        if not text or is_terminator(text):  # the gateways of other protocols send the latter too
            return {}
        if len(text) > _SHALLOW:
            check_value_count(text)
            if nests_deeper(text, MOST_BODY_DEPTH):
                raise self._broken(event)
        try:
            data, end = _read_json(text, 0)
        except (ValueError, StopIteration):
            raise self._broken(event) from None
        if end != len(text):
            raise self._broken(event)
        if self._first is None:
            self._first = data
        return data if isinstance(data, dict) else {}

    def _broken(self, event: SseEvent) -> LlmError:
        if event.event == "error":
            return reply_error(event.data)
        if self._first is None and not event.data.lstrip().startswith("{"):
            return bad_reply(event.data)
        return StreamBroken(event.data[:200], reason=N_("A piece of the reply isn't valid JSON."))


def is_terminator(text: str) -> bool:
    return text[:1] == "[" and text.casefold() == "[done]"


def yield_before_error(events: list[WireEvent], error: LlmError) -> Iterator[WireEvent]:
    """Yield the decoded events, and then raise the error."""
    yield from events
    raise error


def check_value_count(text: str) -> None:
    """Raise LlmError if the JSON in `text` has more values than any part of a reply: each takes a
    hundred times the memory of its text.
    """
    if len(text) > MANY_VALUES and has_more_values(text, MANY_VALUES):
        raise too_many_values()


def stream_cut_short() -> StreamBroken:
    """Handle EOF without the protocol's terminator."""
    return StreamBroken(reason=N_("The connection ended before the reply was complete."))
