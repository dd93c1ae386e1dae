"""The user's answers to the calls of a message, so that equal calls ask only once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.blocks import Block, ToolStatus, ToolUse
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.turn_limits import call_key

_DONE = (ToolStatus.SUCCESS, ToolStatus.ERROR)


class GivenAnswers:
    """Remembers answers by call: equal calls of one message need one answer. Exceptions are
    programs, reading the screen, and actions in windows, whose results change: each of these calls
    asks again, except that an interrupted run may be repeated once. A call that the user has undone
    asks again. A denial holds for the rest of the turn, but not when the user continues the message
    later.
    """

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}
        self._broken_off: set[str] = set()

    def restore(self, blocks: Iterable[Block]) -> None:
        """Restore the answers from the blocks of a message that continues, including its dropped
        blocks.
        """
        for call in blocks:
            if not isinstance(call, ToolUse) or call.answered is None:
                continue
            if call.status is ToolStatus.INTERRUPTED:
                self._broken_off.add(call_key(call))
            undone = isinstance(call.data, Mapping) and call.data.get("undone") is True
            if call.status in _DONE and not undone:
                self._said[call_key(call)] = True

    def add(self, call: ToolUse, *, allowed: bool) -> None:
        self._said[call_key(call)] = allowed

    def get(self, call: ToolUse, spec: ToolSpec) -> bool | None:
        """Return the answer to this call; None if it must be asked."""
        key = call_key(call)
        if key in self._broken_off:
            return True
        said = self._said.get(key)
        another = spec.risk in (Risk.RUN, Risk.SENSITIVE_READ) or spec.name == ACT_TOOL
        return None if said and another else said

    def use(self, call: ToolUse) -> None:
        """Record that the call runs: an interrupted run may not be repeated again."""
        self._broken_off.discard(call_key(call))
