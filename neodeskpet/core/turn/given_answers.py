"""What the person has said to the calls of a message: nobody is asked twice for one act."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.blocks import Block, ToolStatus, ToolUse
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.turn_limits import call_key

_DONE = (ToolStatus.SUCCESS, ToolStatus.ERROR)


class GivenAnswers:
    """Equal calls of one message are one act. A program that ran and is to run again is another,
    and so are a second look at the screen, and what is done in windows, which change: of those only
    a run that was broken off is remembered, once; and what the person took back is asked for again.
    A no holds as long as the turn; who lets a message go on may have changed their mind.
    """

    def __init__(self) -> None:
        self._said: dict[str, bool] = {}
        self._broken_off: set[str] = set()

    def restore(self, blocks: Iterable[Block]) -> None:
        """The calls of a message that goes on, with those that are dropped from it."""
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
        """What was said to this very call; None if it is to be asked."""
        key = call_key(call)
        if key in self._broken_off:
            return True
        said = self._said.get(key)
        another = spec.risk in (Risk.RUN, Risk.SENSITIVE_READ) or spec.name == ACT_TOOL
        return None if said and another else said

    def use(self, call: ToolUse) -> None:
        """It runs: what was broken off is taken up."""
        self._broken_off.discard(call_key(call))
