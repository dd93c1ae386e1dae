"""Vectors from a service on loopback: in portions, with retries, from one model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from neodeskpet.core.errors import (
    BadReply,
    EmbeddingsUnsupported,
    InvalidAddress,
    KeyUnencrypted,
    LlmError,
    NotFound,
    RateLimited,
    RequestRefused,
    ServiceFailed,
    Unauthorized,
    Unreachable,
)
from neodeskpet.core.model import Vectors
from neodeskpet.language import translate_error
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry, Purposes
from neodeskpet.llm.chain.model_wrappers import RetryPolicy
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_builder import ModelBuilder
from tests.support.realmodel import gguf
from tests.support.sseserver import Reply, Request, ScriptedServer

T = TypeVar("T")
KEY = "sk-very-secret-key-1234"


def answer(request: Request) -> Reply:
    """Each text's vector begins with the number in the text."""
    texts = request.body["input"]
    rows = [
        {"index": place, "embedding": [float(text.split()[-1]), 1.0]}
        for place, text in enumerate(texts)
    ]
    return Reply([{"data": rows, "model": "vec-1", "usage": {"prompt_tokens": len(texts)}}], 200)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        scripted.fallback = answer
        yield scripted


def catalog(*addresses: str, model: str = "vec-embed", purpose: str = "", **more: Any) -> Catalog:
    return Catalog(
        endpoints=tuple(
            Endpoint(name=f"e{n}", protocol=more.get("protocol", "openai"), base_url=address)
            for n, address in enumerate(addresses)
        ),
        models=tuple(
            ModelEntry(endpoint=f"e{n}", id=model, extra=more.get("extra", {}))
            for n in range(len(addresses))
        ),
        purposes=Purposes(embedding=purpose),
    )


class Asker:
    """The embedder of the tests; its pauses are recorded instead of waiting."""

    def __init__(self, catalog: Catalog, key: str = KEY) -> None:
        self.pauses: list[float] = []
        self._catalog = catalog
        self._key = key

    def embed(self, *rounds: Sequence[str], query: bool = False) -> list[Vectors]:
        return asyncio.run(self._embed(rounds, query))

    async def _embed(self, rounds: Sequence[Sequence[str]], query: bool) -> list[Vectors]:
        client = HttpClient()

        async def key(_endpoint: Endpoint) -> str:
            return self._key

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        builder = ModelBuilder(
            lambda _proxy: client, key, retry=RetryPolicy(sleep=sleep, chance=lambda: 1.0)
        )
        embedder = builder.build_embedder(self._catalog)
        assert embedder is not None
        assert embedder.label == self._catalog.models[0].id
        try:
            return [await embedder.embed(texts, query=query) for texts in rounds]
        finally:
            await client.aclose()


def texts(count: int, start: int = 0) -> list[str]:
    return [f"text {number}" for number in range(start, start + count)]


def firsts(vectors: Vectors) -> list[float]:
    return [row[0] for row in vectors.rows]


def test_many_texts_are_sent_in_portions_and_keep_their_order(server: ScriptedServer) -> None:
    (vectors,) = Asker(catalog(server.url)).embed(texts(150))
    assert firsts(vectors) == list(range(150))
    assert (vectors.model, vectors.tokens) == ("vec-1", 150)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 22]
    assert {request.path for request in server.requests} == {"/v1/embeddings"}
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_long_texts_are_sent_in_smaller_portions(server: ScriptedServer) -> None:
    long = [f"{'x' * 25_000} {number}" for number in range(5)]
    (vectors,) = Asker(catalog(server.url)).embed([*long, "x" * 100_000 + " 5"])
    assert firsts(vectors) == list(range(6))
    assert [len(request.body["input"]) for request in server.requests] == [2, 2, 1, 1]


def test_without_texts_nothing_is_sent(server: ScriptedServer) -> None:
    (vectors,) = Asker(catalog(server.url)).embed([])
    assert vectors.rows == ()
    assert server.requests == []


