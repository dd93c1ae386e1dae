"""The chain as a transcript: what each model does, and the result for the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from neodeskpet.core.costs import RequestCost
from neodeskpet.core.errors import (
    BadReply,
    ContextTooLong,
    LlmError,
    NotFound,
    RateLimited,
    ReplyError,
    RequestRefused,
    ServiceFailed,
    StreamBroken,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
)
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    ModelNamed,
    PictureDescribed,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    TextDelta,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.catalog.model_catalog import Endpoint, ModelEntry
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import FallbackModel, ModelLink, OwnLimitReached
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.llm.chain.model_wrappers import RetryingModel, RetryPolicy
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_text

REQUEST = ModelRequest("", [UserTurn((TextPart("hi"),))])
WITH_TOOLS = ModelRequest("", REQUEST.messages, tools=(ToolSpec("a.b", "x"),))
END = ResponseFinished(StopReason.END)
Script = Sequence[ScriptItem]


class Bench:
    """Models by name (`model@endpoint`), a clock, and the results of a request."""

    def __init__(self, limits: dict[str, int] | None = None) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.traffic = EndpointState(lambda: self.now)
        self.limits = limits or {}
        self.models: dict[str, ScriptedModel] = {}

    def link(self, name: str, *replies: Script, retries: int = 3, **entry: Any) -> ModelLink:
        model_id, _, place = name.partition("@")
        endpoint = Endpoint(
            name=place,
            protocol="openai",
            base_url=f"http://{place}",
            requests_per_minute=self.limits.get(place),
        )
        scripted = self.models[name] = ScriptedModel(*replies, label=name)
        retrying = RetryingModel(
            scripted, RetryPolicy(retries=retries, sleep=self.sleep, chance=lambda: 1.0)
        )
        choice = complete_choice(endpoint, ModelEntry(endpoint=place, id=model_id, **entry))
        return ModelLink(choice, retrying)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def ask(self, *links: ModelLink, request: ModelRequest = REQUEST) -> Outcome:
        return Outcome(FallbackModel(links, self.traffic), request)

    def asked(self) -> dict[str, int]:
        return {name: len(model.requests) for name, model in self.models.items()}


class Outcome:
    def __init__(self, model: FallbackModel, request: ModelRequest) -> None:
        self.events: list[WireEvent] = []
        self.error: LlmError | None = None
        port: Model = model
        asyncio.run(self._listen(port, request))
        self.label = model.label

    async def _listen(self, model: Model, request: ModelRequest) -> None:
        try:
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    self.events.append(event)
        except LlmError as error:
            self.error = error

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def announced(self) -> list[tuple[int, float, str]]:
        found = [event for event in self.events if isinstance(event, RetryAnnounced)]
        return [(one.attempt, one.delay, one.code) for one in found]


def test_the_first_model_answers() -> None:
    bench = Bench()
    outcome = bench.ask(bench.link("m@a", [scripted_text("one")]), bench.link("n@b"))
    assert (outcome.text, outcome.label, outcome.announced) == ("one", "m@a", [])
    assert outcome.events[-1] == END


@pytest.mark.parametrize(
    "error",
    [Unreachable(), RateLimited(status=429), ServiceFailed(status=503), StreamBroken(),
     ReplyError(status=529)],
)  # fmt: skip
def test_after_a_passing_fault_it_is_tried_once_more_and_then_the_next(error: LlmError) -> None:
    bench = Bench()
    outcome = bench.ask(
        bench.link("m@a", [error], [error]), bench.link("n@b", [scripted_text("two")])
    )
    assert (outcome.text, outcome.label) == ("two", "n@b")
    assert outcome.announced == [(1, 1.0, error.code), (2, 0.0, error.code)]
    assert ModelNamed("n@b") in outcome.events
    assert bench.pauses == [1.0]
    assert bench.asked() == {"m@a": 2, "n@b": 1}


@pytest.mark.parametrize(
    "error",
    [Unauthorized(status=401), Unauthorized(status=403), NotFound(status=404),
     RequestRefused(status=402)],
)  # fmt: skip
def test_a_fault_of_one_endpoint_is_not_retried_there(error: LlmError) -> None:
    bench = Bench()
    outcome = bench.ask(bench.link("m@a", [error]), bench.link("n@b", [scripted_text("two")]))
    assert (outcome.text, outcome.announced) == ("two", [(1, 0.0, error.code)])
    assert bench.pauses == []


@pytest.mark.parametrize(
    "error",
    [RequestRefused(status=400), RequestRefused(status=422), ContextTooLong(status=413),
     BadReply(), ToolsUnsupported(status=400), ReplyError()],
)  # fmt: skip
def test_a_fault_of_the_request_is_raised_at_once(error: LlmError) -> None:
    bench = Bench()
    outcome = bench.ask(bench.link("m@a", [error]), bench.link("n@b", [scripted_text("two")]))
    assert outcome.error is error
    assert bench.asked()["n@b"] == 0


@pytest.mark.parametrize("error", [StreamBroken(), Unauthorized(status=401)])
def test_after_some_output_the_fault_is_raised_unchanged(error: LlmError) -> None:
    bench = Bench()
    outcome = bench.ask(
        bench.link("m@a", [scripted_text("on"), error]), bench.link("n@b", [scripted_text("two")])
    )
    assert outcome.error is error
    assert outcome.events == [ModelNamed("m@a"), TextDelta(0, "on")]
    assert bench.asked()["n@b"] == 0
    again = bench.ask(bench.link("m@a"), bench.link("n@b", [scripted_text("two")]))
    assert again.label == "n@b", "the endpoint cools down all the same"


def test_a_usage_report_is_no_output() -> None:
    bench = Bench()
    first = bench.link("m@a", [UsageReported(1, 0), Unauthorized(status=401)])
    assert bench.ask(first, bench.link("n@b", [scripted_text("two")])).text == "two"


def test_the_last_error_is_raised_if_no_model_can_answer() -> None:
    bench = Bench()
    last = Unauthorized(status=401)
    outcome = bench.ask(bench.link("m@a", [NotFound()]), bench.link("n@b", [last]))
    assert outcome.error is last
    assert outcome.announced == [(1, 0.0, "not_found")]


def test_the_last_of_the_chain_is_retried_like_a_single_model() -> None:
    bench = Bench()
    fails: list[Script] = [[ServiceFailed(status=500)]] * 4
    outcome = bench.ask(bench.link("m@a", *fails[:2]), bench.link("n@b", *fails))
    assert type(outcome.error) is ServiceFailed
    assert bench.asked() == {"m@a": 2, "n@b": 4}
    assert [attempt for attempt, _, _ in outcome.announced] == [1, 2, 3, 4, 5]


def test_a_long_pause_is_skipped_while_another_model_can_answer() -> None:
    bench = Bench()
    slow = RateLimited(status=429, retry_after=30.0)
    outcome = bench.ask(bench.link("m@a", [slow]), bench.link("n@b", [scripted_text("two")]))
    assert (outcome.text, bench.pauses) == ("two", [])
    alone = bench.ask(bench.link("m@c", [slow], [scripted_text("late")]))
    assert (alone.text, bench.pauses) == ("late", [30.0])


def test_an_endpoint_that_failed_is_skipped_for_half_a_minute() -> None:
    bench = Bench()
    broken = [Unauthorized(status=401)]
    bench.ask(bench.link("m@a", broken), bench.link("n@b", [scripted_text("two")]))
    bench.now += 29
    outcome = bench.ask(bench.link("m@a"), bench.link("n@b", [scripted_text("two")]))
    assert (outcome.label, outcome.announced) == ("n@b", [])
    bench.now += 2
    assert bench.ask(bench.link("m@a", [scripted_text("one")]), bench.link("n@b")).label == "m@a"


def test_endpoints_that_cool_down_are_asked_if_there_is_no_other() -> None:
    bench = Bench()
    bench.ask(bench.link("m@a", [Unauthorized()]), bench.link("n@b", [NotFound()]))
    outcome = bench.ask(bench.link("m@a", [scripted_text("one")]), bench.link("n@b"))
    assert outcome.text == "one"


def test_a_wrong_key_holds_for_all_models_of_the_endpoint() -> None:
    bench = Bench()
    chain = (
        bench.link("m@a", [Unauthorized(status=401)]),
        bench.link("m2@a", [scripted_text("never")]),
        bench.link("n@b", [scripted_text("two")]),
    )
    assert bench.ask(*chain).text == "two"
    assert bench.asked() == {"m@a": 1, "m2@a": 0, "n@b": 1}


def test_a_wrong_key_is_not_tried_again_with_another_model() -> None:
    bench = Bench()
    outcome = bench.ask(bench.link("m@a", [Unauthorized(status=401)]), bench.link("m2@a"))
    assert type(outcome.error) is Unauthorized
    assert bench.asked() == {"m@a": 1, "m2@a": 0}


def test_an_answer_ends_the_cooldown() -> None:
    bench = Bench()
    bench.ask(bench.link("m@a", [Unauthorized()]), bench.link("n@b", [NotFound()]))
    bench.ask(bench.link("m@a", [scripted_text("one")]), bench.link("n@b"))
    assert bench.ask(bench.link("m@a", [scripted_text("one")]), bench.link("o@c")).label == "m@a"


def test_a_missing_model_does_not_affect_the_others() -> None:
    bench = Bench()
    chain = (
        bench.link("m@a", [NotFound()]),
        bench.link("m2@a", [scripted_text("two")]),
        bench.link("n@b"),
    )
    assert bench.ask(*chain).label == "m2@a"


def test_another_model_of_an_overloaded_endpoint_comes_last() -> None:
    bench = Bench()
    overloaded: list[Script] = [[ServiceFailed(status=529)]] * 2
    chain = (
        bench.link("m@a", *overloaded),
        bench.link("m2@a", [scripted_text("second")]),
        bench.link("n@b", [NotFound()]),
    )
    assert bench.ask(*chain).label == "m2@a"
    assert bench.asked() == {"m@a": 2, "m2@a": 1, "n@b": 1}


def test_models_without_tools_are_skipped_when_tools_are_needed() -> None:
    bench = Bench()
    chain = (
        bench.link("smollm@a", [scripted_text("one")]),
        bench.link("gpt-4o@b", [scripted_text("two")]),
    )
    assert bench.ask(*chain, request=WITH_TOOLS).text == "two"
    assert (
        bench.ask(bench.link("smollm@a", [scripted_text("one")]), request=WITH_TOOLS).text == "one"
    )
    mute = bench.ask(bench.link("m@a", [scripted_text("one")], tools=False), request=WITH_TOOLS)
    assert type(mute.error) is ToolsUnsupported
    assert bench.asked()["m@a"] == 0
    assert bench.ask(bench.link("m@a", [scripted_text("one")], tools=False)).text == "one"


def test_describing_a_picture_is_no_output_yet() -> None:
    bench = Bench()
    looks = (DescriptionAnnounced(1), PictureDescribed("d", "a cat"))
    chain = (
        bench.link("m@a", [*looks, Unauthorized()]),
        bench.link("n@b", [scripted_text("a cat, then")]),
    )
    assert bench.ask(*chain).text == "a cat, then"


def test_an_endpoint_at_its_limit_is_awaited_or_skipped() -> None:
    bench = Bench({"a": 2})
    limit = bench.traffic.limit(bench.link("m@a").choice.endpoint)
    for _ in range(2):
        limit.take(0)
    chain = (bench.link("m@a", [scripted_text("one")]), bench.link("n@b", [scripted_text("two")]))
    assert bench.ask(*chain).label == "n@b"
    alone = bench.ask(bench.link("m@a", [scripted_text("one")]))
    assert alone.announced == [(0, 30.0, "limit_reached")]
    for _ in range(3):
        limit.take(0)
    refused = bench.ask(bench.link("m@a"))
    assert type(refused.error) is OwnLimitReached
    assert refused.error.retry_after == 120.0


def test_properties_of_the_answering_model() -> None:
    bench = Bench()
    model = FallbackModel([bench.link("gpt-4o@a"), bench.link("n@b")], bench.traffic)
    assert (model.label, model.choice.context) == ("gpt-4o@a", 128_000)


def test_closing_it_closes_the_model() -> None:
    bench = Bench()
    model = FallbackModel([bench.link("m@a", [scripted_text("a", "b")])], bench.traffic)

    async def stop_early() -> None:
        async with aclosing(model.stream(REQUEST)) as events:
            await anext(events)

    asyncio.run(stop_early())
    assert bench.models["m@a"].abandoned == 1
    assert not bench.traffic.cools_down(model.choice.endpoint, "m")


def test_the_price_of_a_response_is_reported_if_it_is_known() -> None:
    bench = Bench()
    used = UsageReported(1_000_000, 100_000)
    prices = {"input": 2.0, "output": 10.0, "currency": "CNY"}
    paid = bench.ask(bench.link("m@a", [scripted_text("one"), used], prices=prices))
    assert UsageReported(1_000_000, 100_000, cost=3.0, currency="CNY") in paid.events
    unknown = bench.ask(bench.link("n@a", [scripted_text("one"), used]))
    assert used in unknown.events


def test_each_answered_request_is_counted() -> None:
    bench = Bench()
    bill: list[RequestCost] = []
    prices = {"input": 1.0, "output": 2.0}
    told = UsageReported(1_000_000, 500_000)
    links = (
        bench.link("a@one", [UsageReported(5, 0), ServiceFailed(status=500)], retries=0),
        bench.link("b@two", [UsageReported(9, 0), scripted_text("Hi"), told, END], prices=prices),
    )
    model = FallbackModel(links, bench.traffic, bill.append, "title")

    async def listen() -> None:
        async for _ in model.stream(replace(REQUEST, account="c")):
            pass

    asyncio.run(listen())
    failed, paid = bill
    assert (failed.model, failed.input_tokens, failed.cost) == ("a@one", 5, None)
    assert (paid.model, paid.purpose, paid.conversation) == ("b@two", "title", "c")
    assert (paid.input_tokens, paid.output_tokens) == (1_000_000, 500_000)
    assert (paid.cost, paid.currency) == (2.0, "USD")
    assert paid.seconds >= 0


def test_an_answer_without_a_report_is_a_request_of_unknown_size() -> None:
    bench = Bench()
    bill: list[RequestCost] = []
    scripted = (
        bench.link("a@one", [ServiceFailed(status=500)], retries=0),
        bench.link("b@two", [scripted_text("Hi"), END]),
    )
    model = FallbackModel(scripted, bench.traffic, bill.append)

    async def listen() -> None:
        async with aclosing(model.stream(REQUEST)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    return  # stopped in the middle

    asyncio.run(listen())
    (told,) = bill
    assert (told.model, told.input_tokens, told.cost) == ("b@two", 0, None)
