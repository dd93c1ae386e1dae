"""A service that refuses tools in any wording is recognised; a refusal without a reason makes a
question, and nothing else is sent. The bodies are those of the services, from their sources and
from reports.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from neodeskpet.core.errors import (
    Action,
    LlmError,
    RequestRefused,
    ToolsInDoubt,
    ToolsUnsupported,
)
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.core.wire import TextDelta, WireEvent
from neodeskpet.llm.catalog.model_catalog import catalog_of_service
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import FallbackModel, ModelLink
from neodeskpet.llm.chain.model_selection import model_choices
from neodeskpet.llm.chain.model_wrappers import RetryingModel, RetryPolicy
from neodeskpet.llm.chain.tool_support import service_of, tools_in_doubt
from neodeskpet.llm.protocols.provider_errors import error_from_status
from neodeskpet.llm.scripted_model import ScriptedModel

WITH_TOOLS = ModelRequest("", [UserTurn((TextPart("hi"),))], tools=(ToolSpec("a.b", "x"),))
Script = list[WireEvent | LlmError]

# The answers to a request with tools: status and body.
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


def ask(error: LlmError) -> LlmError:
    return tools_in_doubt(error, "https://me:secret@API.example.com/v1/?key=1")


@pytest.mark.parametrize(("status", "body"), TOLD.values(), ids=TOLD)
def test_an_explicit_refusal_is_recognised_at_once(status: int, body: str) -> None:
    assert type(ask(refusal(status, body))) is ToolsUnsupported


@pytest.mark.parametrize(("status", "body"), SILENT.values(), ids=SILENT)
def test_a_refusal_without_a_reason_makes_a_question(status: int, body: str) -> None:
    asked = ask(refusal(status, body))
    assert type(asked) is ToolsInDoubt
    assert asked.actions == (Action.SEND_WITHOUT_TOOLS, Action.SWITCH_TO_TEXT)
    assert asked.params == {"status": str(status), "service": "https://api.example.com/v1"}


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 500, 501, 502, 503])
def test_every_status_that_may_mean_the_tools_makes_a_question(status: int) -> None:
    assert type(ask(refusal(status, ""))) is ToolsInDoubt


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
def test_other_faults_are_unchanged(status: int, body: str) -> None:
    error = refusal(status, body)
    assert ask(error) is error


@pytest.mark.parametrize("address", ["localhost:8080/v1/", "http://localhost:8080/v1"])
def test_a_service_is_named_by_its_address(address: str) -> None:
    assert service_of(address).removeprefix("http://") == "localhost:8080/v1"


def test_an_invalid_address_names_no_service() -> None:
    assert service_of("http://[::1/v1") == ""


def requests(*replies: Script, request: ModelRequest = WITH_TOOLS, doubts: bool = True) -> Any:
    """Return the error of a chain of one model, and which requests had tools."""
    scripted = ScriptedModel(*replies, label="m")
    model = RetryingModel(scripted, RetryPolicy(sleep=no_pause, chance=lambda: 0.0))
    (choice,) = model_choices(
        catalog_of_service("openai", "https://api.example.com/v1", "m"), "chat"
    )
    chain = FallbackModel(
        [ModelLink(choice, model)], EndpointState(), doubts=lambda base_url: doubts
    )

    async def work() -> LlmError | None:
        try:
            async for _ in chain.stream(request):
                pass
        except LlmError as error:
            return error
        return None

    return asyncio.run(work()), [bool(one.tools) for one in scripted.requests]


async def no_pause(seconds: float) -> None:
    """Don't wait."""


def test_a_chain_sends_no_second_request_and_asks() -> None:
    error, tools = requests([refusal(400, "")])
    assert (type(error), tools) == (ToolsInDoubt, [True])


def test_a_passing_fault_is_retried_with_tools_only() -> None:
    error, tools = requests(*[[refusal(503, "")] for _ in range(4)])
    assert (type(error), tools) == (ToolsInDoubt, [True] * 4)


def test_without_tools_or_without_doubt_a_fault_is_unchanged() -> None:
    bare = ModelRequest("", [UserTurn((TextPart("hi"),))])
    assert type(requests([refusal(400, "")], request=bare)[0]) is RequestRefused
    assert type(requests([refusal(400, "")], doubts=False)[0]) is RequestRefused


def test_a_fault_after_the_first_words_is_unchanged() -> None:
    error, tools = requests([TextDelta(0, "Hel"), refusal(400, "")])
    assert (type(error), tools) == (RequestRefused, [True])