def test_a_service_with_a_limit_of_ten_is_sent_no_more_from_then_on(
    server: ScriptedServer,
) -> None:
    def few(request: Request) -> Reply:
        if len(request.body["input"]) > 10:
            refused = "batch size is invalid, it should not be larger than 10"
            return Reply([{"error": {"message": refused}}], 400)
        return answer(request)

    server.fallback = few
    first, second = Asker(catalog(server.url)).embed(texts(20), texts(20))
    assert firsts(first) == firsts(second) == list(range(20))
    assert [len(r.body["input"]) for r in server.requests] == [20, 10, 10, 10, 10]


def test_a_single_text_that_is_refused_is_reported(server: ScriptedServer) -> None:
    for _ in range(2):
        server.reply({"error": {"message": "input[0] is empty"}}, status=400)
    with pytest.raises(LlmError) as failure:
        Asker(catalog(server.url)).embed(["text 1", "text 2"])
    assert isinstance(failure.value, RequestRefused)
    assert [len(r.body["input"]) for r in server.requests] == [2, 1]


def test_passing_faults_are_retried(server: ScriptedServer) -> None:
    server.reply({"error": "busy"}, status=503)
    server.reply({"error": "slow down"}, status=429, headers={"Retry-After": "7"})
    asker = Asker(catalog(server.url))
    (vectors,) = asker.embed(texts(2))
    assert firsts(vectors) == [0, 1]
    assert asker.pauses == [1.0, 7.0]


def test_after_four_attempts_the_error_is_raised(server: ScriptedServer) -> None:
    server.fallback = lambda _request: Reply([{"error": "slow down"}], 429)
    with pytest.raises(RateLimited):
        Asker(catalog(server.url)).embed(texts(1))
    assert len(server.requests) == 4


def test_the_same_model_of_another_service_is_used_and_another_model_never(
    server: ScriptedServer,
) -> None:
    with ScriptedServer() as broken:
        broken.fallback = lambda _request: Reply([{"error": "wrong key"}], 401)
        both = catalog(broken.url, server.url)
        first, second = Asker(both).embed(texts(1), texts(1, 5))
        assert (firsts(first), firsts(second)) == ([0], [5])
        assert len(broken.requests) == 1, "it cools down"
        others = both.model_copy(
            update={"models": (both.models[0], ModelEntry(endpoint="e1", id="other-embed"))}
        )
        with pytest.raises(Unauthorized):
            Asker(others).embed(texts(1))
        assert len(server.requests) == 2


def reply_with(status: int, body: object) -> Callable[[Request], Reply]:
    kind = "application/json" if isinstance(body, dict) else "text/html"
    return lambda _request: Reply([body], status, None, kind)  # type: ignore[list-item]


NONE_HERE = {
    "code": 501,
    "message": "This server does not support embeddings. Start it with `--embeddings`",
    "type": "not_supported_error",
}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (501, {"error": NONE_HERE}, EmbeddingsUnsupported),
        (405, "<h1>Method Not Allowed</h1>", EmbeddingsUnsupported),
        (404, "<h1>Not Found</h1>", EmbeddingsUnsupported),
        (404, {"error": {"message": "The model `vec` does not exist"}}, NotFound),
        (400, {"error": {"message": "model does not support embeddings"}}, EmbeddingsUnsupported),
        (401, {"error": {"message": f"wrong key {KEY}"}}, Unauthorized),
        (505, {"error": "no"}, ServiceFailed),
        (200, "<h1>Welcome</h1>", BadReply),
        (200, {"data": []}, BadReply),
    ],
)
def test_the_reasons_for_a_response_without_vectors(
    server: ScriptedServer, status: int, body: object, kind: type[LlmError]
) -> None:
    server.fallback = reply_with(status, body)
    with pytest.raises(LlmError) as failure:
        Asker(catalog(server.url)).embed(texts(1))
    assert type(failure.value) is kind
    assert KEY not in str(failure.value) + str(failure.value.raw) + "".join(
        translate_error(failure.value)
    )
    assert len(server.requests) == 1
    if kind is EmbeddingsUnsupported:
        assert "offer embeddings" in translate_error(failure.value)[0]


