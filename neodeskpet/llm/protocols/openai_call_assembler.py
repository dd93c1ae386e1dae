"""Assembles the tool calls of a chat/completions stream from deltas that follow few rules.

A new non-empty id opens a new call; a delta without an id continues the open one. `index` may be
missing or always 0, ids and names may be empty, null or repeated, and arguments may come before the
name. Two calls are never merged, and a call that is sent again as a whole isn't made again. An id
that changes with every delta identifies no call: a delta without a name continues the incomplete
call. A call is closed by the end of the response, or as soon as its arguments are a complete JSON
object and something else follows, even a short silence (`{}` may still be followed by the real
arguments).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent
from neodeskpet.llm.protocols.protocol import as_arguments, as_dict, as_index, as_text

_STRUCTURE = re.compile(r'["\\{}\[\]]|[^"\\{}\[\]\s]+')


class JsonDepth:
    """Detects whether the text so far is one complete JSON object or array. Each character is read
    once.
    """

    __slots__ = ("_depth", "_escaped", "_in_string", "_unread", "whole")

    def __init__(self) -> None:
        self.whole = False
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._unread: list[str] = []

    def add(self, piece: str) -> None:
        self._unread.append(piece)

    def is_whole(self) -> bool:
        text = "".join(self._unread)
        self._unread.clear()
        for match in _STRUCTURE.finditer(text):
            self._step(match.group())
        return self.whole

    def _step(self, token: str) -> None:
        """Read one token: a character of JSON's structure, or a run of other characters."""
        if self._in_string:
            if self._escaped:
                self._escaped = False
            elif token == "\\":
                self._escaped = True
            elif token == '"':
                self._in_string = False
            return
        self.whole = False
        if token == '"':
            self._in_string = True
        elif token in "{[":
            self._depth += 1
        elif token in "}]":
            self._depth -= 1
            self.whole = self._depth == 0


EmitEvent = Callable[[WireEvent], None]


class _Call:
    """`slot` is the provider's index (None if it sent none), `index` ours."""

    __slots__ = ("call_id", "closed", "depth", "held", "index", "name", "pieces", "slot")

    def __init__(self, slot: int | None, call_id: str, index: int) -> None:
        self.slot = slot
        self.call_id = call_id
        self.index = index
        self.name = ""
        self.held: list[str] = []  # arguments that came before the name
        self.pieces: list[str] = []
        self.depth = JsonDepth()
        self.closed = False

    def take(self, name: str, piece: str, emit: EmitEvent) -> None:
        if name and not self.name:
            self.name = name
            self.start(emit)
        if not piece or (self.depth.is_whole() and not piece.strip("}] \t\r\n")):
            return  # brackets after the complete object don't belong to it
        self.depth.add(piece)
        self.pieces.append(piece)
        if self.name:
            emit(ToolArgsDelta(self.index, piece))
        else:
            self.held.append(piece)

    @property
    def is_empty(self) -> bool:
        """Return whether its arguments so far are `{}`, which some gateways send before the real
        ones.
        """
        return len(self.pieces) < 4 and "".join(self.pieces).split() in (["{}"], ["{", "}"])

    def is_repeated(self, name: str, piece: str) -> bool:
        """Return whether a delta only repeats the complete call."""
        if (name and self.name and name != self.name) or not piece.strip():
            return False
        return self.depth.is_whole() and piece == "".join(self.pieces)

    def goes_on(self, name: str, piece: str) -> bool:
        """Return whether a delta with another id may continue this call."""
        if self.closed or (self.depth.is_whole() and not (self.is_empty and piece.strip())):
            return False
        if not name:
            return True
        return name == self.name and bool(self.pieces) and not piece.lstrip().startswith("{")

    def start(self, emit: EmitEvent) -> None:
        emit(ToolCallStarted(self.index, self.call_id, self.name))
        for piece in self.held:
            emit(ToolArgsDelta(self.index, piece))
        self.held.clear()

    def close(self, emit: EmitEvent) -> None:
        if not self.name:  # the name never came; the turn answers that there is no such tool
            self.start(emit)
        self.closed = True
        emit(ToolCallReady(self.index))


