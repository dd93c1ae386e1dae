"""What is known of the endpoints from one turn to the next: who failed, and who was asked a lot."""

from __future__ import annotations

import time

from neodeskpet.llm.catalog.catalog import Endpoint
from neodeskpet.llm.chain.rate_limit import MonotonicClock, RateLimit

COOL_DOWN_SECONDS = 30.0
"""Seconds for which what failed is skipped."""


class EndpointState:
    """Shared by all models that are built. Used from one loop."""

    def __init__(
        self, clock: MonotonicClock = time.monotonic, rest: float = COOL_DOWN_SECONDS
    ) -> None:
        self._clock = clock
        self._rest = rest
        self._failed: dict[tuple[str, str], float] = {}
        self._limits: dict[str, tuple[Endpoint, RateLimit]] = {}

    def failed(self, endpoint: Endpoint, model: str = "") -> None:
        """`endpoint` failed; with `model` (its id) only that model on it."""
        self._failed[endpoint.base_url, model] = self._clock()

    def answered(self, endpoint: Endpoint, model: str) -> None:
        self._failed.pop((endpoint.base_url, ""), None)
        self._failed.pop((endpoint.base_url, model), None)

    def cools_down(self, endpoint: Endpoint, model: str) -> bool:
        """Whether it failed a moment ago and is skipped."""
        return any(
            self._clock() - at < self._rest
            for key in ((endpoint.base_url, ""), (endpoint.base_url, model))
            if (at := self._failed.get(key)) is not None
        )

    def limit(self, endpoint: Endpoint) -> RateLimit:
        """The one limit of this endpoint; a new one when its numbers were changed."""
        known = self._limits.get(endpoint.name)
        if known is not None and _same_numbers(known[0], endpoint):
            return known[1]
        limit = RateLimit(endpoint.requests_per_minute, endpoint.tokens_per_minute, self._clock)
        self._limits[endpoint.name] = endpoint, limit
        return limit


def _same_numbers(one: Endpoint, other: Endpoint) -> bool:
    return (one.base_url, one.requests_per_minute, one.tokens_per_minute) == (
        other.base_url,
        other.requests_per_minute,
        other.tokens_per_minute,
    )
