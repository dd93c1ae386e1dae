"""Requests that real services accepted are accepted by our rules, and equal those that we would
send.

How each `NAME.request.json` beside the project (`../shared/wire`) is checked:

1. Rules. The request is checked by the rules of `tests/support/providers`, which were written from
the providers' pages: they must accept what a real service accepted. `BEYOND` names the requests
with something that our builders never send (a provider's own tools, a gateway's own field), and
what that is; there the rules must refuse exactly that, or know it too. 2. Rebuilding. The content
of the request (system text, messages, calls, results, tools, options) is read into our own types
and given to our builder. Ours is checked by the same rules. Then both are normalised (`spell`: text
alone or as a list of one, defaults written or left out, options that we don't have removed) and
must be equal: roles, order, pairs, names of fields, schemas and values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ModelMessage,
    ResultPart,
    TextPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.providers import PROVIDERS
from tests.support.providers.rules import Refused

ROOT = Path(__file__).resolve().parents[3] / "shared" / "wire"
RECORDED = sorted(p for name in PROTOCOLS for p in (ROOT / name).glob("*.request.json"))
BEYOND = {
    "anthropic-code-execution-tool-stream": "server tool",
    "anthropic-model-web-search-tool-stream": "server tool",
    "anthropic-text-parts-ahead-of-built-in-tool-call-1": "server tool",
    "anthropic-text-parts-ahead-of-built-in-tool-call-2": "server tool",
    "anthropic-mcp-servers-stream": "mcp_servers",
    "anthropic-compaction-usage-with-cache-streaming": "context_management",
    "prompt-with-prefill-and-stop-sequences": "the assistant's words begun for it",
    "code-execution-stream": "server tool",
    "google-model-web-fetch-tool-stream": "server tool",
    "google-model-web-search-tool-stream": "server tool",
    "validate-token-counts-stream": "server tool",
    "openrouter-streaming-reasoningx": "Unknown field body.reasoning",
    "snowflake-thinking-streaming": "Unknown field body.reasoning",
    "openrouter-web-search-annotations-stream": "Unknown field tools.parameters",
}
OWN = [path for path in RECORDED if path.name.split("--")[1].split(".")[0] not in BEYOND]

pytestmark = pytest.mark.skipif(not RECORDED, reason="no recordings beside the project")
Body = dict[str, Any]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.request.json')}"


def read(path: Path) -> Body:
    body: Body = json.loads(path.read_text("utf-8"))
    return body


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
def test_our_rules_accept_what_a_service_accepted(path: Path) -> None:
    provider = PROVIDERS[path.parent.name]()
    beyond = BEYOND.get(path.name.split("--")[1].split(".")[0], "")
    try:
        provider.check_body(read(path))
    except Refused as refused:
        assert str(refused) == beyond
    else:
        assert not beyond.startswith("Unknown")


@pytest.mark.parametrize("path", OWN, ids=name_of)
def test_our_request_is_accepted_and_has_the_same_content(path: Path) -> None:
    recorded, protocol = read(path), path.parent.name
    options, request = READERS[protocol](recorded)
    built = PROTOCOLS[protocol].build_request(options, request)
    ours: Body = json.loads(json.dumps(built.body))
    PROVIDERS[protocol]().check_body(ours)
    assert spell(protocol, ours) == spell(protocol, recorded)


def test_enough_of_them_are_our_own() -> None:
    assert len(OWN) >= 12
    assert {path.parent.name for path in OWN} == {"openai", "anthropic", "gemini"}


# Reading a request into our types


def _openai(body: Body) -> tuple[ModelOptions, ModelRequest]:
    messages: list[ModelMessage] = []
    system, names = "", dict[str, str]()
    for message in body["messages"]:
        match message["role"]:
            case "system":
                system = message["content"]
            case "user":
                messages.append(UserTurn((TextPart(message["content"]),)))
            case "assistant":
                calls = [_openai_call(call) for call in message.get("tool_calls", ())]
                names |= {call.call_id: call.name for call in calls}
                said = [TextPart(message["content"])] if message["content"] else []
                messages.append(AssistantTurn((*said, *calls)))
            case "tool":
                call_id = message["tool_call_id"]
                result = ResultPart(call_id, names[call_id], message["content"], ok=True)
                messages.append(ToolResults((result,)))
    tools = [
        ToolSpec(f["name"], f.get("description", ""), f["parameters"])
        for f in (tool["function"] for tool in body.get("tools", ()))
    ]
    most = body.get("max_tokens", body.get("max_completion_tokens"))
    dropped = frozenset({"max_tokens"} if "max_completion_tokens" in body else ())
    options = _options(body, max_tokens=most, dropped=dropped)
    return options, ModelRequest(system, messages, tools, body.get("tool_choice", "auto"))


def _openai_call(call: Body) -> CallPart:
    function = call["function"]
    return CallPart(call["id"], function["name"], json.loads(function["arguments"]))


def _anthropic(body: Body) -> tuple[ModelOptions, ModelRequest]:
    messages: list[ModelMessage] = []
    for message in body["messages"]:
        assert message["role"] == "user", "none of ours has more"
        content = message["content"]
        texts = [content] if isinstance(content, str) else [block["text"] for block in content]
        messages.append(UserTurn(tuple(map(TextPart, texts))))
    tools = [
        ToolSpec(tool["name"], tool["description"], tool["input_schema"])
        for tool in body.get("tools", ())
    ]
    thinking = "low" if "thinking" in body else ""
    options = _options(body, max_tokens=body["max_tokens"], thinking=thinking)
    return options, ModelRequest(body.get("system", ""), messages, tools)


def _gemini(body: Body) -> tuple[ModelOptions, ModelRequest]:
    messages = [
        UserTurn(tuple(TextPart(part["text"]) for part in content["parts"]))
        for content in body["contents"]
    ]
    config = body["generationConfig"]
    system = "".join(part["text"] for part in body["systemInstruction"]["parts"])
    options = ModelOptions(
        "https://h", "gemini-2.5-flash", max_tokens=config["maxOutputTokens"], thinking="off"
    )
    return options, ModelRequest(system, messages)


def _options(body: Body, **more: Any) -> ModelOptions:
    model, stream = body["model"], body["stream"]
    return ModelOptions(
        "https://h", model, stream=stream, temperature=body.get("temperature"), **more
    )


READERS = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}

# Normalisation

_LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    # Our additional options (usage), and options that we don't have.
    "openai": ("stream_options", "n", "stop", "top_p"),
    "anthropic": (),
    "gemini": (),
}


def spell(protocol: str, body: Body) -> Body:
    out = {key: value for key, value in body.items() if key not in _LEFT_OUT[protocol]}
    if out.get("tool_choice") in ("auto", {"type": "auto"}):
        del out["tool_choice"]
    match protocol:
        case "openai":
            for tool in out.get("tools", ()):
                tool["function"].setdefault("description", "")
                tool["function"].pop("strict", None)
        case "anthropic":
            _spell_anthropic(out)
        case _:
            out["systemInstruction"].pop("role", None)
            config = out["generationConfig"]
            config.pop("responseModalities", None)
            thinking = config["thinkingConfig"]
            budget = thinking.pop("thinking_budget", thinking.pop("thinkingBudget", None))
            config["thinkingConfig"] = {"thinkingBudget": budget}
    return out


def _spell_anthropic(out: Body) -> None:
    for message in out["messages"]:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    if "thinking" in out:
        out["thinking"] = {"type": out["thinking"]["type"]}  # how much is our own choice
        out.pop("temperature", None)  # 1 is the only one that is allowed with it, and the default
