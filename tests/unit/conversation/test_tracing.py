"""The recorded trace of turns, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

from neodeskpet.conversation.tracing import MAX_EXCHANGE_BYTES, TurnTraces
from neodeskpet.core.blocks import MessageState, Text, Usage
from neodeskpet.core.errors import ServiceFailed
from neodeskpet.core.i18n import Reason
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.turn_events import (
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    UsageChanged,
)
from neodeskpet.core.turn.turn_trace import ContextRemark, HttpExchange, OutgoingRequest
from neodeskpet.core.wire import RetryAnnounced

SENDING = OutgoingRequest("big", "POST", "http://here")


def clock() -> Callable[[], float]:
    ticks = count(1)
    return lambda: float(next(ticks))


def begin_round(tracing: TurnTraces, message: str) -> HttpExchange:
    """Return the first request of a round."""
    tracer = tracing.start_turn(message)
    tracer.on_turn_event(message, RoundStarted(0))
    request = tracer.trace_request(ModelRequest("", []), [])
    assert request.tracer is not None
    return request.tracer.exchange(SENDING)


def test_a_round_with_a_retry() -> None:
    tracing = TurnTraces(now=clock())
    tracer = tracing.start_turn("m")
    tracer.on_turn_event("m", RoundStarted(0))  # at 1
    remark = ContextRemark(Reason("Something was left out."))
    asked = ModelRequest("", [], remarks=(remark,))
    request = tracer.trace_request(
        asked, [ToolSpec("note.add", "", risk=Risk.APP_DATA, source="app")]
    )
    assert request == asked
    assert request.tracer is not None
    first = request.tracer.exchange(SENDING)  # at 2
    first.sent(b"{}")  # at 3
    first.ended(ServiceFailed("busy", status=503))  # at 4
    tracer.on_turn_event("m", RetryAnnounced(1, 2.0, "service_failed"))  # at 5
    second = request.tracer.exchange(SENDING)
    second.sent(b"{}")  # at 7
    second.received(b"one ")  # at 8
    second.received(b"two")
    tracer.on_turn_event("m", ModelChosen("big"))
    tracer.on_turn_event("m", BlockStarted(Text(0, 0, "one")))  # at 9
    tracer.on_turn_event("m", TextAppended(0, "two"))
    second.ended()  # at 10
    tracer.on_turn_event("m", UsageChanged(Usage(10, 5, cost=0.5, currency="USD")))  # at 11
    tracer.on_turn_event("m", TurnEnded(MessageState.DONE, 20.0, "stop"))

    trace = tracing.get("m")
    assert trace is not None
    (one,) = trace.rounds
    assert (one.began, one.shown, one.ended) == (1, 9, 11)
    assert (one.model, one.stop, one.dialect) == ("big", "stop", "native")
    assert one.remarks == (remark,)
    assert [(tool.name, tool.risk) for tool in one.tools] == [("note.add", Risk.APP_DATA)]
    assert [(tried.at, tried.code, tried.delay) for tried in one.retries] == [
        (5, "service_failed", 2.0)
    ]
    failed, answered = one.exchanges
    assert failed.fault is not None
    assert (failed.fault.status, failed.fault.detail, failed.first) == (503, "busy", None)
    assert (answered.began, answered.first, answered.ended) == (7, 8, 10)
    assert (answered.request, answered.response, answered.size) == (b"{}", b"one two", 7)
    assert one.usage == Usage(10, 5, cost=0.5, currency="USD")


def test_each_round_has_its_own_cost() -> None:
    tracing = TurnTraces(now=clock())
    tracer = tracing.start_turn("m")
    for number, usage in enumerate((Usage(10, 5, 1), Usage(30, 9, 4, 2))):
        tracer.on_turn_event("m", RoundStarted(number))
        tracer.on_turn_event("m", UsageChanged(usage))
    trace = tracing.get("m")
    assert trace is not None
    assert [one.usage for one in trace.rounds] == [Usage(10, 5, 1), Usage(20, 4, 3, 2)]


def test_a_repeated_round_is_kept_beside_the_first() -> None:
    tracing = TurnTraces(now=clock())
    tracing.start_turn("m").on_turn_event("m", RoundStarted(0))
    again = tracing.start_turn("m")
    again.on_turn_event("m", BlocksRemoved(0))
    again.on_turn_event("m", RoundStarted(0))
    trace = tracing.get("m")
    assert trace is not None
    assert [one.number for one in trace.rounds] == [0, 0]
    assert trace.rounds[0].ended is not None


def test_events_before_any_round_are_ignored() -> None:
    tracing = TurnTraces()
    tracer = tracing.start_turn("m")
    tracer.on_turn_event("m", ModelChosen("big"))
    assert tracing.get("m") is not None
    assert tracing.get("other") is None
    assert tracer.trace_request(ModelRequest("", []), []).tracer is not None


def test_only_the_latest_turns_are_kept() -> None:
    tracing = TurnTraces(turns=2)
    for message in ("a", "b", "c"):
        tracing.start_turn(message)
    assert tracing.get("a") is None
    assert tracing.get("b") is not None
    assert tracing.get("c") is not None


def test_the_oldest_bodies_are_discarded_first() -> None:
    tracing, noise = TurnTraces(room=1000), Random(1)
    for message in ("a", "b"):
        exchange = begin_round(tracing, message)
        exchange.sent(noise.randbytes(400))
        exchange.received(noise.randbytes(300))
        exchange.ended()
    old, new = tracing.get("a"), tracing.get("b")
    assert old is not None
    assert new is not None
    (gone,), (kept,) = old.rounds[0].exchanges, new.rounds[0].exchanges
    assert gone.dropped
    assert (gone.request, gone.response, gone.size) == (b"", b"", 300)
    assert not kept.dropped
    assert (len(kept.request), len(kept.response)) == (400, 300)


def test_ended_turns_are_compressed() -> None:
    """Each request repeats the whole conversation: thirty of them uncompressed would need much
    memory.
    """
    body = b'{"role": "user", "content": "It rains."}, ' * 5_000
    turns = [str(number) for number in range(30)]
    tracing = TurnTraces(room=len(body))
    for turn in turns:
        exchange = begin_round(tracing, turn)
        exchange.sent(body)
        exchange.received(b"It does. " * 1_000)
        exchange.ended()
    for turn in turns:
        trace = tracing.get(turn)
        assert trace is not None
        (kept,) = trace.rounds[0].exchanges
        assert not kept.dropped
        assert (kept.request, kept.response) == (body, b"It does. " * 1_000)


def test_very_long_bodies_are_cut() -> None:
    tracing = TurnTraces()
    exchange = begin_round(tracing, "m")
    exchange.sent(b"a" * MAX_EXCHANGE_BYTES + b"the end")
    for _ in range(3):
        exchange.received(b"b" * (MAX_EXCHANGE_BYTES // 2))
    exchange.ended()
    trace = tracing.get("m")
    assert trace is not None
    (kept,) = trace.rounds[0].exchanges
    assert len(kept.request) < MAX_EXCHANGE_BYTES + 100
    assert kept.request.endswith(b"the end")
    assert len(kept.response) == MAX_EXCHANGE_BYTES
    assert kept.size == MAX_EXCHANGE_BYTES // 2 * 3
