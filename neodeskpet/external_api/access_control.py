"""The access token of the HTTP port (stored as its SHA-256) and the rate limits of other
programs."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass


def new_token() -> tuple[str, str]:
    """Return a new token and its stored digest."""
    token = secrets.token_urlsafe(32)
    return token, token_digest(token)


def token_digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_valid_header(header: str, digest: str) -> bool:
    """Return whether `header` (Authorization) contains the token with this digest."""
    scheme, _, token = header.partition(" ")
    right = hmac.compare_digest(token_digest(token.strip()), digest)
    return scheme.casefold() == "bearer" and right


_ALL_PROGRAMS = ""
_MAX_PROGRAMS = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate: `burst` times at once, then once every `seconds`; all programs together
    `shared_factor` times that.
    """

    burst: int
    seconds: float
    shared_factor: int = 2


class RateLimiter:
    """Limits the rate of each kind of action. Times are seconds of a monotonic clock."""

    def __init__(self, paces: Mapping[str, Rate]) -> None:
        self._paces = paces
        self._used: dict[tuple[str, str], tuple[float, float]] = {}  # used amount and its time

    def acquire(self, kind: str, who: str, now: float) -> float:
        """Count one action of `who`; return 0.0, or the seconds that it has to wait."""
        pace = self._paces[kind]
        limits = {
            (kind, f"by {who}"): Rate(pace.burst, pace.seconds),
            (kind, _ALL_PROGRAMS): Rate(
                pace.burst * pace.shared_factor, pace.seconds / pace.shared_factor
            ),
        }
        used = {key: self._used_now(key, one, now) for key, one in limits.items()}
        wait = max((used[key] + 1 - one.burst) * one.seconds for key, one in limits.items())
        if wait > 0:
            return wait
        for key, amount in used.items():
            self._used[key] = (amount + 1, now)
        self._forget()
        return 0.0

    def _used_now(self, key: tuple[str, str], pace: Rate, now: float) -> float:
        amount, since = self._used.get(key, (0.0, now))
        return max(0.0, amount - (now - since) / pace.seconds)

    def _forget(self) -> None:
        """Drop the oldest names: programs choose their names freely, so the table must be bounded.
        The limit for all programs together still applies.
        """
        named = [key for key in self._used if key[1] != _ALL_PROGRAMS]
        named.sort(key=lambda key: self._used[key][1])
        for key in named[:-_MAX_PROGRAMS]:
            del self._used[key]
