"""A chain of models with fallback: the first model that can answer is used.

Rule: another model is asked only while no part of the reply was shown. An error after that is
raised unchanged and the user decides.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from neodeskpet.core.costs import RequestCost
from neodeskpet.core.errors import (
    LlmError,
    NotFound,
    PictureNotUploaded,
    QuotaUsedUp,
    RateLimited,
    ReplyTimedOut,
    ToolsUnsupported,
    Unauthorized,
    Unreachable,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import ModelNamed, RetryAnnounced, UsageReported, WireEvent
from neodeskpet.llm.chain.endpoint_state import EndpointState
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.llm.chain.model_wrappers import (
    LONGEST_RETRY_SECONDS,
    SILENT_EVENTS,
    is_retryable,
    prompt_tokens,
)
from neodeskpet.llm.chain.tool_support import tools_in_doubt

CostListener = Callable[[RequestCost], None]
"""Called for each request that a model answered or began to answer. It must return quickly and
never raise.
"""

FALLBACK_SECONDS = 5.0
"""Seconds to wait for one model while another could answer."""

_TRIES = 2  # attempts for one model while another could answer
_REPORTED_CODES = 1.0  # waits of at least this many seconds are reported
_ACCOUNT = (401, 402, 403)  # a fault of the key or the account affects the whole endpoint

_log = logging.getLogger(__name__)


class OwnLimitReached(RateLimited):
    """The limit set by the user is reached, not one of the service."""

    code = "limit_reached"
    what = N_("The rate limit that you set for this endpoint is reached.")
    hint = N_("Wait a little, or raise the limit in Settings › Models › Services.")


@dataclass(frozen=True, slots=True)
class ModelLink:
    """A model of the chain, wrapped in its own retries and rate limit."""

    choice: ModelChoice
    model: Model


def ignore_cost(_spent: RequestCost) -> None:
    """Ignore the cost."""


class FallbackModel:
    """`core.model.Model` for a chain of models, which is not empty. `bill` receives `purpose` with
    each cost. `doubts(base_url)`: whether to ask the user about the tools if a request with tools
    to this service fails for an unknown reason.
    """

    def __init__(
        self,
        links: Sequence[ModelLink],
        traffic: EndpointState,
        bill: CostListener = ignore_cost,
        purpose: str = "",
        *,
        doubts: Callable[[str], bool] = lambda base_url: False,
    ) -> None:
        self._links = tuple(links)
        self._doubts = doubts
        self._bill = bill
        self._purpose = purpose
        self._traffic = traffic
        self._asked = self._links[0]

    @property
    def label(self) -> str:
        """The name of the answering model; before a request, of the first model of the chain."""
        return self._asked.model.label

    @property
    def choice(self) -> ModelChoice:
        """The properties of that model: abilities, limits and prices."""
        return self._asked.choice

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        """Raises the LlmError of the last model that was asked."""
        left = self._fitting(request)
        tokens = prompt_tokens(request)
        attempt = 0
        while True:
            link = self._pick(left, tokens)
            left = [other for other in left if other is not link]
            self._asked = link
            pause = self._pause(link, tokens)
            if pause > LONGEST_RETRY_SECONDS:
                raise OwnLimitReached(retry_after=pause)
            if pause >= _REPORTED_CODES:
                yield RetryAnnounced(attempt, pause, OwnLimitReached.code)
            try:
                async with aclosing(self._ask(link, request, left)) as events:
                    async for event in events:
                        if isinstance(event, RetryAnnounced):
                            attempt += 1
                            event = replace(event, attempt=attempt)
                        yield event
                return
            except _UseNextModel as passed:
                code, left = passed.code, passed.left
            attempt += 1
            yield RetryAnnounced(attempt, 0.0, code)

    async def _ask(
        self, link: ModelLink, request: ModelRequest, left: list[ModelLink]
    ) -> AsyncGenerator[WireEvent, None]:
        """Yield the reply of one model. Raises _UseNextModel if the next one is to be asked."""
        shown, tries = False, 0
        used = _RequestUsage(RequestCost(link.model.label, self._purpose, request.account))
        try:
            async with aclosing(link.model.stream(request)) as events:
                async for heard in events:
                    event = _priced(heard, link.choice)
                    used.hear(event)
                    if isinstance(event, RetryAnnounced):
                        tries += 1
                        if tries >= _TRIES or event.delay > FALLBACK_SECONDS:
                            self._pass_on(link, event.code, left)
                    elif not (shown or isinstance(event, SILENT_EVENTS)):
                        shown = True
                        yield ModelNamed(link.model.label)
                    yield event
            self._traffic.answered(link.choice.endpoint, link.choice.entry.id)
        except LlmError as error:
            left = self._after(link, error, left)
            if shown or not left or not allows_fallback(error):
                base_url = link.choice.endpoint.base_url
                if shown or not (request.tools and self._doubts(base_url)):
                    raise
                raise tools_in_doubt(error, base_url) from None
            _log.warning("%s failed (%s); the next is asked", link.model.label, error.code)
            raise _UseNextModel(error.code, left) from error
        finally:
            used.tell(self._bill)

    def _pass_on(self, link: ModelLink, code: str, left: list[ModelLink]) -> None:
        """Switch from a model that asks for a retry to another that is ready."""
        if any(not self._cools_down(other) for other in left):
            self._traffic.failed(link.choice.endpoint)
            raise _UseNextModel(code, left)

    def _after(self, link: ModelLink, error: LlmError, left: list[ModelLink]) -> list[ModelLink]:
        """Record the failure and return the models that remain."""
        endpoint = link.choice.endpoint
        if isinstance(error, NotFound):
            self._traffic.failed(endpoint, link.choice.entry.id)
        elif allows_fallback(error):
            self._traffic.failed(endpoint)
        if _is_account(error):
            return [other for other in left if other.choice.endpoint != endpoint]
        return left

    def _fitting(self, request: ModelRequest) -> list[ModelLink]:
        """Return the models known or assumed to support what the request needs. Raises
        ToolsUnsupported if the user marked all of them as unable to use tools.
        """
        links = list(self._links)
        if request.tools:
            links = [one for one in links if one.choice.entry.tools is not False]
            if not links:
                name = self._links[0].model.label
                raise ToolsUnsupported(reason=N_("{model} is set up without tools."), model=name)
            links = [one for one in links if one.choice.tools] or links
        return links

    def _pick(self, left: list[ModelLink], tokens: int) -> ModelLink:
        """Return the first model that is ready; otherwise the first that our own limit doesn't
        delay.
        """
        return min(
            left,
            key=lambda one: (self._cools_down(one), self._pause(one, tokens) > FALLBACK_SECONDS),
        )

    def _cools_down(self, link: ModelLink) -> bool:
        return self._traffic.cools_down(link.choice.endpoint, link.choice.entry.id)

    def _pause(self, link: ModelLink, tokens: int) -> float:
        """Return the seconds until the endpoint's limit allows a request of that size."""
        return self._traffic.limit(link.choice.endpoint).wait(tokens)


