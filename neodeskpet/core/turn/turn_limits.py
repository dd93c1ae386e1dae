"""Limits that end an endless turn: rounds, calls, and equal calls in a row."""

from __future__ import annotations

import json
from dataclasses import dataclass

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import CallLimit, KnownError, RepeatedCall, RoundLimit

_LONG = 100_000
"""Arguments with more characters are compared as written: normalizing megabytes would be
noticeable.
"""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """`repeats`: of that many equal calls in a row the last one doesn't run. `parallel`: number of
    calls that may run at the same time.
    """

    rounds: int = 12
    calls: int = 40
    repeats: int = 3
    parallel: int = 1


class TurnLimiter:
    """Counts the rounds and calls of one turn. `reached` is the limit that was reached; after that
    nothing runs.
    """

    def __init__(self, limits: TurnLimits) -> None:
        self.reached: KnownError | None = None
        self._limits = limits
        self._rounds = 0
        self._calls = 0
        self._last = ""
        self._repeats = 0

    def begin_round(self) -> None:
        self._rounds += 1

    def admit(self, call: ToolUse) -> bool:
        """Return whether this call may run, and count it if so."""
        self.reached = self.reached or self._check(call)
        if self.reached is None:
            self._calls += 1
        return self.reached is None

    def admit_round(self) -> bool:
        """Return whether another round may begin."""
        if self.reached is None and self._rounds >= self._limits.rounds:
            self.reached = RoundLimit(count=str(self._limits.rounds))
        return self.reached is None

    def _check(self, call: ToolUse) -> KnownError | None:
        key = call_key(call)
        self._repeats = self._repeats + 1 if key == self._last else 1
        self._last = key
        if self._repeats >= self._limits.repeats:
            return RepeatedCall(tool=call.name, count=str(self._limits.repeats))
        if self._calls >= self._limits.calls:
            return CallLimit(count=str(self._limits.calls))
        return None


def call_key(call: ToolUse) -> str:
    """Return a key that is equal for calls of one tool with equal arguments; long arguments must
    also be written alike.
    """
    if len(call.raw_arguments) > _LONG:
        return f"{call.name} {call.raw_arguments}"
    try:
        return json.dumps([call.name, call.arguments], sort_keys=True)
    except (RecursionError, TypeError, ValueError):
        return f"{call.name} {call.raw_arguments}"  # nested too deeply to serialize
