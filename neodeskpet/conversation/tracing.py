"""Records what happens in turns, for the turn details.

Kept in memory for this session only: the newest `MAX_TURNS` turns and at most `MAX_TOTAL_BYTES`
bytes of network traffic; the oldest are removed first. Nothing is written to disk. The cost is one
type check per event and one list entry per network chunk. Ended requests are compressed: each
repeats the conversation so far, and thirty of a long one took 16 MB.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from neodeskpet.core.blocks import Usage
from neodeskpet.core.errors import LlmError
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    TurnEvent,
    UsageChanged,
)
from neodeskpet.core.turn.turn_trace import (
    ExchangeTrace,
    HttpExchange,
    OfferedTool,
    OutgoingRequest,
    RequestError,
    RetryTrace,
    RoundTrace,
    TurnTrace,
    without_pictures,
)
from neodeskpet.core.wire import RetryAnnounced

MAX_TURNS = 30
MAX_TOTAL_BYTES = 4 << 20
MAX_EXCHANGE_BYTES = 1 << 20
"""Bytes of one body that are kept."""
_FAST_COMPRESSION = 1  # a megabyte of a conversation in some 10 ms, to a tenth or less

Clock = Callable[[], float]
"""Unix seconds."""


class TurnTraces:
    """The records of this session's turns. Not thread-safe: use it on the event loop of
    the turns.
    """

    def __init__(
        self, *, turns: int = MAX_TURNS, room: int = MAX_TOTAL_BYTES, now: Clock = time.time
    ) -> None:
        self._most, self._room, self._now = turns, room, now
        self._turns: dict[str, TurnTracer] = {}

    def start_turn(self, message_id: str, usage: Usage | None = None) -> TurnTracer:
        """Return the tracer for a turn that writes this message; a continued turn is appended.
        `usage` is the usage of the message so far.
        """
        tracer = self._turns.pop(message_id, None) or TurnTracer(
            message_id, self._make_room, self._now
        )
        tracer.resume(usage)
        self._turns[message_id] = tracer
        while len(self._turns) > self._most:
            del self._turns[next(iter(self._turns))]
        return tracer

    def get(self, message_id: str) -> TurnTrace | None:
        """Return the record of a message; None for one of an earlier session or one that was
        removed.
        """
        tracer = self._turns.get(message_id)
        return None if tracer is None else tracer.trace()

    def _make_room(self) -> None:
        """Remove the oldest records until all fit, after a request has ended."""
        kept = [one for tracer in self._turns.values() for one in tracer.exchanges]
        size = sum(one.byte_count for one in kept)
        for exchange in kept:
            if size <= self._room:
                break
            size -= exchange.byte_count
            exchange.discard_bodies()


class TurnTracer:
    """Records one turn: a turn listener that also receives its requests."""

    def __init__(self, message_id: str, make_room: Callable[[], None], now: Clock) -> None:
        self._message_id = message_id
        self._make_room = make_room
        self._now = now
        self._rounds: list[_RoundTracer] = []
        self._usage = Usage()

    def resume(self, usage: Usage | None) -> None:
        self._usage = usage or Usage(cost=0.0)

    @property
    def exchanges(self) -> list[RecordedExchange]:
        return [one for round_ in self._rounds for one in round_.exchanges]

    def trace(self) -> TurnTrace:
        return TurnTrace(self._message_id, tuple(one.value() for one in self._rounds))

    def trace_request(self, request: ModelRequest, tools: Sequence[ToolSpec]) -> ModelRequest:
        """Return `request` with a tracer that records its traffic in the present round."""
        now = self._rounds[-1] if self._rounds else self._begin(0)
        now.trace = replace(
            now.trace,
            dialect=request.dialect,
            messages=len(request.messages),
            tools=tuple(OfferedTool(one.name, one.risk, one.source) for one in tools),
            remarks=request.remarks,
        )
        return replace(request, tracer=now)

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        if not isinstance(event, TextAppended | ArgumentsAppended):  # nearly all are
            self._note(event)

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, BlocksRemoved | RoundStarted):
            if isinstance(event, RoundStarted):
                self._begin(event.round)
            return
        if not self._rounds:
            return
        now = self._rounds[-1]
        match event:
            case BlockStarted() if now.trace.shown is None:
                now.trace = replace(now.trace, shown=self._now())
            case ModelChosen(label=label):
                now.trace = replace(now.trace, model=label)
            case RetryAnnounced(delay=delay, code=code):
                tried = RetryTrace(self._now(), code, delay)
                now.trace = replace(now.trace, retries=(*now.trace.retries, tried))
            case UsageChanged(usage=usage):
                now.trace = replace(now.trace, usage=_usage_difference(usage, self._usage))
                now.end(self._now())
                self._usage = usage
            case TurnEnded(at=at, finish_reason=reason):
                now.trace = replace(now.trace, stop=reason)
                now.end(at)
            case _:
                pass

    def _begin(self, number: int) -> _RoundTracer:
        now = self._now()
        if self._rounds:
            self._rounds[-1].end(now)
        self._rounds.append(_RoundTracer(RoundTrace(number, now), self._make_room, self._now))
        return self._rounds[-1]


class _RoundTracer:
    """A `Tracer`."""

    def __init__(self, trace: RoundTrace, make_room: Callable[[], None], now: Clock) -> None:
        self.trace = trace
        self.exchanges: list[RecordedExchange] = []
        self._make_room = make_room
        self._now = now

    def exchange(self, sending: OutgoingRequest) -> HttpExchange:
        made = RecordedExchange(sending, self._make_room, self._now)
        self.exchanges.append(made)
        return made

    def end(self, at: float) -> None:
        if self.trace.ended is None:
            self.trace = replace(self.trace, ended=at)

    def value(self) -> RoundTrace:
        return replace(self.trace, exchanges=tuple(one.value() for one in self.exchanges))


class RecordedExchange:
    """An `HttpExchange` that is recorded. `size` is the number of stored bytes."""

    def __init__(self, sending: OutgoingRequest, make_room: Callable[[], None], now: Clock) -> None:
        self.byte_count = 0
        self._trace = ExchangeTrace(sending, now())
        self._chunks: list[bytes] = []
        self._packed: tuple[bytes, bytes] | None = None  # request and response, once it has ended
        self._received = 0
        self._make_room = make_room
        self._now = now

    def sent(self, body: bytes) -> None:
        kept = without_pictures(body)
        if len(kept) > MAX_EXCHANGE_BYTES:  # its end holds what was said last
            kept = kept[: MAX_EXCHANGE_BYTES // 2] + b"\n[...]\n" + kept[-MAX_EXCHANGE_BYTES // 2 :]
        self.byte_count = len(kept)
        self._trace = replace(self._trace, began=self._now(), request=kept)

    def received(self, chunk: bytes) -> None:
        if not self._received:
            self._trace = replace(self._trace, first=self._now())
        self._received += len(chunk)
        if self._received <= MAX_EXCHANGE_BYTES:
            self._chunks.append(chunk)

    def ended(self, error: LlmError | None = None) -> None:
        fault = None
        if error is not None:
            fault = RequestError(error.code, error.params, error.status, error.detail)
        self._trace = replace(self._trace, ended=self._now(), fault=fault)
        request, response = self._trace.request, b"".join(self._chunks)
        self._packed = (
            zlib.compress(request, _FAST_COMPRESSION),
            zlib.compress(response, _FAST_COMPRESSION),
        )
        self._trace = replace(self._trace, request=b"")
        self._chunks = []
        self.byte_count = sum(map(len, self._packed))
        self._make_room()

    def discard_bodies(self) -> None:
        """Discard request and response bodies to free memory."""
        self.byte_count = 0
        self._chunks = []
        self._packed = None
        self._trace = replace(self._trace, request=b"", dropped=True)

    def value(self) -> ExchangeTrace:
        if self._packed is None:
            return replace(self._trace, response=b"".join(self._chunks), size=self._received)
        request, response = map(zlib.decompress, self._packed)
        return replace(self._trace, request=request, response=response, size=self._received)


def _usage_difference(now: Usage, before: Usage) -> Usage:
    """Return the usage of one round."""
    cost = None
    if now.cost is not None and before.cost is not None:
        cost = now.cost - before.cost
    return Usage(
        now.input_tokens - before.input_tokens,
        now.output_tokens - before.output_tokens,
        now.cached_tokens - before.cached_tokens,
        now.thinking_tokens - before.thinking_tokens,
        now.context_tokens,
        cost,
        now.currency if cost is not None else "",
    )
