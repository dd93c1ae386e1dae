"""How vectors are requested, and read from the answers of real services."""

from __future__ import annotations

import base64
import json
from array import array

import pytest

from neodeskpet.core.errors import BadReply
from neodeskpet.language import translate_error
from neodeskpet.llm.protocols.embeddings import GEMINI_EMBEDDINGS, OPENAI_EMBEDDINGS
from neodeskpet.llm.protocols.protocol import EmbeddingForm, HttpRequest, ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS

TEXTS = ("你好", "hello")
# As llama.cpp's server sends it (shortened), and as Gemini's reference shows it.
OPENAI_BODY = """{"model":"embedding-model","object":"list",
"usage":{"prompt_tokens":7,"total_tokens":7},
"data":[{"embedding":[0.25,-0.5,1.0],"index":0,"object":"embedding"},
{"embedding":[0.5,0.125,-1],"index":1,"object":"embedding"}]}"""
GEMINI_BODY = """{"embeddings":[{"values":[0.25,-0.5,1.0]},{"values":[0.5,0.125,-1]}],
"usageMetadata":{"promptTokenCount":9}}"""
ROWS = (array("f", [0.25, -0.5, 1.0]), array("f", [0.5, 0.125, -1.0]))


def build(protocol: str, address: str, *, query: bool = False, **more: object) -> HttpRequest:
    form = PROTOCOLS[protocol].embedding
    assert form is not None
    options = ModelOptions(address, "m", key="sk-secret", headers={"X-Mine": "1"}, extra=more)
    return form.build(options, TEXTS, query)


@pytest.mark.parametrize("protocol", ["openai", "openai-responses"])
@pytest.mark.parametrize(
    "address",
    ["http://h:1", "http://h:1/v1", "http://h:1/v1/chat/completions", "http://h:1/v1/embeddings"],
)
def test_openai(protocol: str, address: str) -> None:
    request = build(protocol, address, dimensions=256)
    assert (request.method, request.url) == ("POST", "http://h:1/v1/embeddings")
    assert request.body == {"model": "m", "input": list(TEXTS), "dimensions": 256}
    assert request.headers["Authorization"] == "Bearer sk-secret"
    assert request.headers["X-Mine"] == "1"
    assert "secret" not in request.url


@pytest.mark.parametrize(
    ("query", "task"), [(True, "RETRIEVAL_QUERY"), (False, "RETRIEVAL_DOCUMENT")]
)
def test_gemini(query: bool, task: str) -> None:
    request = build("gemini", "https://g.example", query=query, outputDimensionality=256)
    assert request.url == "https://g.example/v1beta/models/m:batchEmbedContents"
    assert request.headers["x-goog-api-key"] == "sk-secret"
    assert request.body == {
        "requests": [
            {
                "model": "models/m",
                "taskType": task,
                "outputDimensionality": 256,
                "content": {"parts": [{"text": text}]},
            }
            for text in TEXTS
        ]
    }


def test_anthropic_has_none() -> None:
    assert PROTOCOLS["anthropic"].embedding is None


@pytest.mark.parametrize(
    ("form", "body", "tokens", "model"),
    [
        (OPENAI_EMBEDDINGS, OPENAI_BODY, 7, "embedding-model"),
        (GEMINI_EMBEDDINGS, GEMINI_BODY, 9, ""),
    ],
)
def test_answers_of_services(form: EmbeddingForm, body: str, tokens: int, model: str) -> None:
    vectors = form.read(json.loads(body), 2)
    assert (vectors.rows, vectors.tokens, vectors.model) == (ROWS, tokens, model)


def test_another_order_and_base64() -> None:
    rows = [
        {"index": 1, "embedding": base64.b64encode(ROWS[1].tobytes()).decode()},
        {"index": 0, "embedding": base64.b64encode(ROWS[0].tobytes()).decode()},
    ]
    assert OPENAI_EMBEDDINGS.read({"data": rows}, 2).rows == ROWS


def test_without_indexes_the_order_counts() -> None:
    assert (
        OPENAI_EMBEDDINGS.read({"data": [{"embedding": list(row)} for row in ROWS]}, 2).rows == ROWS
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "It sent 0 vectors for 2 texts."),
        ([], "It sent 0 vectors for 2 texts."),
        ({"data": [{"embedding": [1.0]}]}, "It sent 1 vectors for 2 texts."),
        ({"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}, "not all of one length"),
        ({"data": [{"embedding": [1.0]}, {"embedding": []}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": None}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": ["a"]}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": "AAA"}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": "not base64!"}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [float("nan")]}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [1e300]}]}, "no vector"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [10**400]}]}, "no vector"),
        ({"data": [5, {"embedding": [1.0]}]}, "no vector"),
    ],
)
def test_invalid_answers(body: object, reason: str) -> None:
    with pytest.raises(BadReply) as failure:
        OPENAI_EMBEDDINGS.read(body, 2)
    assert reason in translate_error(failure.value)[0]
