"""The state of endpoints that outlives a turn: recent failures and rate limits. Pure except for the
clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from neodeskpet.llm.catalog.model_catalog import Endpoint

MonotonicClock = Callable[[], float]
"""Seconds of a monotonic clock."""


class TokenBucket:
    """A token bucket. It holds `per_minute` units, refills in one minute, and starts full."""

    def __init__(self, per_minute: float, clock: MonotonicClock = time.monotonic) -> None:
        self._size = float(per_minute)
        self._clock = clock
        self._level = self._size
        self._at = clock()

    def wait(self, amount: float) -> float:
        """Return the seconds until `amount` may be taken. More than the capacity needs only a full
        bucket.
        """
        lacking = min(amount, self._size) - self._fill()
        return max(0.0, lacking * 60 / self._size)

    def take(self, amount: float) -> None:
        self._level = self._fill() - amount

    def refund(self, amount: float) -> None:
        """Put unused units back."""
        self._level = min(self._size, self._fill() + amount)

    def _fill(self) -> float:
        now = self._clock()
        inflow = max(0.0, now - self._at) * self._size / 60
        self._at = max(now, self._at)
        self._level = min(self._size, self._level + inflow)
        return self._level


class RateLimit:
    """The rate limits of one endpoint; None means no limit."""

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: MonotonicClock = time.monotonic,
    ) -> None:
        self._requests = TokenBucket(requests_per_minute, clock) if requests_per_minute else None
        self._tokens = TokenBucket(tokens_per_minute, clock) if tokens_per_minute else None

    def wait(self, tokens: float) -> float:
        """Return the seconds until a request of about `tokens` may be sent."""
        requests = self._requests.wait(1) if self._requests else 0.0
        return max(requests, self._tokens.wait(tokens) if self._tokens else 0.0)

    def take(self, tokens: float) -> float:
        """Book a request and return the seconds to wait before sending it."""
        wait = self.wait(tokens)
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)
        return wait

    def refund(self, tokens: float) -> None:
        """Undo a booking of a request that was not sent."""
        if self._requests:
            self._requests.refund(1)
        self.correct(tokens, 0)

    def correct(self, booked: float, used: float) -> None:
        """Correct a booking of `booked` tokens to the `used` tokens."""
        if self._tokens and booked > used:
            self._tokens.refund(booked - used)
        elif self._tokens:
            self._tokens.take(used - booked)


COOL_DOWN_SECONDS = 30.0
"""Seconds for which a failed endpoint or model is skipped."""


class EndpointState:
    """The state of all endpoints, shared by all models. Use it from one event loop."""

    def __init__(
        self, clock: MonotonicClock = time.monotonic, rest: float = COOL_DOWN_SECONDS
    ) -> None:
        self._clock = clock
        self._rest = rest
        self._failed: dict[tuple[str, str], float] = {}
        self._limits: dict[str, tuple[Endpoint, RateLimit]] = {}

    def failed(self, endpoint: Endpoint, model: str = "") -> None:
        """Record a failure of `endpoint`, or with `model` (its id) only of that model on it."""
        self._failed[endpoint.base_url, model] = self._clock()

    def answered(self, endpoint: Endpoint, model: str) -> None:
        self._failed.pop((endpoint.base_url, ""), None)
        self._failed.pop((endpoint.base_url, model), None)

    def cools_down(self, endpoint: Endpoint, model: str) -> bool:
        """Return whether it failed recently and is skipped."""
        return any(
            self._clock() - at < self._rest
            for key in ((endpoint.base_url, ""), (endpoint.base_url, model))
            if (at := self._failed.get(key)) is not None
        )

    def limit(self, endpoint: Endpoint) -> RateLimit:
        """Return the rate limit of this endpoint; a new one if its numbers changed."""
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
