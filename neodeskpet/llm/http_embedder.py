"""Requests vectors from a service, in batches, with retries, and always from the same model.

Vectors of different models can't be compared, so there is no fallback to another model, only to the
same model on another endpoint.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from neodeskpet.core.errors import (
    BadReply,
    ContextTooLong,
    EmbeddingsUnsupported,
    InvalidAddress,
    LlmError,
    RequestRefused,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Embedder, Vectors
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.llm.chain.endpoint_state import EndpointState, RateLimit
from neodeskpet.llm.chain.fallback_model import allows_fallback
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.llm.chain.model_wrappers import (
    DEFAULT_RETRY,
    LONGEST_RETRY_SECONDS,
    RetryPolicy,
    is_retryable,
    pause_after,
)
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient
from neodeskpet.llm.protocols.protocol import EmbeddingForm, ModelOptions, ModelProtocol

_log = logging.getLogger(__name__)

_LETTERS = 60_000
"""Characters per request: well below the limits of all services."""
_UNSUPPORTED = re.compile(r"(?i)\b(?:not|n't|no)\b.{0,40}\bembed")


class HttpEmbedder:
    """One model on one endpoint: `core.model.Embedder`. If an endpoint refuses a batch as too
    large, later batches are smaller.
    """

    def __init__(
        self,
        client: HttpClient,
        protocol: ModelProtocol,
        options: ModelOptions,
        *,
        key: Callable[[], Awaitable[str]],
        label: str = "",
        limit: RateLimit | None = None,
        timeout: float = STALL_SECONDS,
        retry: RetryPolicy = DEFAULT_RETRY,
    ) -> None:
        """`timeout`: seconds without data after which an answer counts as broken."""
        self._client = client
        self._protocol = protocol
        self._options = options
        self._key = key
        self._label = label or options.model
        self._limit = limit or RateLimit()
        self._timeout = timeout
        self._retry = retry
        self._most = 0 if protocol.embedding is None else protocol.embedding.most

    @property
    def label(self) -> str:
        return self._label

    @property
    def model(self) -> str:
        return self._options.model

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        form = self._protocol.embedding
        if form is None:
            raise EmbeddingsUnsupported(reason=N_("Its protocol doesn't support vectors."))
        key = (await self._key()).strip()
        rows: list[array[float]] = []
        tokens, model = 0, ""
        while len(rows) < len(texts):
            portion = self._portion(texts[len(rows) :])
            try:
                made = await self._ask(partial(self._send, form, portion, query, key), portion)
            except (RequestRefused, ContextTooLong):
                if len(portion) == 1:
                    raise
                self._most = len(portion) // 2
                continue
            if rows and len(made.rows[0]) != len(rows[0]):
                raise BadReply(reason=N_("Its vectors are not all of one length."))
            rows += made.rows
            tokens, model = tokens + made.tokens, made.model
        return Vectors(tuple(rows), model or self._options.model, tokens)

    def _portion(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts that fit into one request."""
        letters = 0
        for count, text in enumerate(texts[: self._most]):
            letters += len(text)
            if count and letters > _LETTERS:
                return texts[:count]
        return texts[: self._most]

    async def _ask(self, send: Callable[[], Awaitable[Vectors]], portion: Sequence[str]) -> Vectors:
        """Send a batch within the rate limit, and retry temporary faults."""
        booked = sum(map(estimate_tokens, portion))
        attempt = 1
        while True:
            wait = self._limit.take(booked)
            if wait > 0:
                await self._retry.sleep(wait)
            try:
                made = await send()
            except LlmError as error:
                self._limit.correct(booked, booked)
                if attempt > self._retry.retries or not is_retryable(error):
                    raise _translated(error) from None
                pause = pause_after(error, attempt, 1.0, self._retry.chance)
                if pause > LONGEST_RETRY_SECONDS:
                    raise
            else:
                self._limit.correct(booked, made.tokens or booked)
                return made
            attempt += 1
            await self._retry.sleep(pause)

    async def _send(
        self, form: EmbeddingForm, texts: Sequence[str], query: bool, key: str
    ) -> Vectors:
        try:
            request = form.build(replace(self._options, key=key), texts, query)
        except ValueError:
            address = self._options.base_url
            raise InvalidAddress(reason=N_("{url} isn't a valid address."), url=address) from None
        body = await self._client.fetch(request, key=key, timeout=self._timeout)
        return await asyncio.to_thread(form.read, body, len(texts))


def _translated(error: LlmError) -> LlmError:
    """Recognise a service without vectors: it answers with 501 or 405, with a 404 for the address
    (not for an unknown model), or with a message.
    """
    words = f"{error.detail} {json.dumps(error.raw, default=str)}"
    lacking = error.status in (405, 501) or (
        error.status == 404 and "model" not in words.casefold()
    )
    refused = isinstance(error, RequestRefused) and _UNSUPPORTED.search(words) is not None
    if not (lacking or refused):
        return error
    return EmbeddingsUnsupported(error.detail, status=error.status, raw=error.raw)


@dataclass(frozen=True, slots=True)
class EmbedderLink:
    choice: ModelChoice
    embedder: Embedder


class FallbackEmbedder:
    """One model on several endpoints (at least one). The first that answers is used."""

    def __init__(self, links: Sequence[EmbedderLink], traffic: EndpointState) -> None:
        self._links = tuple(links)
        self._traffic = traffic

    @property
    def label(self) -> str:
        return self._links[0].embedder.label

    @property
    def model(self) -> str:
        return self._links[0].embedder.model

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return vectors. Raises the LlmError of the last endpoint that was asked."""
        left = sorted(self._links, key=self._cools_down)
        while True:
            link = left.pop(0)
            endpoint = link.choice.endpoint
            try:
                made = await link.embedder.embed(texts, query=query)
            except LlmError as error:
                if not allows_fallback(error):
                    raise
                self._traffic.failed(endpoint, link.choice.entry.id)
                if not left:
                    raise
                _log.warning("%s failed (%s); the next is asked", endpoint.name, error.code)
            else:
                self._traffic.answered(endpoint, link.choice.entry.id)
                return made

    def _cools_down(self, link: EmbedderLink) -> bool:
        return self._traffic.cools_down(link.choice.endpoint, link.choice.entry.id)
