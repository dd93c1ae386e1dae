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
from neodeskpet.llm.protocols.gemini_request import build_listing, build_request, read_listing
from neodeskpet.llm.protocols.protocol import HttpRequest, ModelOptions

HI = UserTurn((TextPart("hi"),))
TOOL = ToolSpec(
    "live2d.motion", "Move.", {"type": "object", "properties": {"a": {"type": "string"}}}
)


def built(options: ModelOptions, *messages: ModelMessage, **request: Any) -> HttpRequest:
    return build_request(options, ModelRequest("", messages, **request))


def body(*messages: ModelMessage, **request: Any) -> dict[str, Any]:
    options = ModelOptions("https://h", "gemini-2.5-pro", **request.pop("options", {}))
    return dict(json.loads(json.dumps(built(options, *messages, **request).body)))


PLACE = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro"


@pytest.mark.parametrize(
    "base",
    [
        "generativelanguage.googleapis.com",
        "https://generativelanguage.googleapis.com/",
        "https://generativelanguage.googleapis.com/v1beta",
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        "https://generativelanguage.googleapis.com/v1beta/models",
        f"{PLACE}:streamGenerateContent?alt=sse",
        f"{PLACE}:generateContent",
    ],
)
def test_base_urls_as_people_write_them(base: str) -> None:
    streamed = built(ModelOptions(base, "gemini-2.5-pro"))
    assert streamed.url == f"{PLACE}:streamGenerateContent?alt=sse"
    whole = built(ModelOptions(base, "models/gemini-2.5-pro", stream=False))
    assert whole.url == f"{PLACE}:generateContent"


def test_other_hosts() -> None:
    vertex = "https://aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google"
    assert (
        built(ModelOptions(vertex, "m")).url == f"{vertex}/models/m:streamGenerateContent?alt=sse"
    )
    assert built(ModelOptions("localhost:80", "m")).url.startswith("http://localhost:80/v1beta/")
    assert "/tunedModels/x:" in built(ModelOptions("https://h", "tunedModels/x")).url


def test_the_key_is_only_in_a_header() -> None:
    for options in (
        ModelOptions("https://h", "m", "sk-key"),
        ModelOptions("https://h?key=other&x=1", "m", "sk-key"),
        ModelOptions("https://h/v1beta?key=sk-key", "m"),
    ):
        request = built(options, HI)
        assert request.headers == {"x-goog-api-key": "sk-key"}
        assert "key" not in request.url
        assert "sk-key" not in json.dumps(request.body)
    token = built(ModelOptions("https://h", "m", "ya29.abc"))
    assert token.headers == {"Authorization": "Bearer ya29.abc"}


def test_the_simplest_request() -> None:
    request = build_request(ModelOptions("https://h", "m"), ModelRequest("You are Neo.", [HI]))
    assert request.body == {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "systemInstruction": {"parts": [{"text": "You are Neo."}]},
    }


def test_results_are_sent_back_by_name_in_the_order_of_the_calls() -> None:
    calls = (CallPart("1", "live2d.motion", {"a": "x"}), CallPart("2", "live2d.motion", {}))
    results = (
        ResultPart("1", "live2d.motion", "ok", ok=True),
        ResultPart("2", "live2d.motion", "gone", ok=False),
    )
    sent = body(
        HI, AssistantTurn((TextPart("so"), *calls)), ToolResults(results), HI, tools=(TOOL,)
    )
    assert sent["contents"][1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "so"},
                {"functionCall": {"name": "live2d_motion", "args": {"a": "x"}}},
                {"functionCall": {"name": "live2d_motion", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "live2d_motion", "response": {"result": "ok"}}},
                {"functionResponse": {"name": "live2d_motion", "response": {"error": "gone"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "hi"}]},
    ]


