"""The wrappers around one model, in the order in which a request passes them.

    FallbackModel          asks the next model if one fails (one for all models of a purpose)
      IgnoredToolsDetector   detects replies of models that ignored the tools (chat only)
        RetryingModel          sends a request again after a temporary error
          VisionFallbackModel    replaces pictures by descriptions for a model that can't see
            RateLimitedModel       waits until the endpoint's limits allow the request
              WaitReportingModel     reports each pause in the reply
                UploadingModel         uploads pictures first (only if the endpoint requires it)
                  HttpModel              sends the request; or LocalServerModel, which starts the
                                         model's server on this computer and uses an HttpModel

The reasons for this order: each attempt of `RetryingModel` waits for the limits again and may
describe a picture instead of sending it, but fallback begins only after the last attempt. Waiting
for a limit isn't a pause of the reply, so `WaitReportingModel` is inside. The innermost wrapper is
kept while the catalogue stays the same, because it learns which parameters its endpoint refuses;
the others are built for each turn.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from neodeskpet.core.model import Model
from neodeskpet.llm.catalog.model_catalog import Endpoint
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.fallback_model import ModelLink
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.llm.chain.model_wrappers import (
    DEFAULT_RETRY,
    RateLimitedModel,
    RetryingModel,
    RetryPolicy,
    WaitReportingModel,
)
from neodeskpet.llm.chain.tool_support import IgnoredToolsDetector, IgnoredToolsRecord
from neodeskpet.llm.http_client import STALL_SECONDS, HttpClient, HttpModel
from neodeskpet.llm.local.local_host import LocalHost, LocalServerModel
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.picture_upload import Uploader, UploadingModel
from neodeskpet.llm.protocols.protocol import ModelOptions, is_local
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.vision_fallback import PictureDescriber, VisionFallbackModel

KeyOf = Callable[[Endpoint], Awaitable[str]]
"""Returns the key of an endpoint, "" if there is none. Called before each request; it may be
slow.
"""

ConnectClient = Callable[[str], HttpClient]
"""Returns the HTTP client for the proxy at this address; "" means the default connection."""

LOCAL_READ_SECONDS = 900.0
"""Seconds without a byte that a model on this computer is allowed: a slow one reads a long prompt
for minutes before it answers. The end of its process is noticed at once anyway.
"""


class ReplyTimeouts(NamedTuple):
    """`stall`: seconds without a byte after which a reply counts as broken. `local`: seconds that a
    server on this computer or its network may take to begin a reply.
    """

    stall: float = STALL_SECONDS
    local: float = 0.0


class ModelPipeline:
    """Builds the model of a choice with all its wrappers."""

    def __init__(
        self,
        connect: ConnectClient,
        key: KeyOf,
        traffic: EndpointState,
        host: LocalHost | None = None,
        retry: RetryPolicy = DEFAULT_RETRY,
    ) -> None:
        self._connect = connect
        self._key = key
        self._traffic = traffic
        self._host = host
        self._retry = retry
        self._innermost: dict[tuple[str, ...], Model] = {}

    def clear(self) -> None:
        """Forget what was learned about models, because the catalogue has changed."""
        self._innermost.clear()

    def link(
        self,
        choice: ModelChoice,
        quick: bool,
        timeouts: ReplyTimeouts,
        describer: PictureDescriber | None = None,
        ignored_tools: IgnoredToolsRecord | None = None,
    ) -> ModelLink:
        """Return the pipeline of one model, for `FallbackModel`."""
        model: Model = self._cached_innermost(choice, quick, timeouts)
        model = WaitReportingModel(model)
        model = RateLimitedModel(model, self._traffic.limit(choice.endpoint), self._retry.sleep)
        if describer is not None:
            model = VisionFallbackModel(model, choice, describer)
        model = RetryingModel(model, self._retry)
        if ignored_tools is not None:
            model = IgnoredToolsDetector(model, choice, ignored_tools)
        return ModelLink(choice, model)

    def _cached_innermost(self, choice: ModelChoice, quick: bool, timeouts: ReplyTimeouts) -> Model:
        endpoint = choice.endpoint
        name = (endpoint.name, choice.entry.id, choice.name, str(quick), str(timeouts))
        if name not in self._innermost:
            self._innermost[name] = self._build_innermost(choice, quick, timeouts)
        return self._innermost[name]

    def _build_innermost(self, choice: ModelChoice, quick: bool, timeouts: ReplyTimeouts) -> Model:
        endpoint, options = choice.endpoint, choice.options(quick=quick)
        model: Model
        if self._host is not None and is_model_file(endpoint.base_url):
            reading = ReplyTimeouts(max(timeouts.stall, LOCAL_READ_SECONDS))
            ask = partial(self._http_model, choice, reading)
            model = LocalServerModel(self._host, options, ask, choice.name)
        else:
            model = self._http_model(choice, timeouts, options)
        if endpoint.upload is None:
            return model
        client = self._connect(endpoint.proxy)
        return UploadingModel(model, Uploader(client, endpoint, endpoint.upload, self._key))

    def _http_model(
        self, choice: ModelChoice, timeouts: ReplyTimeouts, options: ModelOptions
    ) -> HttpModel:
        """Return the options with the endpoint's key, unless they have a key already."""
        endpoint = choice.endpoint

        async def key() -> str:
            return options.key or await self._key(endpoint)

        return HttpModel(
            self._connect(endpoint.proxy),
            PROTOCOLS[endpoint.protocol],
            options,
            key=key,
            label=choice.name,
            stall=timeouts.stall,
            first_byte_timeout=timeouts.local if is_local(endpoint.base_url) else 0.0,
        )
