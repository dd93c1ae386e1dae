"""Decides when a program has stopped responding, from its heartbeat. Pure.

The process beside the app (`hang_child.py`) tells what it sees and when; what is to be done comes
back as `Act`s. Time that the computer or the program was stopped does not count.
"""

from __future__ import annotations

from enum import Enum, auto

HANG_SECONDS = 10.0
"""Seconds without a heartbeat after which a program counts as hung."""
ASK_AGAIN = 60.0
"""Seconds after "Wait" until the person is asked again."""
END_SECONDS = 5.0
"""What a program that was asked to end may take."""
LONGEST_STEP = 3.0
"""Seconds. Between two steps more than this was a stop of the computer, and is not counted."""


class HangAction(Enum):
    WRITE_STACKS = auto()
    ASK = auto()
    WITHDRAW = auto()
    """It responds again: nothing is to be asked any more."""
    KILL = auto()


class HangDetector:
    """`step` at least every `LONGEST_STEP` seconds, and before the other methods."""

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
        """Seconds since the last heartbeat that count."""
        return self._quiet

    def step(self, now: float, *, stopped: bool = False) -> list[HangAction]:
        """`stopped`: the program is stopped (by a debugger, by Ctrl-Z)."""
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
        self._ask_at = float("inf")  # until the person has answered
        if self._hung:
            return [HangAction.ASK]
        self._hung = True
        return [HangAction.WRITE_STACKS, HangAction.ASK]

    def beat(self) -> list[HangAction]:
        """A heartbeat came; the first one starts the watch."""
        self._paused = False
        self._quiet = 0.0
        self._ask_at = self._limit
        was_hung, self._hung = self._hung, False
        return [HangAction.WITHDRAW] if was_hung else []

    def pause(self) -> list[HangAction]:
        """The program ends in an orderly way, and sends no heartbeat until it starts again."""
        acts = self.beat()
        self._paused = True
        return acts

    def keep_waiting(self) -> None:
        """The person wants to wait."""
        self._ask_at = self._quiet + ASK_AGAIN

    def end_asked(self) -> list[HangAction]:
        """The program got a signal to end."""
        if self._ending is not None:
            return [HangAction.KILL]
        self._ending = 0.0
        return []
