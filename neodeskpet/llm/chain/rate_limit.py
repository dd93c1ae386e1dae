"""How fast an endpoint may be asked: buckets that fill with time. Pure but for the clock.

A bucket holds a minute's worth and fills evenly. What is taken beyond it is owed, so that whoever
comes next waits longer: the order of the callers is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable

MonotonicClock = Callable[[], float]
"""Seconds that never go back."""


class TokenBucket:
    """`per_minute` units flow in each minute, as many fit in. Starts full."""

    def __init__(self, per_minute: float, clock: MonotonicClock = time.monotonic) -> None:
        self._size = float(per_minute)
        self._clock = clock
        self._level = self._size
        self._at = clock()

    def wait(self, amount: float) -> float:
        """Seconds until `amount` may be taken. More than fits in needs a full bucket only."""
        lacking = min(amount, self._size) - self._fill()
        return max(0.0, lacking * 60 / self._size)

    def take(self, amount: float) -> None:
        self._level = self._fill() - amount

    def refund(self, amount: float) -> None:
        """Put back what wasn't used."""
        self._level = min(self._size, self._fill() + amount)

    def _fill(self) -> float:
        now = self._clock()
        inflow = max(0.0, now - self._at) * self._size / 60
        self._at = max(now, self._at)
        self._level = min(self._size, self._level + inflow)
        return self._level


class RateLimit:
    """The limits of one endpoint; None is no limit."""

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: MonotonicClock = time.monotonic,
    ) -> None:
        self._requests = TokenBucket(requests_per_minute, clock) if requests_per_minute else None
        self._tokens = TokenBucket(tokens_per_minute, clock) if tokens_per_minute else None

    def wait(self, tokens: float) -> float:
        """Seconds until a request of about `tokens` may be sent."""
        requests = self._requests.wait(1) if self._requests else 0.0
        return max(requests, self._tokens.wait(tokens) if self._tokens else 0.0)

    def take(self, tokens: float) -> float:
        """Book a request; seconds to wait before it is sent."""
        wait = self.wait(tokens)
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)
        return wait

    def refund(self, tokens: float) -> None:
        """The booked request was never sent."""
        if self._requests:
            self._requests.refund(1)
        self.correct(tokens, 0)

    def correct(self, booked: float, used: float) -> None:
        """The request was booked with `booked` tokens and took `used`."""
        if self._tokens and booked > used:
            self._tokens.refund(booked - used)
        elif self._tokens:
            self._tokens.take(used - booked)