class CallAssembler:
    """`emit` takes the events; `new_index` returns the index for a new call."""

    def __init__(self, emit: EmitEvent, new_index: Callable[[], int]) -> None:
        self._emit = emit
        self._new_index = new_index
        self._count = 0
        self._open: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_slot: dict[int, _Call] = {}

    def __len__(self) -> int:
        return self._count

    def take(self, delta: dict[str, Any]) -> None:
        """Take one entry of `delta.tool_calls`."""
        function = as_dict(delta.get("function")) or delta
        call_id = as_text(delta.get("id"))
        name = as_text(function.get("name"))
        piece = as_arguments(function.get("arguments"))
        slot = as_index(delta.get("index"))
        if any(call.is_repeated(name, piece) for call in self._same(slot, call_id)):
            return
        if call_id:
            call = self._known(slot, call_id, name, piece)
        else:
            call = self._nameless(slot, name, piece)
        if call is None:
            if not (name or piece.lstrip().startswith("{") or (call_id and not self._open)):
                return
            self.close_whole()
            call = self._add(slot, call_id)
        if not call.closed:
            call.take(name, piece, self._emit)

    @property
    def waits(self) -> bool:
        """Return whether a call seems complete although nothing has followed it yet."""
        return any(
            call.name
            and call.pieces
            and call.pieces[-1].rstrip().endswith("}")
            and call.depth.is_whole()
            and not call.is_empty
            for call in self._open
        )

    def settle(self) -> None:
        """Handle a short silence: complete calls are closed, unless more may follow."""
        for call in list(self._open):
            if call.name and call.depth.is_whole() and not call.is_empty:
                self._open.remove(call)
                call.close(self._emit)

    def _same(self, slot: int | None, call_id: str) -> list[_Call]:
        """Return the call that a delta with this id, or else at this index, may repeat. A call
        without an id that came in one piece may also have been requested twice.
        """
        call = self._by_id.get(call_id) if call_id else self._by_slot.get(slot or 0)
        return [call] if call is not None and (call_id or len(call.pieces) > 1) else []

    def close_whole(self) -> None:
        """Something else follows: close the calls whose arguments are complete."""
        for call in list(self._open):
            if call.name and call.depth.is_whole():
                self._open.remove(call)
                call.close(self._emit)

    def close_all(self) -> None:
        """The response has ended: close every call."""
        for call in self._open:
            call.close(self._emit)
        self._open.clear()

    def _add(self, slot: int | None, call_id: str) -> _Call:
        # two calls must not have the same id: this one gets an id of ours
        taken = call_id in self._by_id
        call = _Call(slot, "" if taken else call_id, self._new_index())
        self._count += 1
        self._open.append(call)
        if call_id:
            self._by_id[call_id] = call
        if slot is not None:
            self._by_slot[slot] = call
        return call

    def _known(self, slot: int | None, call_id: str, name: str, piece: str) -> _Call | None:
        """Return the call with this id; None if the id opens a new call."""
        call = self._by_id.get(call_id)
        if call is not None and (slot is None or call.slot is None or slot == call.slot):
            return None if self._is_another(call, name, piece) else call
        # The id may come after the first delta of its call, or differ in every delta.
        here = self._by_slot.get(slot) if slot is not None else None
        if here is not None and not (here.closed or here.call_id or (here.name and name)):
            here.call_id = call_id
            self._by_id[call_id] = here
            return here
        if here is None and slot is None and self._open:
            here = self._open[-1]
        return here if here is not None and here.goes_on(name, piece) else None

    @staticmethod
    def _is_another(call: _Call, name: str, piece: str) -> bool:
        """Return whether a delta with a call's own id is a second call with the same id."""
        if not name or not call.name or not call.depth.is_whole():
            return False
        return name != call.name or (piece.lstrip().startswith("{") and not call.is_empty)

    def _nameless(self, slot: int | None, name: str, piece: str) -> _Call | None:
        """Find the call of a delta without an id: the one at this index, else the only open one;
        None opens a new one.
        """
        call = self._by_slot.get(slot) if slot is not None else None
        if call is not None and call.closed and not piece.lstrip().startswith("{"):
            return call if not name or name == call.name else None
        if call is None or call.closed:
            call = self._last_open(slot, name)
        if call is None or not (name and call.name):
            return call
        if name != call.name:
            return None
        return None if piece.strip() and call.depth.is_whole() else call

    def _last_open(self, slot: int | None, name: str) -> _Call | None:
        if not self._open:
            return None
        call = self._open[-1]
        if slot is None or call.slot is None:
            return call
        # Another index: the deltas continue the only open call, unless it is complete.
        return None if name or len(self._open) > 1 or call.depth.is_whole() else call
