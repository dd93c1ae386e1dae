"""The services on loopback refuse what their providers refuse: every rule is broken once.

Each case takes an accepted request, does one thing wrong, and names the text of the refusal.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.providers import PROVIDERS
from tests.support.providers.gemini import seal_call
from tests.support.providers.provider import KEY, Provider, ProviderServer
from tests.support.providers.rules import Refused, digest
from tests.support.sseserver import Request

Body = dict[str, Any]
Change = Callable[[Body], object]
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["text"],
}
MARK = digest("Hm.")
RS_MARK = digest("rs_1")


def openai() -> Body:
    made = {"name": "note_add", "arguments": '{"text": "milk"}'}
    return {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "reasoning_effort": "low",
        "tools": [
            {"type": "function", "function": {"name": "note_add", "parameters": SCHEMA}},
        ],
        "tool_choice": "required",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": [{"type": "text", "text": "note milk"}]},
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "Hm.",
                "tool_calls": [
                    {"id": f"chat_{MARK}_1", "type": "function", "function": made},
                    {"id": f"chat_{MARK}_2", "type": "function", "function": made},
                ],
            },
            {"role": "tool", "tool_call_id": f"chat_{MARK}_1", "content": "noted"},
            {"role": "tool", "tool_call_id": f"chat_{MARK}_2", "content": "noted"},
        ],
    }


def anthropic() -> Body:
    made = {"type": "tool_use", "name": "note_add", "input": {"text": "milk"}}
    seal = f"sig-{MARK}"
    return {
        "model": "m",
        "stream": True,
        "max_tokens": 4096,
        "system": "Be kind.",
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "tools": [{"name": "note_add", "description": "Notes.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
            {"role": "user", "content": [{"type": "text", "text": "note milk"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": seal},
                    {"type": "text", "text": "I note it."},
                    {**made, "id": "toolu_1"},
                    {**made, "id": "toolu_2"},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "noted"},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "noted"},
                ],
            },
        ],
    }


def gemini() -> Body:
    note = {"name": "note_add", "args": {"text": "milk"}}
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Hello."},
                    {"text": "", "thoughtSignature": f"text-{digest('')}"},
                ],
            },
            {"role": "user", "parts": [{"text": "note milk"}]},
            {
                "role": "model",
                "parts": [
                    {"functionCall": note, "thoughtSignature": seal_call(note)},
                    {"functionCall": {"name": "time_now", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "note_add", "response": {"result": "noted"}}},
                    {"functionResponse": {"name": "time_now", "response": {"result": "noon"}}},
                ],
            },
        ],
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "note_add", "parameters": copy.deepcopy(SCHEMA)},
                    {"name": "time_now"},
                ]
            }
        ],
        "generationConfig": {"maxOutputTokens": 5000, "thinkingConfig": {"thinkingBudget": 1024}},
    }


def _item(role: str, kind: str, text: str) -> Body:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def responses() -> Body:
    made = {"type": "function_call", "name": "note_add", "arguments": '{"text": "milk"}'}
    return {
        "model": "m",
        "stream": True,
        "store": False,
        "instructions": "Be kind.",
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
        "tools": [{"type": "function", "name": "note_add", "parameters": SCHEMA}],
        "input": [
            _item("user", "input_text", "hello"),
            _item("assistant", "output_text", "Hello."),
            _item("user", "input_text", "note milk"),
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Hm."}],
                "encrypted_content": f"sealed-{digest('rs_1', 'Hm.')}",
            },
            {**made, "call_id": f"call_{RS_MARK}_1"},
            {**made, "call_id": f"call_{RS_MARK}_2"},
            {"type": "function_call_output", "call_id": f"call_{RS_MARK}_1", "output": "noted"},
            {"type": "function_call_output", "call_id": f"call_{RS_MARK}_2", "output": "noted"},
        ],
    }


GOOD = {"openai": openai, "anthropic": anthropic, "gemini": gemini, "openai-responses": responses}


def put(*path: Any) -> Change:
    """Set the value at the path (all but the last word) to the last word."""

    def change(body: Body) -> None:
        here: Any = body
        for step in path[:-2]:
            here = here[step]
        here[path[-2]] = path[-1]

    return change


def cut(*path: Any) -> Change:
    """Remove the value at the path."""

    def change(body: Body) -> None:
        here: Any = body
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]

    return change


def swap(*path: Any) -> Change:
    """Exchange the items at the last two numbers."""

    def change(body: Body) -> None:
        here: Any = body
        for step in path[:-2]:
            here = here[step]
        one, other = path[-2:]
        here[one], here[other] = here[other], here[one]

    return change


_M = "messages"
_C = "contents"
_F = ("tools", 0, "function")
_D = ("tools", 0, "functionDeclarations", 0)
BROKEN: list[tuple[str, str, Change]] = [
    ("openai", "Unknown field body.top_k", put("top_k", 3)),
    ("openai", "must provide a model", put("model", "")),
    ("openai", "too short", put(_M, [])),
    ("openai", "role 'model'", put(_M, 1, "role", "model")),
    ("openai", "the system message stands first", swap(_M, 0, 1)),
    ("openai", "content is empty", put(_M, 2, "content", "")),
    ("openai", "empty text part", put(_M, 3, "content", 0, "text", "")),
    ("openai", "content or tool_calls", cut(_M, 4, "tool_calls")),
    ("openai", "empty tool_calls", put(_M, 2, "tool_calls", [])),
    ("openai", "did not have response messages", cut(_M, 6)),
    ("openai", "no call", put(_M, 6, "tool_call_id", "another")),
    ("openai", "no call", cut(_M, 4)),
    ("openai", "did not have response messages", swap(_M, 3, 4)),
    ("openai", "not JSON text", put(_M, 4, "tool_calls", 0, "function", "arguments", "{")),
    ("openai", "not an object", put(_M, 4, "tool_calls", 0, "function", "arguments", "[]")),
    ("openai", "doesn't fit", put(_M, 4, "tool_calls", 0, "function", "name", "note.add")),
    ("openai", "without an id", put(_M, 4, "tool_calls", 0, "id", "")),
    ("openai", "Missing `reasoning_content`", cut(_M, 4, "reasoning_content")),
    ("openai", "altered reasoning_content", put(_M, 4, "reasoning_content", "Hm!")),
    ("openai", "of an earlier turn", put(_M, 2, "reasoning_content", "Hm.")),
    ("openai", "doesn't fit", put(*_F, "name", "note.add")),
    ("openai", "type 'object'", put(*_F, "parameters", {})),
    ("openai", "must not have 'anyOf'", put(*_F, "parameters", {"type": "object", "anyOf": []})),
    (
        "openai",
        "missing items",
        put(*_F, "parameters", {"type": "object", "properties": {"a": {"type": "array"}}}),
    ),
    ("openai", "Unknown field tools.function.risk", put(*_F, "risk", "read")),
    ("openai", "[] is too short", put("tools", [])),
    ("openai", "only allowed when 'tools'", cut("tools")),
    ("openai", "stream_options without stream", put("stream", False)),
    ("openai", "max_tokens is too low", put("max_tokens", 0)),
    ("openai", "reasoning_effort", put("reasoning_effort", "off")),
    ("anthropic", "Unknown field body.stream_options", put("stream_options", {})),
    ("anthropic", "max_tokens: Field required", cut("max_tokens")),
    ("anthropic", "greater than the budget", put("max_tokens", 2048)),
    ("anthropic", "at least 1024", put("thinking", "budget_tokens", 1000)),
    ("anthropic", "may only be 1", put("temperature", 0.5)),
    ("anthropic", "forces tool use", put("tool_choice", {"type": "any"})),
    ("anthropic", "at least one message", put(_M, [])),
    ("anthropic", "role 'system'", put(_M, 0, "role", "system")),
    ("anthropic", "must use the user role", cut(_M, 0)),
    ("anthropic", "roles must alternate", cut(_M, 1)),
    ("anthropic", "non-empty", put(_M, 0, "content", " ")),
    ("anthropic", "must not be empty", put(_M, 0, "content", [])),
    ("anthropic", "non-whitespace", put(_M, 0, "content", 0, "text", "\n")),
    ("anthropic", "system: text", put("system", "")),
    ("anthropic", "found without `tool_result`", cut(_M, 4)),
    ("anthropic", "found without `tool_result`", cut(_M, 4, "content", 1)),
    ("anthropic", "unexpected `tool_use_id`", put(_M, 4, "content", 0, "tool_use_id", "other")),
    ("anthropic", "unexpected `tool_use_id`", cut(_M, 3, "content", 2)),
    ("anthropic", "ids must be unique", put(_M, 3, "content", 3, "id", "toolu_1")),
    (
        "anthropic",
        "stand first",
        lambda body: body[_M][4]["content"].insert(0, {"type": "text", "text": "so"}),
    ),
    ("anthropic", "must define tools", cut("tools")),
    ("anthropic", "Expected `thinking`", cut(_M, 3, "content", 0)),
    ("anthropic", "Expected `thinking`", swap(_M, 3, "content", 0, 1)),
    ("anthropic", "Invalid `signature`", put(_M, 3, "content", 0, "thinking", "Hm!")),
    ("anthropic", "Invalid `signature`", put(_M, 3, "content", 0, "signature", "sig-other")),
    (
        "anthropic",
        "Invalid `data`",
        put(_M, 3, "content", 0, {"type": "redacted_thinking", "data": "x"}),
    ),
    ("anthropic", "input should be an object", put(_M, 3, "content", 2, "input", "{}")),
    ("anthropic", "doesn't fit", put(_M, 3, "content", 2, "id", "call.1")),
    ("anthropic", "can't be in a message", put(_M, 0, "content", 0, "type", "thinking")),
    ("anthropic", "unknown type 'reasoning'", put(_M, 3, "content", 0, "type", "reasoning")),
    ("anthropic", "Unknown field", put(_M, 3, "content", 2, "thoughtSignature", "x")),
    ("anthropic", "Field required", cut("tools", 0, "input_schema")),
    ("anthropic", "type 'object'", put("tools", 0, "input_schema", {"properties": {}})),
    ("anthropic", "doesn't fit", put("tools", 0, "name", "note.add")),
    ("anthropic", "no tools", lambda body: body.update(tool_choice={"type": "auto"}, tools=[])),
    ("gemini", "Unknown field body.model", put("model", "m")),
    ("gemini", "contents is not specified", put(_C, [])),
    ("gemini", "valid role", put(_C, 3, "role", "assistant")),
    ("gemini", "first turn is the user's", cut(_C, 0)),
    ("gemini", "must not be empty", put(_C, 0, "parts", [])),
    ("gemini", "empty text", put(_C, 0, "parts", 0, "text", "")),
    ("gemini", "systemInstruction: empty", put("systemInstruction", "parts", 0, "text", "")),
    ("gemini", "after a user turn", cut(_C, 2)),
    ("gemini", "after a function call turn", cut(_C, 3)),
    ("gemini", "without its responses", put(_C, 4, "parts", [{"text": "so"}])),
    ("gemini", "has no response", cut(_C, 4)),
    ("gemini", "the number of function response parts", cut(_C, 4, "parts", 1)),
    ("gemini", "for ['note_add', 'time_now']", swap(_C, 4, "parts", 0, 1)),
    (
        "gemini",
        "for ['note_add', 'time_now']",
        put(_C, 4, "parts", 0, "functionResponse", "name", "note.add"),
    ),
    ("gemini", "only function responses", lambda b: b[_C][4]["parts"].append({"text": "so"})),
    ("gemini", "in a turn of the", put(_C, 4, "role", "model")),
    ("gemini", "missing a thought_signature", cut(_C, 3, "parts", 0, "thoughtSignature")),
    ("gemini", "not valid", put(_C, 3, "parts", 0, "thoughtSignature", "sig-other")),
    ("gemini", "not valid", put(_C, 3, "parts", 0, "functionCall", "args", {})),
    ("gemini", "not valid", put(_C, 1, "parts", 1, "text", "moved")),
    ("gemini", "args should be an object", put(_C, 3, "parts", 1, "functionCall", "args", "{}")),
    ("gemini", "oneof field", put(_C, 3, "parts", 1, "text", "and")),
    ("gemini", "Unknown field", put(_C, 3, "parts", 1, "id", "1")),
    ("gemini", "Unknown field", put(*_D, "parameters", "additionalProperties", False)),
    ("gemini", "non-empty for OBJECT", put(*_D, "parameters", {"type": "object"})),
    ("gemini", "type should be OBJECT", put(*_D, "parameters", {"type": "string"})),
    (
        "gemini",
        "only allowed for STRING",
        put(*_D, "parameters", "properties", "text", {"type": "integer", "enum": [1]}),
    ),
    ("gemini", "missing field", cut(*_D, "parameters", "properties", "tags", "items")),
    ("gemini", "is not defined", put(*_D, "parameters", "required", ["else"])),
    (
        "gemini",
        "format: not supported",
        put(*_D, "parameters", "properties", "text", {"type": "string", "format": "uri"}),
    ),
    ("gemini", "Invalid function name", put(*_D, "name", "note add")),
    ("gemini", "Duplicate function", put(*_D, "name", "time_now")),
    (
        "gemini",
        "names no function",
        put(
            "toolConfig",
            {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["else"]}},
        ),
    ),
    ("gemini", "leaves no tokens", put("generationConfig", "maxOutputTokens", 1000)),
    (
        "gemini",
        "only set only one",
        put("generationConfig", "thinkingConfig", "thinkingLevel", "low"),
    ),
    ("openai-responses", "Unknown field body.messages", put("messages", [])),
    ("openai-responses", "input is missing", put("input", [])),
    ("openai-responses", "set store to false", put("store", True)),
    ("openai-responses", "role 'model'", put("input", 1, "role", "model")),
    ("openai-responses", "'input_text' in a message", put("input", 0, "role", "assistant")),
    ("openai-responses", "Cannot determine type", cut("input", 1, "type")),
    ("openai-responses", "content is empty", put("input", 0, "content", [])),
    ("openai-responses", "empty text", put("input", 0, "content", 0, "text", "")),
    ("openai-responses", "without its required following item", swap("input", 2, 3)),
    (
        "openai-responses",
        "without its 'reasoning' item",
        cut("input", 3),
    ),
    ("openai-responses", "nothing is stored", cut("input", 3, "encrypted_content")),
    ("openai-responses", "could not be verified", put("input", 3, "id", "rs_2")),
    ("openai-responses", "could not be verified", put("input", 3, "summary", [])),
    ("openai-responses", "must begin with rs_", put("input", 3, "id", "msg_1")),
    ("openai-responses", "missing summary", cut("input", 3, "summary")),
    ("openai-responses", "No tool output found", cut("input", 7)),
    ("openai-responses", "No tool call found", cut("input", 5)),
    ("openai-responses", "No tool call found", swap("input", 5, 7)),
    (
        "openai-responses",
        "No tool output found",
        lambda body: body["input"].insert(
            7, {"role": "user", "content": [{"type": "input_text", "text": "so"}]}
        ),
    ),
    ("openai-responses", "is there twice", put("input", 5, "call_id", f"call_{RS_MARK}_1")),
    ("openai-responses", "not JSON text", put("input", 4, "arguments", "{")),
    ("openai-responses", "must begin with fc_", put("input", 4, "id", "call_1")),
    ("openai-responses", "Unknown field", put("input", 4, "signature", "x")),
    ("openai-responses", "type must be 'function'", put("tools", 0, "type", "custom")),
    ("openai-responses", "type 'object'", put("tools", 0, "parameters", {})),
    ("openai-responses", "doesn't fit", put("tools", 0, "name", "note.add")),
    ("openai-responses", "include", put("include", ["everything"])),
    ("openai-responses", "reasoning.effort", put("reasoning", "effort", "off")),
    ("openai-responses", "names no tool", put("tool_choice", {"type": "function", "name": "x"})),
    ("openai-responses", "too low", put("max_output_tokens", 3)),
]


@pytest.mark.parametrize("protocol", PROVIDERS)
def test_a_valid_request_is_accepted(protocol: str) -> None:
    PROVIDERS[protocol]().check_body(GOOD[protocol]())


@pytest.mark.parametrize(
    ("protocol", "words", "change"), BROKEN, ids=[f"{p}-{n}" for n, (p, _, _) in enumerate(BROKEN)]
)
def test_a_broken_rule_is_refused(protocol: str, words: str, change: Change) -> None:
    body = copy.deepcopy(GOOD[protocol]())
    change(body)
    with pytest.raises(Refused) as refused:
        PROVIDERS[protocol]().check_body(body)
    assert words in str(refused.value)


HEADS: dict[str, tuple[str, dict[str, str]]] = {
    "openai": ("/v1/chat/completions", {"authorization": f"Bearer {KEY}"}),
    "anthropic": ("/v1/messages", {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
    "gemini": (
        "/v1beta/models/gemini-3-test:streamGenerateContent?alt=sse",
        {"x-goog-api-key": KEY},
    ),
    "openai-responses": ("/v1/responses", {"authorization": f"Bearer {KEY}"}),
}


def head(provider: Provider, path: str, headers: dict[str, str]) -> int:
    """The status of the answer to a request with this head; 0 if it is accepted."""
    given = {"content-type": "application/json"} | headers
    try:
        provider.check_head(Request("POST", path, given, {}, 0.0))
    except Refused as refused:
        return refused.status
    return 0


@pytest.mark.parametrize("protocol", PROVIDERS)
def test_wrong_routes_and_headers(protocol: str) -> None:
    provider = PROVIDERS[protocol]()
    path, headers = HEADS[protocol]
    assert head(provider, path, headers) == 0
    assert head(provider, path.replace("/v1", "/v2"), headers) == 404
    assert head(provider, f"{path}{'&' if '?' in path else '?'}key={KEY}", headers) == 401
    assert head(provider, path, headers | {"content-type": "text/plain"}) == 415
    for name in headers:
        lacking = {key: value for key, value in headers.items() if key != name}
        assert head(provider, path, lacking) in (400, 401)


@pytest.mark.parametrize("protocol", PROVIDERS)
def test_a_refusal_has_the_form_of_the_providers_own_error(protocol: str) -> None:
    path, headers = HEADS[protocol]
    with ProviderServer(PROVIDERS[protocol]()) as server:
        answer = httpx.post(f"{server.url}{path}", headers=headers, json={"x": 1}, trust_env=False)
        stranger = httpx.post(f"{server.url}{path}", json={"x": 1}, trust_env=False)
    assert answer.status_code == 400
    assert "Unknown field body.x" in answer.json()["error"]["message"]
    assert stranger.status_code in (400, 401)
    assert len(server.refusals) == 2
