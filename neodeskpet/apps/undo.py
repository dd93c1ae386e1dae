"""What the person can take back of calls in windows."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.tools.undo import Undoer


class WindowCallsUndo:
    """Takes back, the last first, what each call can be taken back by; `undoers` by the name of
    the action's tool.
    """

    def __init__(self, undoers: Mapping[str, Undoer]) -> None:
        self._undoers = undoers

    async def undo(self, data: Mapping[str, object]) -> bool:
        calls = data["calls"]
        done = [await self.one(call) for call in reversed(calls if isinstance(calls, list) else [])]
        return any(done)

    async def one(self, call: Mapping[str, object]) -> bool:
        """Whether one call (`Act.undo`) was taken back. Raises KnownError."""
        undoer = self._undoers.get(str(call["tool"]))
        return undoer is not None and await undoer.undo(call)
