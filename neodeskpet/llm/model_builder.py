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
    """`builder.ConnectClient`: the client for a proxy's address, "" for none. Those for proxies are
    made when they are first asked for, and are this object's to close; `plain` isn't.
    `plain_to` as `HttpClient` has it.
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
    """The variable that an endpoint names goes first, then what `read` keeps under the `name` of
    its address. `register` is told the variable's value, so that it is hidden in logs.
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
    """Nobody remembers what was seen."""


class ModelBuilder:
    """One for the app: models that are built anew for every turn share the state of their endpoints
    (what they refused, which one waits after a failure, how much of a limit is used). `keep`
    stores descriptions of pictures; `bill` gets the cost of each request. `llm/model_pipeline.py`
    builds the wrappers around each model.
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
        doubts: bool = False,
        named: str = "",
        others: Sequence[ModelChoice] = (),
    ) -> FallbackModel | None:
        """The chain of models for `purpose`; None when the catalogue has none. `doubts`: where
        a request with tools fails for no known reason, the error asks about them. `named`: the
        model that is to answer, whatever answers for the purpose else; where the catalogue has
        none of this name it is one of `others`.
        """
        waits = waits or ReplyTimeouts()
        if catalog != self._catalog:
            self._catalog = catalog
            self._pipeline.clear()
            self._blindness = VisionFailures()
        quick = is_quick(purpose)
        sight = None if purpose in ("vision", "embedding") else self._sight(waits)
        found = model_choices(catalog, purpose, named) or [
            one for one in others if one.name == named
        ]
        record = self.ignored if purpose == "chat" else None
        links = [self._pipeline.link(one, quick, waits, sight, record) for one in found]
        if not links:
            return None
        return FallbackModel(links, self.traffic, self._bill, purpose, doubts=doubts)

    def build_embedder(
        self, catalog: Catalog, waits: ReplyTimeouts | None = None
    ) -> Embedder | None:
        """What makes vectors: the first model for it, on all the endpoints that have it; None when
        the catalogue has none. Of those that run on this computer one alone makes them.
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
        """End what runs here. Idempotent."""
        await self._own.aclose()

    def _embedder(self, choice: ModelChoice, waits: ReplyTimeouts) -> Embedder:
        endpoint = choice.endpoint
        if is_local_embedder(endpoint.base_url):
            return self._own
        patience = waits.local if is_local(endpoint.base_url) else 0.0
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
            timeout=max(waits.stall, patience),
            retry=self._retry,
        )

    def _sight(self, waits: ReplyTimeouts) -> PictureDescriber:
        """What describes pictures to models that can't see, in one turn."""
        seeing = [
            one
            for one in model_choices(self._catalog, "vision")
            if not self._blindness.contains(one)
        ]
        links = [self._pipeline.link(one, True, waits) for one in seeing]
        model = FallbackModel(links, self.traffic, self._bill, "vision") if links else None
        return PictureDescriber(model, self._keep, self._blindness)


def _embeds(base_url: str) -> bool:
    """Whether what is at this address can make vectors."""
    return is_local_embedder(base_url) or not is_model_file(base_url)
