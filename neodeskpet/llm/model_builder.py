"""Builds the model for a purpose from the catalogue, with one HTTP client for each proxy."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from neodeskpet.core.model import Embedder, Model
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, Purpose
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import CostListener, FallbackModel, ModelLink, ignore_cost
from neodeskpet.llm.chain.model_selection import ModelChoice, is_quick, model_choices
from neodeskpet.llm.chain.model_wrappers import (
    DEFAULT_RETRY,
    RateLimitedModel,
    RetryingModel,
    RetryPolicy,
    WaitReportingModel,
)
from neodeskpet.llm.chain.tool_support import IgnoredToolsDetector, IgnoredToolsRecord
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient, HttpModel, no_plain_host
from neodeskpet.llm.http_embedder import EmbedderLink, FallbackEmbedder, HttpEmbedder
from neodeskpet.llm.local.local_embedder import LocalEmbedder, is_local_embedder
from neodeskpet.llm.local.local_host import LocalHost, LocalServerModel
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.picture_upload import Uploader, UploadingModel
from neodeskpet.llm.protocols.protocol import ModelOptions, is_local
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.vision_fallback import (
    PictureDescriber,
    StoreDescription,
    VisionFailures,
    VisionFallbackModel,
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


KeyOf = Callable[[Endpoint], Awaitable[str]]
"""The key of an endpoint, "" if there is none. Asked at each call; it may take its time."""

ConnectClient = Callable[[str], HttpClient]
"""The client for a proxy's address; "" is the way without one of its own."""


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


LOCAL_READ_SECONDS = 900.0
"""Seconds without a byte that a model of this computer is given: a slow one reads a long prompt for
minutes before it says anything, and that its process ended is known at once.
"""


class ReplyTimeouts(NamedTuple):
    """Seconds without a byte after which a reply counts as broken; and those that a server of this
    computer or its network may take to begin one.
    """

    stall: float = STALL_SECONDS
    local: float = 0.0


class ModelBuilder:
    """One for the app: models that are built anew for every turn share what is known of their
    endpoints (what they refused, who cools down, how much of a limit is used). `keep` remembers
    what was seen in a picture; `bill` is told of each request.
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
        self._host = host
        self._own = own or LocalEmbedder()
        self._bill = bill
        self._retry = retry
        self._catalog = Catalog()
        self._models: dict[tuple[str, ...], Model] = {}

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
            self._models.clear()
            self._blindness = VisionFailures()
        quick = is_quick(purpose)
        sight = None if purpose in ("vision", "embedding") else self._sight(waits)
        found = model_choices(catalog, purpose, named) or [
            one for one in others if one.name == named
        ]
        links = [self._link(one, quick, waits, sight) for one in found]
        if purpose == "chat":
            links = [
                replace(link, model=IgnoredToolsDetector(link.model, link.choice, self.ignored))
                for link in links
            ]
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
        links = [self._link(one, True, waits, None) for one in seeing]
        model = FallbackModel(links, self.traffic, self._bill, "vision") if links else None
        return PictureDescriber(model, self._keep, self._blindness)

    def _link(
        self, choice: ModelChoice, quick: bool, waits: ReplyTimeouts, sight: PictureDescriber | None
    ) -> ModelLink:
        inner: Model = WaitReportingModel(self._model(choice, quick, waits))
        inner = RateLimitedModel(inner, self.traffic.limit(choice.endpoint), self._retry.sleep)
        if sight is not None:
            inner = VisionFallbackModel(inner, choice, sight)
        return ModelLink(choice, RetryingModel(inner, self._retry))

    def _model(self, choice: ModelChoice, quick: bool, waits: ReplyTimeouts) -> Model:
        """Kept while the catalogue stays the same: it learns what its endpoint refuses."""
        name = (choice.endpoint.name, choice.entry.id, choice.name, str(quick), str(waits))
        known = self._models.get(name)
        if known is not None:
            return known
        host, options = self._host, choice.options(quick=quick)
        model: Model
        if host is not None and is_model_file(choice.endpoint.base_url):
            ask = partial(
                self._http_model, choice, ReplyTimeouts(max(waits.stall, LOCAL_READ_SECONDS))
            )
            model = LocalServerModel(host, options, ask, choice.name)
        else:
            model = self._http_model(choice, waits, options)
        endpoint = choice.endpoint
        if endpoint.upload is not None:
            client = self._connect(endpoint.proxy)
            model = UploadingModel(model, Uploader(client, endpoint, endpoint.upload, self._key))
        self._models[name] = model
        return model

    def _http_model(
        self, choice: ModelChoice, waits: ReplyTimeouts, options: ModelOptions
    ) -> HttpModel:
        """The key is the endpoint's, unless the options bring one."""
        endpoint = choice.endpoint

        async def key() -> str:
            return options.key or await self._key(endpoint)

        return HttpModel(
            self._connect(endpoint.proxy),
            PROTOCOLS[endpoint.protocol],
            options,
            key=key,
            label=choice.name,
            stall=waits.stall,
            patience=waits.local if is_local(endpoint.base_url) else 0.0,
        )


def _embeds(base_url: str) -> bool:
    """Whether what is at this address can make vectors."""
    return is_local_embedder(base_url) or not is_model_file(base_url)
