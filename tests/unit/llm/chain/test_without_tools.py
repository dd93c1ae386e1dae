"""A service that refuses tools in any words, or in none, is asked once without them. The bodies are
those of the services, as their sources and people's reports have them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from neodeskpet.core.errors import KnownError, LlmError, ToolsUnsupported
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import (
    ResponseFinished,
    RetryAnnounced,
    Stop,
    TextDelta,
    ToolsDropped,
    WireEvent,
)
from neodeskpet.llm.chain.retry import RetryingModel
from neodeskpet.llm.chain.without_tools import WithoutTools
from neodeskpet.llm.protocols.provider_errors import error_from_status
from neodeskpet.llm.scripted import ScriptedModel

WITH_TOOLS = ModelRequest("", [UserTurn((TextPart("hi"),))], tools=(ToolSpec("a.b", "x"),))
HELLO: list[WireEvent] = [TextDelta(0, "Hello."), ResponseFinished(Stop.END)]
Script = list[WireEvent | LlmError]

# What they answer to a request with tools: the status and the body.
TOLD: dict[str, tuple[int, str]] = {
    "Zhipu's, in Chinese": (400, '{"error":{"code":"1210","message":"tools 参数非法"}}'),
    "a relay": (
        400,
        '{"error":{"message":"\'tools\' is not a valid parameter","type":"invalid_request_error"}}',
    ),
    "another relay": (400, '{"detail":"Invalid parameter: tools"}'),
    "SGLang": (
        400,
        '{"object":"error","message":"Please set --tool-call-parser to use tools","type":'
        '"BadRequestError","param":null,"code":400}',
    ),
    "vLLM": (
        400,
        '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice '
        'and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}',
    ),
    "TGI": (
        422,
        '{"error":"Template error: \'tools\' is undefined","error_type":"template_error"}',
    ),
    "llama.cpp": (
        500,
        '{"error":{"code":500,"message":"tools param requires --jinja flag"}}',
    ),
    "a Jinja template": (
        500,
        '{"error":{"message":"jinja2.exceptions.UndefinedError: \'tools\' is undefined"}}',
    ),
    "Ollama": (
        400,
        '{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":'
        '"api_error"}}',
    ),
    "not implemented": (501, '{"error":"tool calling is not implemented"}'),
    "French": (
        400,
        '{"message":"Les outils ne sont pas pris en charge par ce modèle."}',
    ),
    "Japanese": (400, '{"error":{"message":"このモデルはツールをサポートしていません。"}}'),
    "OpenRouter": (
        404,
        '{"error":{"message":"No endpoints found that support tool use","code":404}}',
    ),
}
SILENT: dict[str, tuple[int, str]] = {
    "a bare 400": (400, ""),
    "a bare 404": (404, ""),
    "a bare 405": (405, ""),
    "an HTML 400": (400, "<html><head><title>400 Bad Request</title></head></html>"),
    "an HTML 404": (404, "<!DOCTYPE html><html><h1>404 Not Found</h1></html>"),
    "a bare 501": (501, ""),
    "an unspecific 422": (422, '{"detail":[{"msg":"field required"}]}'),
    "gcli2api": (
        400,
        '{"error":{"message":"Request contains an invalid argument.","code":400}}',
    ),
    "gcli2api, a bug of its own": (400, '{"detail":"Invalid request format: \'parameters\'"}'),
}


def refusal(status: int, body: str) -> LlmError:
    return error_from_status(status, {}, body, tools=True)


def ask(
    *replies: Script, request: ModelRequest = WITH_TOOLS
) -> tuple[list[WireEvent], KnownError | None, list[bool]]:
    """What came, the error that it ended in, and which requests had tools."""

    async def work() -> tuple[list[WireEvent], KnownError | None, list[bool]]:
        scripted = ScriptedModel(*replies, label="m")
        model = WithoutTools(scripted)
        assert model.label == "m"
        heard: list[WireEvent] = []
        error: KnownError | None = None
        try:
            async for event in model.stream(request):
                heard += [event]
        except KnownError as raised:
            error = raised
        return heard, error, [bool(one.tools) for one in scripted.requests]

    return asyncio.run(work())


@pytest.mark.parametrize(("status", "body"), TOLD.values(), ids=TOLD)
def test_what_says_so_is_known_at_once(status: int, body: str) -> None:
    heard, error, tools = ask([refusal(status, body)])
    assert (heard, tools) == ([], [True])
    assert type(error) is ToolsUnsupported


@pytest.mark.parametrize(("status", "body"), SILENT.values(), ids=SILENT)
def test_what_says_nothing_is_found_out(status: int, body: str) -> None:
    heard, error, tools = ask([refusal(status, body)], [*HELLO])
    assert (error, tools) == (None, [True, False])
    assert [heard[0], heard[-1]] == HELLO
    dropped = [one.error for one in heard if isinstance(one, ToolsDropped)]
    assert [(type(one), one.code) for one in dropped] == [(ToolsUnsupported, "tools_unsupported")]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, '{"error":{"message":"bad key"}}'),
        (404, '{"error":{"message":"The model `x` does not exist"}}'),
        (429, ""),
        (504, ""),
        (413, ""),
    ],
)
def test_other_faults_are_what_they_are(status: int, body: str) -> None:
    heard, error, tools = ask([refusal(status, body)])
    assert (heard, tools) == ([], [True])
    assert error is not None
    assert type(error) is type(refusal(status, body))


def test_without_tools_nothing_is_found_out() -> None:
    _, error, tools = ask([refusal(400, "")], request=ModelRequest("", []))
    assert (error is not None, tools) == (True, [False])


def test_what_was_shown_is_not_asked_for_again() -> None:
    heard, error, tools = ask([TextDelta(0, "Hel"), refusal(400, "")])
    assert (heard, error is not None, tools) == ([TextDelta(0, "Hel")], True, [True])


WITHOUT: list[tuple[Script, int]] = [
    ([refusal(400, '{"error":"still no"}')], 0),
    ([RetryAnnounced(1, 1.0, "service_failed"), *HELLO], 0),
    ([TextDelta(0, "Hel"), refusal(500, "")], 1),
]


@pytest.mark.parametrize(("second", "shown"), WITHOUT)
def test_if_it_fails_without_them_too_the_first_refusal_counts(second: Script, shown: int) -> None:
    heard, error, tools = ask([refusal(400, '{"error":"no"}')], second)
    assert (len(heard), tools) == (shown, [True, False])
    assert error is not None
    assert error.detail == ("" if shown else "no")


@pytest.mark.parametrize("status", [500, 502, 503])
def test_what_may_pass_is_tried_again_with_the_tools_first(status: int) -> None:
    async def work() -> list[bool]:
        faults = [[refusal(status, "")] for _ in range(4)]
        scripted = ScriptedModel(*faults, [*HELLO])

        async def sleep(seconds: float) -> None: ...

        model = WithoutTools(RetryingModel(scripted, sleep=sleep, chance=lambda: 1.0))
        heard = [event async for event in model.stream(WITH_TOOLS)]
        assert any(isinstance(event, ToolsDropped) for event in heard)
        return [bool(one.tools) for one in scripted.requests]

    assert asyncio.run(work()) == [True] * 4 + [False]


def test_around_retries_it_is_one_request() -> None:
    async def work(pause: Callable[[float], None]) -> list[bool]:
        scripted = ScriptedModel([refusal(400, "")], [refusal(503, "")], [*HELLO])

        async def sleep(seconds: float) -> None:
            pause(seconds)

        model = WithoutTools(RetryingModel(scripted, sleep=sleep, chance=lambda: 1.0))
        with pytest.raises(LlmError):
            async for _ in model.stream(WITH_TOOLS):
                pass
        return [bool(one.tools) for one in scripted.requests]

    pauses: list[float] = []
    assert asyncio.run(work(pauses.append)) == [True, False]
    assert pauses == []
