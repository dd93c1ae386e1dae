"""Undoes what a tool or a call in a window did.

A tool whose call can be undone adds this to its result's data: `{"undo": {"until": unix seconds,
…}}`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.errors import CannotUndo

_TOLD = "(Afterwards the user undid this in the chat: it is as if it had not been done.)"


class Undoer(Protocol):
    async def undo(self, data: Mapping[str, object]) -> bool:
        """Undo the call; return False if that isn't possible any more. Raises OSError or
        KnownError.
        """
        ...


class UndoService:
    """Undoes tool calls. `undoers` are keyed by tool name; the undo data of other tools
    is ignored.
    """

    def __init__(
        self, undoers: Mapping[str, Undoer], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._undoers = undoers
        self._clock = clock

    def can_undo(self, call: ToolUse) -> bool:
        until = _needed(call).get("until")
        return (
            call.name in self._undoers
            and call.status is ToolStatus.SUCCESS
            and isinstance(until, int | float)
            and until > self._clock()
        )

    async def undo_call(self, call: ToolUse) -> ToolUse:
        """Undo a call and return its new state; the model reads about it in the output. Raises
        CannotUndo.
        """
        if not self.can_undo(call):
            raise CannotUndo
        try:
            done = await self._undoers[call.name].undo(_needed(call))
        except (OSError, TypeError, ValueError, KeyError) as error:
            raise CannotUndo(str(error)) from error
        if not done:
            raise CannotUndo
        data = dict(call.data) if isinstance(call.data, Mapping) else {}
        data.pop("undo", None)
        return replace(call, data={**data, "undone": True}, output=f"{call.output}\n{_TOLD}")


def _needed(call: ToolUse) -> Mapping[str, object]:
    undo = call.data.get("undo") if isinstance(call.data, Mapping) else None
    return undo if isinstance(undo, Mapping) else {}


class WindowCallsUndo:
    """Undoes calls in windows, the last one first. `undoers` are keyed by the name of the action's
    tool.
    """

    def __init__(self, undoers: Mapping[str, Undoer]) -> None:
        self._undoers = undoers

    async def undo(self, data: Mapping[str, object]) -> bool:
        calls = data["calls"]
        done = [await self.one(call) for call in reversed(calls if isinstance(calls, list) else [])]
        return any(done)

    async def one(self, call: Mapping[str, object]) -> bool:
        """Undo one call (`LogEntry.undo`) and return whether that succeeded. Raises KnownError."""
        undoer = self._undoers.get(str(call["tool"]))
        return undoer is not None and await undoer.undo(call)
