"""Tool calls of a chat/completions stream, put together from deltas that follow few rules.

A new non-empty id opens a new call; no id continues the open one. `index` may be missing or
always 0, ids and names may be empty, null or repeated, arguments may come before the name. Two
calls are never merged. A call is closed by the end of the response, or as soon as its arguments
are a whole JSON object and something else follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent
from neodeskpet.llm.protocols.protocol import as_dict, as_text, compact

_STRUCTURE = re.compile(r'["\\{}\[\]]|[^"\\{}\[\]\s]+')


class JsonDepth:
    """Whether the text so far is one whole JSON object or array. Each character is read once."""

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
        """`token` is one character of JSON's structure, or a run of others."""
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


Emit = Callable[[WireEvent], None]


class _Call:
    """`slot` is the provider's index (None if it sent none), `index` ours."""

    __slots__ = ("call_id", "closed", "depth", "held", "index", "name", "slot")

    def __init__(self, slot: int | None, call_id: str, index: int) -> None:
        self.slot = slot
        self.call_id = call_id
        self.index = index
        self.name = ""
        self.held: list[str] = []  # arguments that came before the name
        self.depth = JsonDepth()
        self.closed = False

    def take(self, name: str, piece: str, emit: Emit) -> None:
        if name and not self.name:
            self.name = name
            self.start(emit)
        if not piece:
            return
        self.depth.add(piece)
        if self.name:
            emit(ToolArgsDelta(self.index, piece))
        else:
            self.held.append(piece)

    def start(self, emit: Emit) -> None:
        emit(ToolCallStarted(self.index, self.call_id, self.name))
        for piece in self.held:
            emit(ToolArgsDelta(self.index, piece))
        self.held.clear()

    def close(self, emit: Emit) -> None:
        if not self.name:  # it never came; the turn answers that there is no such tool
            self.start(emit)
        self.closed = True
        emit(ToolCallReady(self.index))


class CallAssembler:
    """`emit` takes the events, `new_index` gives the index of a call that begins."""

    def __init__(self, emit: Emit, new_index: Callable[[], int]) -> None:
        self._emit = emit
        self._new_index = new_index
        self._count = 0
        self._open: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_slot: dict[int, _Call] = {}

    def __len__(self) -> int:
        return self._count

    def take(self, delta: dict[str, Any]) -> None:
        """One entry of `delta.tool_calls`."""
        function = as_dict(delta.get("function")) or delta
        call_id = as_text(delta.get("id"))
        name = as_text(function.get("name"))
        piece = function.get("arguments")
        if piece is None:
            piece = ""
        elif not isinstance(piece, str):
            piece = compact(piece)
        slot = delta.get("index")
        slot = slot if isinstance(slot, int) else None
        call = self._known(slot, call_id, name) if call_id else self._nameless(slot, name, piece)
        if call is None:
            if not (call_id or name or piece.lstrip().startswith("{")):
                return
            self.close_whole()
            call = self._add(slot, call_id)
        if not call.closed:
            call.take(name, piece, self._emit)

    def close_whole(self) -> None:
        """Something else follows: the calls whose arguments are whole are complete."""
        for call in list(self._open):
            if call.name and call.depth.is_whole():
                self._open.remove(call)
                call.close(self._emit)

    def close_all(self) -> None:
        """The response ended: every call is complete."""
        for call in self._open:
            call.close(self._emit)
        self._open.clear()

    def _add(self, slot: int | None, call_id: str) -> _Call:
        call = _Call(slot, call_id, self._new_index())
        self._count += 1
        self._open.append(call)
        if call_id:
            self._by_id[call_id] = call
        if slot is not None:
            self._by_slot[slot] = call
        return call

    def _known(self, slot: int | None, call_id: str, name: str) -> _Call | None:
        """The call with this id; None if the id opens one."""
        call = self._by_id.get(call_id)
        if call is not None and (slot is None or call.slot is None or slot == call.slot):
            return call
        # The id may come after the first delta of its call.
        waiting = self._by_slot.get(slot) if slot is not None else None
        if waiting is None or waiting.closed or waiting.call_id or (waiting.name and name):
            return None
        waiting.call_id = call_id
        self._by_id[call_id] = waiting
        return waiting

    def _nameless(self, slot: int | None, name: str, piece: str) -> _Call | None:
        """Without an id: the call at this index, else the one open call; None to open one."""
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
        # Another index: the deltas of the one open call, unless that has all it needs.
        return None if name or len(self._open) > 1 or call.depth.is_whole() else call