class _RequestUsage:
    """The usage of one request. Every attempt counts, because each was paid for."""

    def __init__(self, spent: RequestCost) -> None:
        self._empty = self._spent = spent
        self._began = time.monotonic()
        self._answered = False
        self._tries: list[RequestCost] = []

    def hear(self, event: WireEvent) -> None:
        if isinstance(event, UsageReported):
            self._answered = True
            self._spent = replace(
                self._empty,
                input_tokens=event.input_tokens,
                output_tokens=event.output_tokens,
                cached_tokens=event.cached_tokens,
                cost=event.cost,
                currency=event.currency,
            )
        elif isinstance(event, RetryAnnounced):
            self._end()
        elif not isinstance(event, SILENT_EVENTS):
            self._answered = True

    def _end(self) -> None:
        now = time.monotonic()
        if self._answered:
            self._tries.append(replace(self._spent, seconds=now - self._began))
        self._spent, self._began, self._answered = self._empty, now, False

    def tell(self, bill: CostListener) -> None:
        self._end()
        for spent in self._tries:
            bill(spent)


class _UseNextModel(Exception):
    """Ask the next model of `left`, because of the error with this `code`."""

    def __init__(self, code: str, left: list[ModelLink]) -> None:
        super().__init__(code)
        self.code = code
        self.left = left


def allows_fallback(error: LlmError) -> bool:
    """Return whether another model may succeed: the fault is temporary, or of this endpoint
    only.
    """
    passing = NotFound | ReplyTimedOut | PictureNotUploaded | Unreachable
    passes = is_retryable(error) or isinstance(error, passing)
    return passes or _is_account(error)


def _is_account(error: LlmError) -> bool:
    return isinstance(error, Unauthorized | QuotaUsedUp) or error.status in _ACCOUNT


def _priced(event: WireEvent, choice: ModelChoice) -> WireEvent:
    """Return the event with its cost, if the model's prices are known."""
    prices = choice.prices
    if prices is None or not isinstance(event, UsageReported):
        return event
    cost = prices.cost(event.input_tokens, event.output_tokens, event.cached_tokens)
    return replace(event, cost=cost, currency=prices.currency)
