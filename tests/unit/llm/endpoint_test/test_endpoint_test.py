"""The endpoint test against services with different behaviour."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from neodeskpet.core.errors import (
    InvalidAddress,
    LlmError,
    StreamBroken,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
)
from neodeskpet.llm.catalog.known_models import ThinkingForm
from neodeskpet.llm.endpoint_test.endpoint_advice import AdviceReason, advise
from neodeskpet.llm.endpoint_test.endpoint_tester import (
    STEP_IDS,
    EndpointTest,
    StepOutcome,
    StepResult,
    StepTiming,
    list_models,
    suggested_mode,
)
from neodeskpet.llm.endpoint_test.result_descriptions import advice_text, step_result_text
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import (
    HANG,
    RESET,
    Part,
    Reply,
    Request,
    ScriptedServer,
    check_history,
    chunk,
    done,
    finish,
    text,
    thinking,
    tool_call,
    usage,
)

ECHO = {"one": {"word": "one"}, "two": {"word": "two"}, "neo": {"word": "neo"}}


MARKS = {"tool_request": "TOOL_REQUEST", "tool_call": "<tool_call>", "tool_tag": "<messages>"}
WRITTEN = {
    "tool_request": "<<<[TOOL_REQUEST]>>>\ntool_name:「始」probe.echo「末」\n"
    'input_json:「始」{"word": "neo"}「末」\n<<<[END_TOOL_REQUEST]>>>',
    "tool_call": '<tool_call>{"window_id": "tools", "action_id": "probe.echo", '
    '"params": {"word": "neo"}}</tool_call>',
    "tool_tag": "<messages><item>Neo!</item><tool><name>probe.echo</name>"
    '<arguments>{"word": "neo"}</arguments></tool></messages>',
}


class Service:
    """A model service that supports everything except what a test removes."""

    def __init__(self) -> None:
        self.is_streaming = True
        self.tools = True
        self.calls = True
        self.leaked_call_families = ""  # how a call in the text continues
        self.forms: dict[str, str] = {}  # its answer when a form is announced
        self.vision = True
        self.thinks = False
        self.broken: tuple[str, ...] = ()  # words whose calls have broken arguments
        self.one_call = False
        self.indexes: Callable[[int], int | None] = lambda number: number
        self.second_round = 200
        self.asked: list[Any] = []

    def __call__(self, request: Request) -> Reply:
        body = request.body
        self.asked.append(body)
        last = body["messages"][-1]
        if form := announced(body):
            return self.say(body, *self.forms.get(form, "Neo!"))
        if body.get("tools") and not self.tools:
            return refused(400, "this model does not support tools")
        if last["role"] == "tool":
            if self.second_round != 200:
                return refused(self.second_round, "missing thought signature")
            return self.say(body, "It ", "said neo.")
        if isinstance(last["content"], list):
            if not self.vision:
                return refused(400, "image input is not supported")
            assert last["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
            return self.say(body, "Red", ".")
        if body.get("tools") and self.leaked_call_families:
            return self.say(body, '<tool_call>{"name": "probe_echo", ', self.leaked_call_families)
        if body.get("tools") and self.calls:
            return self.call(body, last["content"])
        return self.say(body, "one ", "two ", "three")

    def say(self, body: Any, *pieces: str) -> Reply:
        if not body["stream"]:
            message = {"role": "assistant", "content": "".join(pieces)}
            return Reply([{"choices": [{"message": message, "finish_reason": "stop"}]}])
        if not self.is_streaming:
            return refused(400, "streaming is switched off here")
        thoughts = [thinking("hm")] if self.thinks else []
        return Reply([*thoughts, *map(text, pieces), finish(), usage(20, 7), done()])

    def call(self, body: Any, question: str) -> Reply:
        if "ping" in question:
            calls = [("probe_ping", "")]
        else:
            words = [word for word in ECHO if f'"{word}"' in question]
            calls = [("probe_echo", self.arguments(word)) for word in words]
        calls = calls[:1] if self.one_call else calls
        if not body["stream"]:
            return whole_calls(calls)
        parts: list[Part] = []
        for number, (name, arguments) in enumerate(calls):
            fields = {"function": {"name": name, "arguments": arguments}, "type": "function"}
            index = self.indexes(number)
            place = {} if index is None else {"index": index}
            parts.append(chunk({"tool_calls": [{**place, "id": f"id{number}", **fields}]}))
        return Reply([*parts, finish("tool_calls"), usage(), done()])

    def arguments(self, word: str) -> str:
        return '{"word": ' if word in self.broken else json.dumps(ECHO[word])


def announced(body: Any) -> str:
    """Return the text form in which a request asks for a call, or ""."""
    first = body["messages"][0]
    told = first["content"] if first["role"] == "system" else ""
    return next((form for form, mark in MARKS.items() if mark in told), "")


def forms_asked(service: Service) -> list[str]:
    return list(filter(None, map(announced, service.asked)))


def whole_calls(calls: list[tuple[str, str]]) -> Reply:
    made = [
        {"id": f"i{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    return Reply([{"choices": [{"message": message, "finish_reason": "tool_calls"}]}])


def refused(status: int, words: str) -> Reply:
    return Reply([{"error": {"message": words}}], status)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(check_history) as scripted:
        scripted.pages["/v1/models"] = {"data": [{"id": "m"}, {"id": "other"}]}
        yield scripted


class Result:
    def __init__(
        self,
        url: str,
        model: str = "m",
        thinking: ThinkingForm | None = None,
        timeout: float = 30.0,
        **options: Any,
    ) -> None:
        self.begun: list[str] = []
        self.trials: list[StepResult] = []
        self.pauses: list[float] = []
        asyncio.run(self._run(ModelOptions(url, model, **options), thinking, timeout))
        self.found = {trial.id: trial for trial in self.trials}

    async def _run(
        self, options: ModelOptions, thinking: ThinkingForm | None, timeout: float
    ) -> None:
        client, seconds = HttpClient(), itertools.count(0.0, 0.5)

        async def sleep(pause: float) -> None:
            self.pauses.append(pause)

        trial = EndpointTest(
            client,
            PROTOCOLS["openai"],
            options,
            thinking=thinking,
            watch=StepTiming(lambda: next(seconds), timeout),
            sleep=sleep,
        )
        async with aclosing(trial.run(self.begun.append)) as trials:
            self.trials = [one async for one in trials]
        await client.aclose()

    def outcomes(self) -> dict[str, str]:
        return {trial.id: trial.outcome.value for trial in self.trials}


def serve(server: ScriptedServer, **changes: Any) -> Service:
    service = Service()
    for name, value in changes.items():
        setattr(service, name, value)
    server.fallback = service
    return service


def test_a_service_that_does_everything(server: ScriptedServer) -> None:
    service = serve(server, thinks=True)
    result = Result(server.url, key="k")
    assert result.outcomes() == {
        "models": "good",
        "streaming": "good",
        "usage": "good",
        "tools": "good",
        "empty_arguments": "good",
        "parallel": "good",
        "indexes": "good",
        "thinking": "good",
        "signatures": "good",
        "vision": "good",
    }
    left = ("whole", "vectors", "forms")
    assert result.begun == [step for step in STEP_IDS if step not in left]
    assert len(service.asked) == 8
    streaming = result.found["streaming"]
    assert streaming.seconds == 0.5
    assert streaming.facts["tokens_per_second"] == 2.0
    assert result.found["models"].count == 2
    assert result.found["usage"].facts["input"] == 20
    advice = advise(result.trials)
    assert (advice.mode, advice.why, advice.dialect) == ("auto", AdviceReason.WORKS, "")
    assert (advice.streaming, advice.tools, advice.thinking, advice.vision) == (True,) * 4


def test_an_endpoint_without_tools(server: ScriptedServer) -> None:
    service = serve(server, tools=False, forms=WRITTEN)
    result = Result(server.url)
    assert result.outcomes()["tools"] == "failed"
    assert type(result.found["tools"].error) is ToolsUnsupported
    assert not {"parallel", "signatures", "empty_arguments"} & set(result.found)
    advice = advise(result.trials)
    assert (advice.mode, advice.why, advice.dialect) == (
        "text",
        AdviceReason.REFUSED,
        "tool_request",
    )
    assert advice.tools is False
    assert sum("tools" in body for body in service.asked) == 1
    assert forms_asked(service) == ["tool_request"]
    assert len(service.asked) == 5  # streaming, tools, one form, thinking, picture


@pytest.mark.parametrize(
    ("works", "asked", "said"),
    [
        ("tool_request", ["tool_request"], "TOOL_REQUEST"),
        ("tool_call", ["tool_request", "tool_call"], "<tool_call>"),
        ("tool_tag", ["tool_request", "tool_call", "tool_tag"], "<item> <tool>"),
    ],
)
def test_the_first_form_that_works_is_offered(
    server: ScriptedServer, works: str, asked: list[str], said: str
) -> None:
    service = serve(server, tools=False, forms={works: WRITTEN[works]})
    result = Result(server.url)
    assert forms_asked(service) == asked
    assert not any("tools" in body for body in service.asked if announced(body))
    advice = advise(result.trials)
    assert (advice.mode, advice.dialect, advice.called) == ("text", works, True)
    assert advice_text(advice) == (
        f"The endpoint refuses native tool calls. In the text it does: {said}."
    )
    assert step_result_text(result.found["forms"]) == ("called", f"in the form {said}")


def test_a_call_in_another_form_than_requested_does_not_count(server: ScriptedServer) -> None:
    service = serve(server, tools=False, forms={"tool_request": WRITTEN["tool_tag"]})
    result = Result(server.url)
    assert len(forms_asked(service)) == 3
    advice = advise(result.trials)
    assert (advice.mode, advice.why, advice.dialect) == ("none", AdviceReason.NO_FORM, "")
    assert advice.native is AdviceReason.REFUSED
    assert advice.tools is False
    assert "only chat" in advice_text(advice)
    assert step_result_text(result.found["forms"])[0] == "not called in any form"


def test_faulty_native_calls_are_better_than_none(server: ScriptedServer) -> None:
    service = serve(server, second_round=400)
    result = Result(server.url)
    assert len(forms_asked(service)) == 3
    advice = advise(result.trials)
    assert (advice.mode, advice.why, advice.dialect) == ("auto", AdviceReason.ONLY_NATIVE, "")


def test_after_a_failed_form_the_next_one_is_tried(server: ScriptedServer) -> None:
    service = serve(server, tools=False, forms={"tool_call": WRITTEN["tool_call"]})
    usual = service.say

    def say(body: Any, *pieces: str) -> Reply:
        if announced(body) == "tool_request":
            return refused(400, "stop sequences are not supported")
        return usual(body, *pieces)

    service.say = say  # type: ignore[method-assign]
    result = Result(server.url)
    assert advise(result.trials).dialect == "tool_call"


def test_forms_that_all_fail_give_no_finding(server: ScriptedServer) -> None:
    service = serve(server, tools=False)
    usual = service.say

    def say(body: Any, *pieces: str) -> Reply:
        return refused(400, "no") if announced(body) else usual(body, *pieces)

    service.say = say  # type: ignore[method-assign]
    result = Result(server.url)
    assert result.outcomes()["forms"] == "failed"
    advice = advise(result.trials)
    assert (advice.dialect, advice.called, advice.why) == (
        "tool_request",
        False,
        AdviceReason.REFUSED,
    )


def test_a_model_that_never_calls(server: ScriptedServer) -> None:
    serve(server, calls=False, forms=WRITTEN)
    result = Result(server.url)
    assert result.outcomes()["tools"] == "fault"
    assert (suggested_mode(result.trials), advise(result.trials).why) == (
        "text",
        AdviceReason.NOT_CALLED,
    )


def test_a_model_that_calls_in_the_text(server: ScriptedServer) -> None:
    serve(server, leaked_call_families='"arguments": {"word": "neo"}}</tool_call>', forms=WRITTEN)
    result = Result(server.url)
    assert result.outcomes()["tools"] == "fault"
    assert step_result_text(result.found["tools"]) == ("called in the text", "")
    advice = advise(result.trials)
    assert (advice.mode, advice.why, advice.tools) == ("text", AdviceReason.LEAKED, False)
    assert "text mode is more reliable" in advice_text(advice)


def test_broken_arguments(server: ScriptedServer) -> None:
    serve(server, broken=("neo",), forms=WRITTEN)
    result = Result(server.url)
    assert result.found["tools"].facts["arguments"] == '{"word": '
    assert (suggested_mode(result.trials), advise(result.trials).why) == (
        "text",
        AdviceReason.BROKEN_ARGUMENTS,
    )


def test_parallel_calls_that_are_mixed_up(server: ScriptedServer) -> None:
    serve(server, broken=("two",), forms=WRITTEN)
    result = Result(server.url)
    assert result.outcomes()["parallel"] == "fault"
    assert (suggested_mode(result.trials), advise(result.trials).why) == (
        "text",
        AdviceReason.MIXED_UP,
    )


@pytest.mark.parametrize(
    ("index", "facts"),
    [(None, {"missing": 2, "shared": 0}), (0, {"missing": 0, "shared": 1})],
)
def test_wrong_call_numbers_are_a_harmless_fault(
    server: ScriptedServer, index: int | None, facts: dict[str, int]
) -> None:
    serve(server, indexes=lambda number: index)
    result = Result(server.url)
    assert result.outcomes()["parallel"] == "good"
    assert result.found["indexes"].facts == facts
    assert result.outcomes()["indexes"] == "fault"
    assert suggested_mode(result.trials) == "auto"


def test_a_model_that_makes_one_call_at_a_time(server: ScriptedServer) -> None:
    serve(server, one_call=True)
    result = Result(server.url)
    assert result.outcomes()["parallel"] == "fault"
    assert suggested_mode(result.trials) == "auto"


def test_a_proxy_that_loses_signatures(server: ScriptedServer) -> None:
    serve(server, second_round=400, forms=WRITTEN)
    result = Result(server.url)
    assert result.outcomes()["signatures"] == "failed"
    why = advise(result.trials).why
    assert (suggested_mode(result.trials), why) == ("text", AdviceReason.SECOND_ROUND_REFUSED)


def test_a_second_round_that_fails_for_another_reason_gives_no_finding(
    server: ScriptedServer,
) -> None:
    serve(server, second_round=503)
    result = Result(server.url)
    assert result.outcomes()["signatures"] == "failed"
    assert len(result.pauses) == 1
    assert suggested_mode(result.trials) == "auto"


def test_a_model_that_does_not_see_or_think(server: ScriptedServer) -> None:
    serve(server, vision=False)
    result = Result(server.url)
    assert (result.outcomes()["vision"], result.outcomes()["thinking"]) == ("failed", "absent")
    advice = advise(result.trials)
    assert (advice.mode, advice.vision, advice.thinking) == ("auto", False, None)


def test_thinking_is_requested_if_it_is_supported(server: ScriptedServer) -> None:
    service = serve(server)
    Result(server.url, model="o3")
    asked = [body.get("reasoning_effort") for body in service.asked]
    assert asked == [None, None, None, None, "low", "low", "low", None]
    service.asked.clear()
    Result(server.url, thinking=ThinkingForm.SWITCH)
    assert [body.get("enable_thinking") for body in service.asked].count(True) == 3
    service.asked.clear()
    Result(server.url, model="o3", thinking=None, extra={"x": 1})
    assert all(body["x"] == 1 for body in service.asked)


def test_an_endpoint_that_can_t_stream(server: ScriptedServer) -> None:
    service = serve(server, is_streaming=False)
    result = Result(server.url)
    assert result.outcomes()["streaming"] == "failed"
    assert result.outcomes()["whole"] == "good"
    assert result.outcomes()["tools"] == "good"
    assert result.outcomes()["parallel"] == "good"
    assert "indexes" not in result.found, "there is no stream with numbered calls"
    advice = advise(result.trials)
    assert (advice.mode, advice.streaming) == ("auto", False)
    assert all(not body["stream"] for body in service.asked[1:])


def test_a_model_that_makes_vectors_is_asked_only_for_vectors(
    server: ScriptedServer,
) -> None:
    rows = [{"index": place, "embedding": [0.5] * 384} for place in range(2)]
    server.reply({"data": rows})
    result = Result(server.url, model="text-embedding-3-small")
    assert result.outcomes() == {"models": "fault", "vectors": "good"}
    assert result.begun == ["models", "vectors"]
    assert step_result_text(result.found["vectors"])[0] == "384 numbers each"
    advice = advise(result.trials)
    assert (advice.mode, advice.why, dict(advice.measured)) == ("", AdviceReason.VECTORS, {})
    assert "for searching memories" in advice_text(advice)

    server.reply({"error": {"message": "no embeddings here"}}, status=501)
    result = Result(server.url, model="text-embedding-3-small")
    assert "offer embeddings" in step_result_text(result.found["vectors"])[0]
    assert advise(result.trials).why is AdviceReason.NOTHING_WORKS


def test_vectors_that_never_come(server: ScriptedServer) -> None:
    server.reply(HANG)
    result = Result(server.url, model="text-embedding-3-small", timeout=0.05)
    assert type(result.found["vectors"].error) is StreamBroken


def test_a_wrong_key_ends_the_test(server: ScriptedServer) -> None:
    server.fallback = lambda request: refused(401, "no")
    server.pages["/v1/models"] = Reply([{"error": {"message": "no"}}], 401)
    result = Result(server.url)
    assert result.outcomes() == {"models": "failed", "streaming": "failed"}
    assert all(type(trial.error) is Unauthorized for trial in result.trials)
    assert (suggested_mode(result.trials), advise(result.trials).why) == (
        "",
        AdviceReason.NOTHING_WORKS,
    )


@pytest.mark.parametrize(
    ("url", "kind"), [("http://127.0.0.1:9/v1", Unreachable), ("http://[x/v1", InvalidAddress)]
)
def test_no_server_at_the_address(url: str, kind: type[LlmError]) -> None:
    result = Result(url)
    assert [type(trial.error) for trial in result.trials] == [kind, kind]


def test_an_endpoint_that_also_fails_without_streaming(server: ScriptedServer) -> None:
    server.fallback = lambda request: refused(400, "bad model")
    result = Result(server.url)
    assert result.outcomes() == {"models": "good", "streaming": "failed", "whole": "failed"}
    assert suggested_mode(result.trials) == ""


def test_a_lost_connection_gives_no_finding(server: ScriptedServer) -> None:
    serve(server)
    server.reply(RESET)
    result = Result(server.url)
    assert result.outcomes()["streaming"] == "good"
    assert len(result.pauses) == 1


def test_a_reply_without_an_end_is_not_awaited(server: ScriptedServer) -> None:
    server.fallback = lambda request: Reply([text("one "), text("one "), HANG])
    result = Result(server.url, timeout=1.0)
    assert result.outcomes()["streaming"] == "good"
    assert "usage" not in result.found
    assert all(request.closed_early.wait(60) for request in server.requests)
    server.fallback = lambda request: Reply([HANG])
    silent = Result(server.url, timeout=1.0)
    assert type(silent.found["streaming"].error) is StreamBroken


def test_a_call_without_an_end_gives_no_finding_about_tools(server: ScriptedServer) -> None:
    service = serve(server)
    half = Reply([tool_call("probe_echo", '{"wo', "a"), HANG])
    server.fallback = lambda asked: half if asked.body.get("tools") else service(asked)
    result = Result(server.url, timeout=2.0)
    assert type(result.found["tools"].error) is StreamBroken
    assert (advise(result.trials).mode, advise(result.trials).why) == ("", AdviceReason.UNKNOWN)


@pytest.mark.parametrize(
    ("question", "failing"),
    [
        ("probe_ping", "empty_arguments"),
        ("twice", "parallel"),
        ("17 times", "thinking"),
    ],
)
def test_one_failed_step_does_not_affect_the_others(
    server: ScriptedServer, question: str, failing: str
) -> None:
    service = serve(server)
    server.fallback = lambda asked: (
        refused(500, "no")
        if question in str(asked.body["messages"][-1]["content"])
        else service(asked)
    )
    outcomes = Result(server.url).outcomes()
    assert [name for name, outcome in outcomes.items() if outcome == "failed"] == [failing]
    assert outcomes["vision"] == "good"


def test_a_gateway_without_a_list_of_models(server: ScriptedServer) -> None:
    serve(server)
    server.pages.clear()
    assert Result(server.url).outcomes()["models"] == "fault"


@pytest.mark.parametrize(
    ("model", "outcome"), [("m", "good"), ("models/M:latest", "good"), ("n", "fault"), ("", "good")]
)
def test_a_model_that_is_not_in_the_list_is_reported(
    server: ScriptedServer, model: str, outcome: str
) -> None:
    serve(server)
    assert Result(server.url, model).outcomes()["models"] == outcome


def test_a_reply_in_one_piece_is_a_fault_of_the_stream(server: ScriptedServer) -> None:
    server.fallback = lambda request: Reply([text("all at once"), finish(), done()])
    result = Result(server.url)
    assert (result.outcomes()["streaming"], result.outcomes()["usage"]) == ("fault", "fault")
    server.fallback = lambda request: Reply([finish(), done()])
    silent = Result(server.url)
    assert (silent.found["streaming"].outcome, silent.found["streaming"].count) == (
        StepOutcome.FAULT,
        0,
    )


def test_the_names_of_the_models(server: ScriptedServer) -> None:
    async def ask() -> list[str]:
        client = HttpClient()
        names = await list_models(client, PROTOCOLS["openai"], ModelOptions(server.url, ""))
        await client.aclose()
        return names

    assert asyncio.run(ask()) == ["m", "other"]


def test_calls_in_pieces_from_the_support_code(server: ScriptedServer) -> None:
    """A call that comes in pieces is assembled."""
    pieces = (tool_call("probe_echo", '{"wo', "a"), tool_call("", 'rd":"neo"}'), finish(), done())
    server.fallback = lambda request: Reply(list(pieces))
    assert Result(server.url).outcomes()["tools"] == "good"