def test_thinking_of_other_models_is_left_out() -> None:
    thinking = ThinkingPart("hm", '{"anthropic":{"signature":"x"}}')
    sent = body(HI, AssistantTurn((thinking, TextPart("a"))))
    assert sent["contents"][1]["parts"] == [{"text": "a"}]


def test_a_signature_whose_text_was_lost_is_sent_back_on_an_empty_one() -> None:
    signed = ThinkingPart("", '{"gemini":{"signature":"s","text":"gone"}}')
    empty = {"text": "", "thoughtSignature": "s"}
    assert body(AssistantTurn((TextPart("a"), signed)))["contents"][0]["parts"] == [
        {"text": "a"},
        empty,
    ]
    assert body(AssistantTurn((signed,)))["contents"][0]["parts"] == [empty]


def test_calls_of_another_model_are_marked_as_having_no_signature() -> None:
    """Only where Gemini would refuse them: since the last question, the first call of a round."""
    calls = AssistantTurn((CallPart("1", "time.now", {}), CallPart("2", "time.now", {})))
    results = ToolResults(tuple(ResultPart(n, "time.now", "noon", ok=True) for n in "12"))
    question = UserTurn((TextPart("hi"),))
    told = (question, calls, results, question, calls, results)
    sent: Any = built(ModelOptions("https://h", "gemini-3-pro"), *told).body
    parts = [part for content in sent["contents"] for part in content["parts"]]
    signed = [part.get("thoughtSignature") for part in parts]
    skipped = "skip_thought_signature_validator"
    assert signed == [None] * 6 + [skipped] + [None] * 3
    older = built(ModelOptions("https://h", "gemini-2.5-flash"), *told).body
    assert skipped not in json.dumps(older)


def test_images() -> None:
    parts = (ImagePart("d", "image/png", b"\x89P"), ImagePart("lost", "image/png"))
    assert body(UserTurn(parts))["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "iVA="}}
    ]


def test_tools() -> None:
    sent = body(HI, tools=(TOOL, ToolSpec("now", "Time.")))
    assert sent["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": "live2d_motion",
                    "description": "Move.",
                    "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
                },
                {"name": "now", "description": "Time."},
            ]
        }
    ]
    assert "toolConfig" not in sent


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("live2d.motion", {"mode": "ANY", "allowedFunctionNames": ["live2d_motion"]}),
    ],
)
def test_tool_choice(choice: str, sent: object) -> None:
    config = body(HI, tools=(TOOL,), tool_choice=choice)["toolConfig"]
    assert config == {"functionCallingConfig": sent}


def test_options() -> None:
    config = body(options={"max_tokens": 9, "temperature": 0.5})["generationConfig"]
    assert config == {"maxOutputTokens": 9, "temperature": 0.5}
    dropped = frozenset({"generationConfig.temperature", "generationConfig.thinkingConfig"})
    settings = {"temperature": 0.5, "thinking": "low", "dropped": dropped}
    assert "generationConfig" not in body(options=settings)


@pytest.mark.parametrize(
    ("model", "thinking", "config"),
    [
        ("gemini-2.5-flash", "low", {"includeThoughts": True, "thinkingBudget": 1024}),
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-3-pro-preview", "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-flash-latest", "off", {"thinkingLevel": "minimal"}),
    ],
)
def test_thinking(model: str, thinking: str, config: object) -> None:
    request = built(ModelOptions("https://h", model, thinking=thinking))
    assert request.body is not None
    assert request.body["generationConfig"] == {"thinkingConfig": config}


def test_the_list_of_models() -> None:
    listing = build_listing(ModelOptions("https://h/v1beta/models/m:generateContent", "", "sk-key"))
    assert (listing.method, listing.url) == ("GET", "https://h/v1beta/models?pageSize=1000")
    rows = [
        {"name": "models/b", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/a"},
        {"name": "models/vectors", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/pictures", "supportedGenerationMethods": ["predict"]},
        None,
    ]
    assert read_listing({"models": rows}) == ["a", "b", "vectors"]
    assert read_listing([]) == []
