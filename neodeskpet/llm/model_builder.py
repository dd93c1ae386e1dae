"""Builds the model for a purpose from the catalogue, with one HTTP client for each proxy."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from neodeskpet.core.model import Embedder
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, Purpose
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import CostListener, FallbackModel, ignore_cost
from neodeskpet.llm.chain.model_selection import ModelChoice, is_quick, model_choices
from neodeskpet.llm.chain.model_wrappers import (
    DEFAULT_RETRY,
    RetryPolicy,
)
from neodeskpet.llm.chain.tool_support import IgnoredToolsRecord
from neodeskpet.llm.http_client import HttpClient, no_plain_host
from neodeskpet.llm.http_embedder import EmbedderLink, FallbackEmbedder, HttpEmbedder
from neodeskpet.llm.local.local_embedder import LocalEmbedder, is_local_embedder
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.model_pipeline import ConnectClient, KeyOf, ModelPipeline, ReplyTimeouts
from neodeskpet.llm.protocols.protocol import ModelOptions, is_local
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.vision_fallback import (
    PictureDescriber,
    StoreDescription,
    VisionFailures,
)


class HttpClients:
    """The HTTP clients: one for each proxy, and `plain` without one. Clients for proxies are
    created on first use and closed by this object; `plain` is not closed. `plain_to` as in
    `HttpClient`.
    """

    def __init__(
        self, plain: HttpClient, *, plain_to: Callable[[str], bool] = no_plain_host
    ) -> None:
        self._plain = plain
        self._plain_to = plain_to
        self._proxied: dict[str, HttpClient] = {}

    def __call__(self, proxy: str) -> HttpClient:
        if not proxy:
            return self._plain
        if proxy not in self._proxied:
            self._proxied[proxy] = HttpClient(proxy, plain_to=self._plain_to)
        return self._proxied[proxy]

    async def aclose(self) -> None:
        while self._proxied:
            _, client = self._proxied.popitem()
            await client.aclose()


def keys_from(
    read: Callable[[str], Awaitable[str]],
    name: Callable[[str], str],
    register: Callable[[str], None],
    environ: Mapping[str, str] | None = None,
) -> KeyOf:
    """Return a function that gets keys: from the variable that the endpoint names, otherwise from
    `read` with the `name` of its address. `register` receives the variable's value, so that logs
    hide it.
    """
    variables = os.environ if environ is None else environ

    async def key(endpoint: Endpoint) -> str:
        named = variables.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""
        if named:
            register(named)
            return named
        return await read(name(endpoint.base_url))

    return key


async def _remember_nothing(digest: str, description: str) -> None:
    """Store no descriptions of pictures."""


class ModelBuilder:
    """Builds models, one builder per app: models built for different turns share the state of their
    endpoints (refused parameters, cool-down, used limits). `keep` stores descriptions of pictures;
    `bill` receives the cost of each request.
    """

    def __init__(
        self,
        connect: ConnectClient,
        key: KeyOf,
        *,
        keep: StoreDescription | None = None,
        traffic: EndpointState | None = None,
        host: LocalHost | None = None,
        bill: CostListener = ignore_cost,
        own: LocalEmbedder | None = None,
        retry: RetryPolicy = DEFAULT_RETRY,
    ) -> None:
        self.traffic = traffic or EndpointState()
        self._connect = connect
        self._key = key
        self._keep = keep or _remember_nothing
        self.ignored = IgnoredToolsRecord()
        self._blindness = VisionFailures()
        self._own = own or LocalEmbedder()
        self._bill = bill
        self._retry = retry
        self._catalog = Catalog()
        self._pipeline = ModelPipeline(connect, key, self.traffic, host, retry)

    def build(
        self,
        catalog: Catalog,
        purpose: Purpose,
        waits: ReplyTimeouts | None = None,
        *,
        doubts: Callable[[str], bool] = lambda base_url: False,
        named: str = "",
        others: Sequence[ModelChoice] = (),
    ) -> FallbackModel | None:
        """Build the chain of models for `purpose`; None when the catalogue has none. `doubts`
        as in `FallbackModel`. `named`: the model to use instead of the one for the purpose; if the
        catalogue lacks it, it is taken from `others`.
        """
        waits = waits or ReplyTimeouts()
        if catalog != self._catalog:
            self._catalog = catalog
            self._pipeline.clear()
            self._blindness = VisionFailures()
        quick = is_quick(purpose)
        describer = None if purpose in ("vision", "embedding") else self._describer(waits)
        found = model_choices(catalog, purpose, named) or [
            one for one in others if one.name == named
        ]
        record = self.ignored if purpose == "chat" else None
        links = [self._pipeline.link(one, quick, waits, describer, record) for one in found]
        if not links:
            return None
        return FallbackModel(links, self.traffic, self._bill, purpose, doubts=doubts)

    def build_embedder(
        self, catalog: Catalog, waits: ReplyTimeouts | None = None
    ) -> Embedder | None:
        """Build the embedder: the first embedding model, on all endpoints that have it; None when
        the catalogue has none. There is only one local embedding model.
        """
        waits = waits or ReplyTimeouts()
        found = [
            one for one in model_choices(catalog, "embedding") if _embeds(one.endpoint.base_url)
        ]
        links = [
            EmbedderLink(one, self._embedder(one, waits))
            for one in found
            if one.name == found[0].name
        ]
        return FallbackEmbedder(links, self.traffic) if links else None

    async def aclose(self) -> None:
        """Stop all local models. Idempotent."""
        await self._own.aclose()

    def _embedder(self, choice: ModelChoice, waits: ReplyTimeouts) -> Embedder:
        endpoint = choice.endpoint
        if is_local_embedder(endpoint.base_url):
            return self._own
        first_byte_timeout = waits.local if is_local(endpoint.base_url) else 0.0
        return HttpEmbedder(
            self._connect(endpoint.proxy),
            PROTOCOLS[endpoint.protocol],
            ModelOptions(
                endpoint.base_url,
                choice.entry.id,
                headers=endpoint.headers,
                extra=choice.entry.extra,
            ),
            key=partial(self._key, endpoint),
            label=choice.name,
            limit=self.traffic.limit(endpoint),
            timeout=max(waits.stall, first_byte_timeout),
            retry=self._retry,
        )

    def _describer(self, waits: ReplyTimeouts) -> PictureDescriber:
        """Build the describer of pictures for models that can't see, for one turn."""
        seeing = [
            one
            for one in model_choices(self._catalog, "vision")
            if not self._blindness.contains(one)
        ]
        links = [self._pipeline.link(one, True, waits) for one in seeing]
        model = FallbackModel(links, self.traffic, self._bill, "vision") if links else None
        return PictureDescriber(model, self._keep, self._blindness)


def _embeds(base_url: str) -> bool:
    """Return whether this address can make vectors."""
    return is_local_embedder(base_url) or not is_model_file(base_url)
