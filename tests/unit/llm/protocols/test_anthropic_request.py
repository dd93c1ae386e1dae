from __future__ import annotations

import json
from typing import Any

import pytest

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.protocols.anthropic_request import build_listing, build_request
from neodeskpet.llm.protocols.protocol import ModelOptions

SIGNED = ThinkingPart("hm", '{"anthropic":{"signature":"sig"}}')
REDACTED = ThinkingPart("", '{"anthropic":{"redacted":"xyz"}}')
FOREIGN = ThinkingPart("hm", '{"openai":{"field":"reasoning_content"}}')
HI = UserTurn((TextPart("hi"),))
TOOL = ToolSpec("live2d.motion", "Move.", {"type": "object", "properties": {"a": {}}, "anyOf": []})


def body(
    messages: list[ModelMessage], tools: tuple[ToolSpec, ...] = (), **settings: Any
) -> dict[str, Any]:
    choice = settings.pop("tool_choice", "auto")
    options = ModelOptions("https://api.anthropic.com", "m", "sk-key", **settings)
    request = ModelRequest("You are Neo.", messages, tools, tool_choice=choice)
    return dict(json.loads(json.dumps(build_request(options, request).body)))


def round_of(*parts: Any) -> list[ModelMessage]:
    return [
        HI,
        AssistantTurn((*parts, CallPart("1", "live2d.motion", {"a": 1}))),
        ToolResults((ResultPart("1", "live2d.motion", "ok", ok=True),)),
    ]


def test_address_and_headers() -> None:
    for base in ("api.anthropic.com", "https://api.anthropic.com/v1/messages"):
        built = build_request(ModelOptions(base, "m", "sk-key"), ModelRequest("", []))
        assert built.url == "https://api.anthropic.com/v1/messages"
        assert built.headers == {"anthropic-version": "2023-06-01", "x-api-key": "sk-key"}
    gateway = build_request(ModelOptions("https://g/api", "m", "sk-key"), ModelRequest("", []))
    assert gateway.headers["Authorization"] == "Bearer sk-key"
    listing = build_listing(ModelOptions("https://g/api/v1/messages", "", "k"))
    assert listing.url == "https://g/api/v1/models"


def test_the_simplest_request() -> None:
    assert body([HI]) == {
        "model": "m",
        "max_tokens": 8192,
        "system": "You are Neo.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": True,
    }


def test_all_results_of_a_round_come_first_in_one_user_message() -> None:
    calls = (CallPart("call.1", "live2d.motion", {}), CallPart("call_1", "old.tool", {"b": 2}))
    results = (
        ResultPart("call.1", "live2d.motion", "ok", ok=True),
        ResultPart("call_1", "old.tool", "gone", ok=False),
    )
    sent = body([HI, AssistantTurn((TextPart("so"), *calls)), ToolResults(results), HI], (TOOL,))[
        "messages"
    ]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    text, first, second = sent[1]["content"]
    assert text == {"type": "text", "text": "so"}
    assert first["name"] == "live2d_motion"
    assert second == {"type": "tool_use", "id": second["id"], "name": "old_tool", "input": {"b": 2}}
    assert first["id"] != second["id"]
    assert sent[2]["content"] == [
        {"type": "tool_result", "tool_use_id": first["id"], "content": "ok"},
        {
            "type": "tool_result",
            "tool_use_id": second["id"],
            "content": "gone",
            "is_error": True,
        },
        {"type": "text", "text": "hi"},
    ]


def test_thinking_is_sent_back_unchanged_and_first() -> None:
    sent = body(round_of(TextPart("so"), SIGNED, REDACTED))["messages"][1]["content"]
    assert [part["type"] for part in sent] == ["thinking", "redacted_thinking", "text", "tool_use"]
    assert sent[0] == {"type": "thinking", "thinking": "hm", "signature": "sig"}
    assert sent[1] == {"type": "redacted_thinking", "data": "xyz"}
    mixed = body(round_of(SIGNED, TextPart("so"), REDACTED))["messages"][1]["content"]
    assert [part["type"] for part in mixed] == ["thinking", "text", "redacted_thinking", "tool_use"]


