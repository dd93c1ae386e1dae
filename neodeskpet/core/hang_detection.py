"""Decides from heartbeats when a program has stopped responding. Pure.

A separate process (`hang_child.py`) reports what it observes and the time; the methods return the
actions to take. Time during which the computer or the program was stopped doesn't count.
"""

from __future__ import annotations

from enum import Enum, auto

HANG_SECONDS = 10.0
"""Seconds without a heartbeat after which a program counts as hung."""
ASK_AGAIN = 60.0
"""Seconds after "Wait" until the user is asked again."""
END_SECONDS = 5.0
"""Seconds that a program has to end after it was asked to."""
LONGEST_STEP = 3.0
"""Seconds. A longer time between two steps means that the computer was suspended; it
isn't counted.
"""


class HangAction(Enum):
    WRITE_STACKS = auto()
    ASK = auto()
    WITHDRAW = auto()
    """The program responds again: close the question."""
    KILL = auto()


class HangDetector:
    """Call `step` at least every `LONGEST_STEP` seconds, and before the other methods."""

    def __init__(self, limit: float = HANG_SECONDS) -> None:
        self._limit = limit
        self._ask_at = limit
        self._last: float | None = None
        self._quiet = 0.0
        self._paused = True
        self._hung = False
        self._ending: float | None = None

    @property
    def silent_seconds(self) -> float:
        """The counted seconds since the last heartbeat."""
        return self._quiet

    def step(self, now: float, *, stopped: bool = False) -> list[HangAction]:
        """Return the actions that are due. `stopped`: the program is stopped by a debugger or by
        Ctrl-Z.
        """
        passed = 0.0 if self._last is None else now - self._last
        self._last = now
        if stopped or not 0.0 <= passed <= LONGEST_STEP:
            return []
        if self._ending is not None:
            self._ending += passed
            if self._ending >= END_SECONDS:
                return [HangAction.WRITE_STACKS, HangAction.KILL]
        if self._paused:
            return []
        self._quiet += passed
        if self._quiet < self._ask_at:
            return []
        self._ask_at = float("inf")  # until the user answers
        if self._hung:
            return [HangAction.ASK]
        self._hung = True
        return [HangAction.WRITE_STACKS, HangAction.ASK]

    def beat(self) -> list[HangAction]:
        """Record a heartbeat; the first one starts the detection."""
        self._paused = False
        self._quiet = 0.0
        self._ask_at = self._limit
        was_hung, self._hung = self._hung, False
        return [HangAction.WITHDRAW] if was_hung else []

    def pause(self) -> list[HangAction]:
        """Stop the detection until the next heartbeat: the program is shutting down normally."""
        acts = self.beat()
        self._paused = True
        return acts

    def keep_waiting(self) -> None:
        """Ask again after ASK_AGAIN seconds: the user chose "Wait"."""
        self._ask_at = self._quiet + ASK_AGAIN

    def end_asked(self) -> list[HangAction]:
        """Record that the program was asked to end."""
        if self._ending is not None:
            return [HangAction.KILL]
        self._ending = 0.0
        return []
