"""When a server that ended by itself is started again."""

from __future__ import annotations

from dataclasses import dataclass

_WAITS = (1.0, 3.0, 10.0, 30.0, 60.0)
_STEADY = 60.0
"""Seconds: a server that ran that long has begun anew, whatever was before."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often it ended without having run for a while."""

    crashes: int = 0

    def after(self, ran: float) -> Backoff:
        """What holds after it ended, having been ready for `ran` seconds (0: it never was)."""
        return Backoff(1 if ran >= _STEADY else self.crashes + 1)

    @property
    def wait(self) -> float | None:
        """Seconds until the next start; None when it isn't started by itself any more."""
        return _WAITS[self.crashes - 1] if 0 < self.crashes <= len(_WAITS) else None