def test_thinking_of_other_models_or_without_its_signature_is_left_out() -> None:
    for part in (FOREIGN, ThinkingPart("cut"), ThinkingPart("x", "no json")):
        sent = body(round_of(part))["messages"][1]["content"]
        assert [block["type"] for block in sent] == ["tool_use"]


def test_blank_text_is_left_out() -> None:
    blank = TextPart(" \n")
    turns: list[ModelMessage] = [HI, AssistantTurn((blank,)), UserTurn((blank, TextPart("x")))]
    sent = body(turns)["messages"]
    assert sent == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "x"}]}
    ]


def test_images() -> None:
    parts = (ImagePart("d", "image/png", b"\x89P"), ImagePart("lost", "image/png"))
    assert body([UserTurn(parts)])["messages"][0]["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVA="}}
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("live2d.motion", {"type": "tool", "name": "live2d_motion"}),
    ],
)
def test_tools_and_their_choice(choice: str, sent: object) -> None:
    assert body([HI], (TOOL,), tool_choice=choice)["tool_choice"] == sent
    built = body([HI], (TOOL, ToolSpec("b", "", {})))
    assert "tool_choice" not in built
    assert built["tools"] == [
        {
            "name": "live2d_motion",
            "description": "Move.",
            "input_schema": {"type": "object", "properties": {"a": {}}},
        },
        {"name": "b", "description": "", "input_schema": {"type": "object", "properties": {}}},
    ]


def test_the_thinking_budget_is_below_max_tokens() -> None:
    for thinking in ("low", "medium", "high"):
        for most in (None, 1500, 2048, 4096, 50_000):
            sent = body([HI], thinking=thinking, max_tokens=most, temperature=0.5)
            budget = sent.get("thinking", {"budget_tokens": 1024})["budget_tokens"]
            assert 1024 <= budget < sent["max_tokens"]
            assert ("temperature" in sent) == ("thinking" not in sent)
            assert most is None or sent["max_tokens"] == most
    assert "thinking" not in body([HI], thinking="high", max_tokens=1500)
    assert "thinking" not in body([HI], thinking="off")


def test_thinking_is_left_out_if_it_would_be_refused() -> None:
    assert "thinking" not in body([HI], (TOOL,), tool_choice="required", thinking="low")
    assert "thinking" in body([HI], (TOOL,), tool_choice="none", thinking="low")
    assert "thinking" in body(round_of(SIGNED), thinking="low")
    assert "thinking" not in body(round_of(FOREIGN), thinking="low")
    # Text directly after results goes into one message with them: the round isn't over.
    assert "thinking" not in body([*round_of(FOREIGN), HI], thinking="low")
    assert "thinking" in body([*round_of(SIGNED), HI], thinking="low")
    assert "thinking" in body(
        [*round_of(FOREIGN), AssistantTurn((TextPart("x"),)), HI], thinking="low"
    )


def test_parameters_that_an_endpoint_refused() -> None:
    sent = body([HI], thinking="low", dropped=frozenset({"thinking"}))
    assert sent["thinking"]["type"] == "adaptive"
    assert sent["output_config"] == {"effort": "low"}
    dropped = frozenset({"thinking", "thinking!", "max_tokens", "temperature"})
    sent = body([HI], thinking="high", temperature=0.5, dropped=dropped)
    assert set(sent) == {"model", "max_tokens", "messages", "stream", "system"}
    assert sent["max_tokens"] == 4096


def test_no_thinking_budget_when_few_tokens_are_left() -> None:
    sent = body([HI], thinking="high", dropped=frozenset({"max_tokens"}))
    assert sent["thinking"]["budget_tokens"] < sent["max_tokens"] == 4096


def test_one_call_at_a_time_is_requested_if_the_model_mixes_them_up() -> None:
    one = {"disable_parallel_tool_use": True}
    assert body([HI], (TOOL,), parallel=False)["tool_choice"] == {"type": "auto"} | one
    forced = body([HI], (TOOL,), parallel=False, tool_choice="required")
    assert forced["tool_choice"] == {"type": "any"} | one
    assert body([HI], (TOOL,), parallel=False, tool_choice="none")["tool_choice"] == {
        "type": "none"
    }
    assert "tool_choice" not in body([HI], (TOOL,))
