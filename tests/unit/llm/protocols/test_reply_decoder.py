from __future__ import annotations

import pytest

from neodeskpet.core.errors import BadReply, ReplyError, StreamBroken
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    WireEvent,
)
from neodeskpet.llm.protocols.reply_decoder import ReplyDecoder, stream_cut_short
from neodeskpet.llm.protocols.stream.sse import SseEvent


class Letters(ReplyDecoder):
    """Each event is letters: t text, h thinking, o opaque, c a call, ! an error."""

    def read_event(self, event: SseEvent) -> None:
        for letter in event.data:
            match letter:
                case "t":
                    self.write(TextDelta, letter)
                case "h":
                    self.write(ThinkingDelta, letter)
                case "o":
                    self.write_opaque("{}")
                case "c":
                    self.new_part()
                case _:
                    self.parse(event)
        self._first = event.data

    def read_whole(self, body: object) -> None:
        self.read_event(SseEvent("", str(body)))

    def finish(self) -> None:
        if not self.done:
            raise stream_cut_short()
        self.emit(ResponseFinished(StopReason.END))


def letters(data: str) -> list[WireEvent]:
    return list(Letters().feed(SseEvent("", data)))


def test_text_of_one_kind_is_one_part() -> None:
    assert letters("tthht") == [
        TextDelta(0, "t"),
        TextDelta(0, "t"),
        ThinkingDelta(1, "h"),
        ThinkingDelta(1, "h"),
        TextDelta(2, "t"),
    ]


def test_text_after_a_call_is_another_part() -> None:
    assert letters("tct") == [TextDelta(0, "t"), TextDelta(2, "t")]


def test_an_opaque_part_belongs_to_its_thinking() -> None:
    assert letters("ho") == [ThinkingDelta(0, "h"), ThinkingDelta(0, "", "{}")]
    assert letters("to") == [TextDelta(0, "t"), ThinkingDelta(1, "", "{}")]


def test_events_before_an_error_come_first() -> None:
    decoder = Letters()
    events = decoder.feed(SseEvent("", "tt!"))
    assert [next(events), next(events)] == [TextDelta(0, "t")] * 2
    with pytest.raises(BadReply):
        next(events)
    assert list(decoder.feed(SseEvent("", "t"))) == [TextDelta(0, "t")]
    with pytest.raises(StreamBroken):
        list(decoder.feed(SseEvent("", "!")))
    with pytest.raises(ReplyError):
        list(decoder.feed(SseEvent("error", "!")))


def test_the_end() -> None:
    decoder = Letters()
    with pytest.raises(StreamBroken):
        list(decoder.end())
    assert list(decoder.read_body("t")) == [TextDelta(0, "t")]
    decoder.done = True
    assert list(decoder.end()) == [ResponseFinished(StopReason.END)]
