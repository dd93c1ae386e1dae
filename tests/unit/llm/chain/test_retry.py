from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    NotFound,
    RateLimited,
    ReplyError,
    RequestRefused,
    ServiceFailed,
    StreamBroken,
    Unauthorized,
    Unreachable,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import (
    LoadingAnnounced,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.chain.model_wrappers import RetryingModel, RetryPolicy

REQUEST = ModelRequest("", [])
END = ResponseFinished(StopReason.END, "stop")


class Scripted:
    """Each call plays one list: events, and possibly an error at its end."""

    label = "scripted"

    def __init__(self, *calls: Sequence[WireEvent | LlmError]) -> None:
        self.calls = list(calls)
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        try:
            for item in self.calls.pop(0):
                if isinstance(item, LlmError):
                    raise item
                yield item
        finally:
            self.closed += 1


class Outcome:
    def __init__(self, model: Scripted, *, retries: int = 3, chance: float = 1.0) -> None:
        self.pauses: list[float] = []
        self.events: list[WireEvent] = []
        self.error: LlmError | None = None

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        retrying: Model = RetryingModel(
            model, RetryPolicy(retries=retries, sleep=sleep, chance=lambda: chance)
        )
        assert retrying.label == "scripted"

        async def listen() -> None:
            try:
                async for event in retrying.stream(REQUEST):
                    self.events.append(event)
            except LlmError as error:
                self.error = error

        asyncio.run(listen())


def test_retries_have_growing_pauses() -> None:
    broken = [StreamBroken()]
    outcome = Outcome(Scripted([Unreachable()], [ServiceFailed()], broken, [END]))
    assert outcome.error is None
    assert outcome.pauses == [1.0, 2.0, 4.0]
    assert outcome.events == [
        RetryAnnounced(1, 1.0, "unreachable"),
        RetryAnnounced(2, 2.0, "service_failed"),
        RetryAnnounced(3, 4.0, "stream_broken"),
        END,
    ]


def test_the_pause_is_jittered_between_half_and_whole() -> None:
    assert Outcome(Scripted([Unreachable()], [END]), chance=0.0).pauses == [0.5]
    assert Outcome(Scripted([Unreachable()], [END]), chance=0.5).pauses == [0.75]


def test_after_the_last_retry_the_error_is_raised() -> None:
    outcome = Outcome(Scripted(*[[Unreachable()]] * 3), retries=2)
    assert type(outcome.error) is Unreachable
    assert len(outcome.pauses) == 2


@pytest.mark.parametrize(
    "shown", [TextDelta(0, "a"), ThinkingDelta(0, "a"), ToolCallStarted(0, "1", "f")]
)
def test_nothing_is_repeated_after_some_output(shown: WireEvent) -> None:
    model = Scripted([shown, StreamBroken()], [END])
    outcome = Outcome(model)
    assert type(outcome.error) is StreamBroken
    assert outcome.events == [shown]
    assert len(model.calls) == 1


def test_usage_alone_is_no_output() -> None:
    outcome = Outcome(
        Scripted(
            [UsageReported(1, 0), LoadingAnnounced("m"), StreamBroken()], [TextDelta(0, "a"), END]
        )
    )
    assert outcome.error is None
    assert outcome.events[-1] == END


@pytest.mark.parametrize(
    "error",
    [
        Unauthorized(status=401), Unauthorized(status=403), NotFound(status=404),
        RequestRefused(status=400), RequestRefused(status=422), BadReply(), ReplyError("bad"),
    ],
)  # fmt: skip
def test_faults_that_are_never_retried(error: LlmError) -> None:
    outcome = Outcome(Scripted([error], [END]))
    assert outcome.error is error
    assert outcome.pauses == []


def test_an_error_in_the_reply_that_stands_for_a_passing_fault() -> None:
    assert Outcome(Scripted([ReplyError("busy", status=529)], [END])).error is None


def test_the_service_may_ask_for_a_longer_pause() -> None:
    limited = RateLimited(retry_after=30.0)
    assert Outcome(Scripted([limited], [END])).pauses == [30.0]
    assert Outcome(Scripted([RateLimited(retry_after=0.1)], [END])).pauses == [1.0]


def test_a_pause_that_is_too_long_is_left_to_the_user() -> None:
    outcome = Outcome(Scripted([RateLimited(retry_after=61.0)], [END]))
    assert type(outcome.error) is RateLimited
    assert outcome.pauses == []


def test_each_attempt_is_closed() -> None:
    model = Scripted([Unreachable()], [TextDelta(0, "a"), END])

    async def leave_early() -> None:
        async def sleep(seconds: float) -> None:
            return None

        events = RetryingModel(model, RetryPolicy(sleep=sleep)).stream(REQUEST)
        await anext(events)
        await anext(events)
        assert model.closed == 1
        await events.aclose()
        assert model.closed == 2

    asyncio.run(leave_early())


GIVEN_UP = ResponseFinished(StopReason.MALFORMED, "MALFORMED_FUNCTION_CALL")


def test_a_reply_with_a_malformed_call_is_requested_once_more() -> None:
    outcome = Outcome(Scripted([GIVEN_UP], [TextDelta(0, "a"), END]))
    assert outcome.events == [RetryAnnounced(1, 0.0, "call_malformed"), TextDelta(0, "a"), END]
    again = Outcome(Scripted([GIVEN_UP], [GIVEN_UP]))
    assert again.events == [RetryAnnounced(1, 0.0, "call_malformed"), GIVEN_UP]


def test_a_malformed_call_after_text_is_not_requested_again() -> None:
    outcome = Outcome(Scripted([TextDelta(0, "a"), GIVEN_UP]))
    assert outcome.events == [TextDelta(0, "a"), GIVEN_UP]
