"""What is written down of turns, and how much of it is kept."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

from neodeskpet.conversation.tracing import MOST, Tracing
from neodeskpet.core.blocks import MessageState, Text, Usage
from neodeskpet.core.errors import ServiceFailed
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.trace import Exchange, Remark, Sending
from neodeskpet.core.turn.turn_events import (
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    RoundStarted,
    TextAppended,
    TurnEnded,
    UsageChanged,
)
from neodeskpet.core.wire import RetryAnnounced
from neodeskpet.core.wording import Reason

SENDING = Sending("big", "POST", "http://here")


def clock() -> Callable[[], float]:
    ticks = count(1)
    return lambda: float(next(ticks))


def begin_round(tracing: Tracing, message: str) -> Exchange:
    """A round's first request."""
    tracer = tracing.begin(message)
    tracer.see(message, RoundStarted(0))
    request = tracer.follow(ModelRequest("", []), [])
    assert request.witness is not None
    return request.witness.exchange(SENDING)


def test_a_round_with_a_retry() -> None:
    tracing = Tracing(now=clock())
    tracer = tracing.begin("m")
    tracer.see("m", RoundStarted(0))  # at 1
    remark = Remark(Reason("Something was left out."))
    asked = ModelRequest("", [], remarks=(remark,))
    request = tracer.follow(asked, [ToolSpec("note.add", "", risk=Risk.OWN, source="app")])
    assert request == asked
    assert request.witness is not None
    first = request.witness.exchange(SENDING)  # at 2
    first.sent(b"{}")  # at 3
    first.ended(ServiceFailed("busy", status=503))  # at 4
    tracer.see("m", RetryAnnounced(1, 2.0, "service_failed"))  # at 5
    second = request.witness.exchange(SENDING)
    second.sent(b"{}")  # at 7
    second.heard(b"one ")  # at 8
    second.heard(b"two")
    tracer.see("m", ModelChosen("big"))
    tracer.see("m", BlockStarted(Text(0, 0, "one")))  # at 9
    tracer.see("m", TextAppended(0, "two"))
    second.ended()  # at 10
    tracer.see("m", UsageChanged(Usage(10, 5, cost=0.5, currency="USD")))  # at 11
    tracer.see("m", TurnEnded(MessageState.DONE, 20.0, "stop"))

    trace = tracing.of("m")
    assert trace is not None
    (one,) = trace.rounds
    assert (one.began, one.shown, one.ended) == (1, 9, 11)
    assert (one.model, one.stop, one.dialect) == ("big", "stop", "native")
    assert one.remarks == (remark,)
    assert [(tool.name, tool.risk) for tool in one.tools] == [("note.add", Risk.OWN)]
    assert [(tried.at, tried.code, tried.delay) for tried in one.retries] == [
        (5, "service_failed", 2.0)
    ]
    failed, answered = one.exchanges
    assert failed.fault is not None
    assert (failed.fault.status, failed.fault.detail, failed.first) == (503, "busy", None)
    assert (answered.began, answered.first, answered.ended) == (7, 8, 10)
    assert (answered.request, answered.response, answered.size) == (b"{}", b"one two", 7)
    assert one.usage == Usage(10, 5, cost=0.5, currency="USD")


def test_each_round_has_what_it_cost_itself() -> None:
    tracing = Tracing(now=clock())
    tracer = tracing.begin("m")
    for number, usage in enumerate((Usage(10, 5, 1), Usage(30, 9, 4, 2))):
        tracer.see("m", RoundStarted(number))
        tracer.see("m", UsageChanged(usage))
    trace = tracing.of("m")
    assert trace is not None
    assert [one.usage for one in trace.rounds] == [Usage(10, 5, 1), Usage(20, 4, 3, 2)]


def test_a_round_that_is_tried_again_stands_beside_the_first() -> None:
    tracing = Tracing(now=clock())
    tracing.begin("m").see("m", RoundStarted(0))
    again = tracing.begin("m")
    again.see("m", BlocksRemoved(0))
    again.see("m", RoundStarted(0))
    trace = tracing.of("m")
    assert trace is not None
    assert [one.number for one in trace.rounds] == [0, 0]
    assert trace.rounds[0].ended is not None


def test_what_comes_before_any_round_is_nothing() -> None:
    tracing = Tracing()
    tracer = tracing.begin("m")
    tracer.see("m", ModelChosen("big"))
    assert tracing.of("m") is not None
    assert tracing.of("other") is None
    assert tracer.follow(ModelRequest("", []), []).witness is not None


def test_only_the_newest_turns_are_kept() -> None:
    tracing = Tracing(turns=2)
    for message in ("a", "b", "c"):
        tracing.begin(message)
    assert tracing.of("a") is None
    assert tracing.of("b") is not None
    assert tracing.of("c") is not None


def test_the_oldest_bodies_are_let_go_first() -> None:
    tracing, noise = Tracing(room=1000), Random(1)
    for message in ("a", "b"):
        exchange = begin_round(tracing, message)
        exchange.sent(noise.randbytes(400))
        exchange.heard(noise.randbytes(300))
        exchange.ended()
    old, new = tracing.of("a"), tracing.of("b")
    assert old is not None
    assert new is not None
    (gone,), (kept,) = old.rounds[0].exchanges, new.rounds[0].exchanges
    assert gone.dropped
    assert (gone.request, gone.response, gone.size) == (b"", b"", 300)
    assert not kept.dropped
    assert (len(kept.request), len(kept.response)) == (400, 300)


def test_what_has_ended_is_packed() -> None:
    """Each request repeats the whole conversation: thirty as they are would fill a lot of room."""
    body = b'{"role": "user", "content": "It rains."}, ' * 5_000
    turns = [str(number) for number in range(30)]
    tracing = Tracing(room=len(body))
    for turn in turns:
        exchange = begin_round(tracing, turn)
        exchange.sent(body)
        exchange.heard(b"It does. " * 1_000)
        exchange.ended()
    for turn in turns:
        trace = tracing.of(turn)
        assert trace is not None
        (kept,) = trace.rounds[0].exchanges
        assert not kept.dropped
        assert (kept.request, kept.response) == (body, b"It does. " * 1_000)


def test_very_long_bodies_are_cut() -> None:
    tracing = Tracing()
    exchange = begin_round(tracing, "m")
    exchange.sent(b"a" * MOST + b"the end")
    for _ in range(3):
        exchange.heard(b"b" * (MOST // 2))
    exchange.ended()
    trace = tracing.of("m")
    assert trace is not None
    (kept,) = trace.rounds[0].exchanges
    assert len(kept.request) < MOST + 100
    assert kept.request.endswith(b"the end")
    assert len(kept.response) == MOST
    assert kept.size == MOST // 2 * 3
