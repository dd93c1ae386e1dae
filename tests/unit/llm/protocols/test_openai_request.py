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
from neodeskpet.llm.protocols.openai_request import REFUSABLE, build_listing, build_request
from neodeskpet.llm.protocols.protocol import ModelOptions

MOTION = ToolSpec(
    "live2d.motion", "Move.", {"type": "object", "properties": {"group": {"type": "string"}}}
)
CLASH = ToolSpec("live2d_motion", "Another.", {})


def body(
    messages: list[ModelMessage],
    tools: tuple[ToolSpec, ...] = (),
    options: ModelOptions | None = None,
    **request: Any,
) -> dict[str, Any]:
    options = options or ModelOptions("https://api.example", "m", "sk-key")
    built = build_request(options, ModelRequest("", messages, tools, **request))
    return dict(json.loads(json.dumps(built.body)))


def test_the_key_is_only_in_a_header() -> None:
    options = ModelOptions("https://api.example/v1/", "m", "sk-key", headers={"X-A": "b"})
    built = build_request(options, ModelRequest("You are Neo.", [UserTurn((TextPart("hi"),))]))
    assert built.method == "POST"
    assert built.url == "https://api.example/v1/chat/completions"
    assert built.headers["Authorization"] == "Bearer sk-key"
    assert built.headers["X-A"] == "b"
    assert "sk-key" not in built.url + json.dumps(built.body) + repr(built) + repr(options)
    assert built.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are Neo."},
            {"role": "user", "content": "hi"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_azure_has_its_own_header() -> None:
    options = ModelOptions(
        "https://x.openai.azure.com/openai/deployments/d?api-version=1", "m", "sk-key"
    )
    built = build_request(options, ModelRequest("", []))
    assert built.headers["api-key"] == "sk-key"
    assert "Authorization" not in built.headers
    assert built.url.endswith("/deployments/d/chat/completions?api-version=1")


def test_calls_and_results_in_openais_form() -> None:
    messages: list[ModelMessage] = [
        UserTurn((TextPart("a"), TextPart("b"))),
        AssistantTurn(
            (
                TextPart("Let me."),
                CallPart("1", "live2d.motion", {"group": "点头"}),
                CallPart("2", "old.tool", {}),
            )
        ),
        ToolResults(
            (
                ResultPart("1", "live2d.motion", "done", ok=True),
                ResultPart("2", "old.tool", "gone", ok=False),
            )
        ),
    ]
    sent = body(messages, (MOTION, CLASH))
    motion, clash = (tool["function"]["name"] for tool in sent["tools"])
    assert motion != clash
    assert sent["tools"][1]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert "tool_choice" not in sent
    assert sent["messages"] == [
        {"role": "user", "content": "a\n\nb"},
        {
            "role": "assistant",
            "content": "Let me.",
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": motion, "arguments": '{"group": "点头"}'},
                },
                {
                    "id": "2",
                    "type": "function",
                    "function": {"name": "old_tool", "arguments": "{}"},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "done"},
        {"role": "tool", "tool_call_id": "2", "content": "Error: gone"},
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", "none"),
        ("required", "required"),
        ("live2d.motion", {"type": "function", "function": {"name": "live2d_motion"}}),
    ],
)
def test_tool_choice(choice: str, sent: object) -> None:
    assert body([], (MOTION,), tool_choice=choice)["tool_choice"] == sent
    assert "tool_choice" not in body([], (), tool_choice=choice)


def test_images() -> None:
    picture = ImagePart("d", "image/png", b"\x89P")
    parts = (TextPart("look"), picture, ImagePart("lost", "image/png"))
    assert body([UserTurn(parts)])["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVA="}},
            ],
        }
    ]
    lost = UserTurn((TextPart("look"), ImagePart("lost", "image/png")))
    assert body([lost])["messages"][0]["content"] == "look"


def test_thinking_of_earlier_questions_is_not_sent() -> None:
    opaque = '{"openai":{"field":"reasoning_content"}}'
    messages: list[ModelMessage] = [
        UserTurn((TextPart("a"),)),
        AssistantTurn((ThinkingPart("hm", opaque), TextPart("b"))),
        UserTurn((TextPart("c"),)),
    ]
    assert body(messages)["messages"][1] == {"role": "assistant", "content": "b"}


def test_options_and_parameters_that_an_endpoint_refused() -> None:
    options = ModelOptions(
        "https://h", "m", stream=False, max_tokens=9, temperature=0.5, thinking="low",
        extra={"top_k": 4},
    )  # fmt: skip
    sent = body([], options=options)
    del sent["messages"]
    assert sent == {
        "model": "m",
        "stream": False,
        "max_tokens": 9,
        "temperature": 0.5,
        "reasoning_effort": "low",
        "top_k": 4,
    }
    dropped = ModelOptions("https://h", "m", max_tokens=9, dropped=frozenset(REFUSABLE))
    sent = body([], options=dropped)
    del sent["messages"]
    assert sent == {"model": "m", "stream": True, "max_completion_tokens": 9}
    off = body([], options=ModelOptions("https://h", "m", thinking="off"))
    assert off["reasoning_effort"] == "none"
    for model, least in {"gpt-5-mini": "minimal", "gpt-5.1": "none", "openai/o3": "low"}.items():
        sent = body([], options=ModelOptions("https://h", model, thinking="off"))
        assert sent["reasoning_effort"] == least
    assert "reasoning_effort" not in body([], options=ModelOptions("h", "m", thinking="on"))


def test_the_list_of_models() -> None:
    for base in ("https://h", "https://h/v1", "https://h/v1/chat/completions"):
        listing = build_listing(ModelOptions(base, "", "sk-key"))
        assert (listing.method, listing.url, listing.body) == ("GET", "https://h/v1/models", None)
        assert listing.headers["Authorization"] == "Bearer sk-key"


def test_foreign_opaque_parts_are_not_sent() -> None:
    for opaque in ('{"anthropic":{"signature":"x"}}', "no json", ""):
        parts = (ThinkingPart("hm", opaque), CallPart("1", "f", {}))
        turns: list[ModelMessage] = [
            UserTurn((TextPart("hi"),)),
            AssistantTurn(parts),
            ToolResults((ResultPart("1", "f", "ok", ok=True),)),
        ]
        assert set(body(turns)["messages"][1]) == {"role", "content", "tool_calls"}


def test_one_call_at_a_time_is_requested_if_the_model_mixes_them_up() -> None:
    options = ModelOptions("http://x", "m", parallel=False)
    assert "parallel_tool_calls" not in body([], options=options)
    assert body([], (MOTION,), options)["parallel_tool_calls"] is False
    assert "parallel_tool_calls" not in body([], (MOTION,))
