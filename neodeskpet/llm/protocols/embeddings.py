"""Requests and responses for embedding vectors: OpenAI's `/embeddings`, which most gateways and
local servers offer, and Gemini's `batchEmbedContents`. Anthropic has no embeddings.
"""

from __future__ import annotations

import base64
import binascii
from array import array
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any
from urllib.parse import quote

from neodeskpet.core.errors import BadReply
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Vectors
from neodeskpet.llm.protocols import gemini_request, openai_request, responses_request
from neodeskpet.llm.protocols.protocol import (
    EmbeddingForm,
    HttpRequest,
    ModelOptions,
    as_count,
    as_dict,
    as_list,
    as_text,
    endpoint_url,
)

PATH = "/embeddings"
_ENDS = (openai_request.PATH, responses_request.PATH, "/models")
_TOKENS = ("promptTokenCount", "totalTokenCount")


def _build_openai(options: ModelOptions, texts: Sequence[str], query: bool) -> HttpRequest:
    body: dict[str, object] = {"model": options.model, "input": list(texts)}
    body.update(options.extra)
    url = endpoint_url(options.base_url, "/v1", PATH, ends=_ENDS)
    whole = replace(options, stream=False)
    return HttpRequest("POST", url, openai_request.headers(whole), body)


def _read_openai(body: object, count: int) -> Vectors:
    """Read `{"data": [{"index": 0, "embedding": [0.1, …]}], "model": …, "usage": {"prompt_tokens":
    …}}`. The rows are sorted by index, because a gateway may send them in another order.
    """
    answer = as_dict(body)
    rows = [as_dict(row) for row in as_list(answer.get("data"))]
    places = [row.get("index") for row in rows]
    if sorted(place for place in places if isinstance(place, int)) == list(range(count)):
        rows.sort(key=lambda row: as_count(row.get("index")))
    usage = as_dict(answer.get("usage"))
    tokens = as_count(usage.get("prompt_tokens")) or as_count(usage.get("total_tokens"))
    return _vectors([row.get("embedding") for row in rows], count, answer.get("model"), tokens)


def _build_gemini(options: ModelOptions, texts: Sequence[str], query: bool) -> HttpRequest:
    name = options.model if "/" in options.model else f"models/{options.model}"
    task = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
    common: dict[str, object] = {"model": name, "taskType": task, **options.extra}
    asked = [{**common, "content": {"parts": [{"text": text}]}} for text in texts]
    url = gemini_request.address(options, f"/{quote(name)}:batchEmbedContents", {})
    body = {"requests": asked}
    return HttpRequest("POST", url, gemini_request.headers(options), body)


def _read_gemini(body: object, count: int) -> Vectors:
    """Read `{"embeddings": [{"values": [0.1, …]}], "usageMetadata": {…}}`, in the order of the
    texts.
    """
    answer = as_dict(body)
    rows = [as_dict(row).get("values") for row in as_list(answer.get("embeddings"))]
    usage = as_dict(answer.get("usageMetadata"))
    tokens = next((as_count(usage[name]) for name in _TOKENS if name in usage), 0)
    return _vectors(rows, count, answer.get("modelVersion"), tokens)


def _vectors(rows: Sequence[object], count: int, model: object, tokens: int) -> Vectors:
    if len(rows) != count:
        raise BadReply(
            reason=N_("It sent {found} vectors for {count} texts."),
            found=str(len(rows)),
            count=str(count),
        )
    read = tuple(_vector(row) for row in rows)
    if len({len(row) for row in read}) > 1:
        raise BadReply(reason=N_("Its vectors are not all of one length."))
    return Vectors(read, as_text(model), tokens)


def _vector(row: Any) -> array[float]:
    """Read a list of numbers, or base64 of little-endian four-byte floats, which some services send
    unasked.
    """
    try:
        numbers = _floats(row) if isinstance(row, str) else array("f", row)
    except (TypeError, ValueError, OverflowError, binascii.Error):
        numbers = array("f")
    if not numbers or not all(map(isfinite, numbers)):
        raise BadReply(reason=N_("It sent something that is no vector."))
    return numbers


def _floats(text: str) -> array[float]:
    numbers = array("f")
    numbers.frombytes(base64.b64decode(text, validate=True))
    return numbers


OPENAI_EMBEDDINGS = EmbeddingForm(_build_openai, _read_openai, 64)
"""The limits of batches: OpenAI accepts 2,048 texts and 300,000 tokens; other services 10 or 25
texts, and report it.
"""
GEMINI_EMBEDDINGS = EmbeddingForm(_build_gemini, _read_gemini, 100)