def test_a_protocol_without_vectors_is_refused(server: ScriptedServer) -> None:
    with pytest.raises(EmbeddingsUnsupported, match="protocol doesn't support"):
        Asker(catalog(server.url, protocol="anthropic")).embed(texts(1))
    assert server.requests == []


def test_addresses_and_keys_have_the_same_rules_as_in_the_chat() -> None:
    with pytest.raises(InvalidAddress):
        Asker(catalog("http://[")).embed(texts(1))
    with pytest.raises(KeyUnencrypted):
        Asker(catalog("http://192.0.2.7/v1")).embed(texts(1))
    asker = Asker(catalog("http://127.0.0.1:9/v1"))
    with pytest.raises(Unreachable):
        asker.embed(texts(1))


def test_gemini(server: ScriptedServer) -> None:
    def embed(request: Request) -> Reply:
        assert request.path.endswith("/models/vec-embed:batchEmbedContents")
        kinds = {one["taskType"] for one in request.body["requests"]}
        assert kinds == {"RETRIEVAL_QUERY"}
        found = [one["content"]["parts"][0]["text"] for one in request.body["requests"]]
        return Reply([{"embeddings": [{"values": [float(t.split()[-1])]} for t in found]}], 200)

    server.fallback = embed
    (vectors,) = Asker(catalog(server.url, protocol="gemini")).embed(texts(130), query=True)
    assert firsts(vectors) == list(range(130))
    assert vectors.model == "vec-embed"
    assert [len(r.body["requests"]) for r in server.requests] == [100, 30]


def test_vectors_of_changing_length_are_refused(server: ScriptedServer) -> None:
    lengths = iter((2, 3))

    def grow(request: Request) -> Reply:
        row = [1.0] * next(lengths)
        return Reply([{"data": [{"embedding": row} for _ in request.body["input"]]}], 200)

    server.fallback = grow
    with pytest.raises(BadReply, match="one length"):
        Asker(catalog(server.url)).embed(texts(65))


def built(catalog: Catalog) -> Any:
    async def no_key(_endpoint: Endpoint) -> str:
        return ""

    return ModelBuilder(lambda _proxy: HttpClient(), no_key).build_embedder(catalog)


def test_the_catalogue_decides_which_model_makes_them() -> None:
    assert built(Catalog()) is None
    assert built(catalog("http://h/v1", model="gpt-5")) is None
    assert built(catalog("http://h/v1", model="gpt-5", purpose="gpt-5")).label == "gpt-5"
    assert built(catalog("local:/x/embed.gguf", model="embed")) is None


_REAL = """
import os, sys
import xllamacpp

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
servers = []
for able in (True, False):
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [sys.argv[2]]
    params.n_ctx = 512
    params.n_parallel = 1
    params.ui = False
    params.verbosity = 1
    params.cpuparams.n_threads = 1
    if able:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    servers.append(xllamacpp.Server(params))
print(*(server.listening_address for server in servers), file=out, flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.mark.model
@pytest.mark.skipif(gguf() is None, reason="the test extra with the model isn't installed")
@pytest.mark.timeout(300)
@pytest.mark.xdist_group("model")
def test_with_a_real_server() -> None:
    """llama.cpp's server, started with and without vectors."""
    child = subprocess.Popen(
        [sys.executable, "-c", _REAL, str(gguf()), KEY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert child.stdout is not None
        able, unable = child.stdout.readline().split()
        words = ["The cat sleeps on the sofa.", "你好，世界", "The cat sleeps on the sofa."]
        (vectors,) = Asker(catalog(able)).embed(words)
        assert len(vectors.rows) == 3
        assert len(vectors.rows[0]) == 576
        assert list(vectors.rows[0]) == pytest.approx(list(vectors.rows[2]), abs=1e-3)
        assert list(vectors.rows[0]) != pytest.approx(list(vectors.rows[1]), abs=1e-3)
        assert vectors.tokens > 10
        with pytest.raises(EmbeddingsUnsupported, match="does not support embeddings"):
            Asker(catalog(unable)).embed(words)
        with pytest.raises(Unauthorized):
            Asker(catalog(able), key="sk-another").embed(words)
    finally:
        child.communicate(timeout=30)
