"""Tool calls of a chat/completions stream, put together from deltas that follow few rules.

A new non-empty id opens a new call; no id continues the open one. `index` may be missing or
always 0, ids and names may be empty, null or repeated, arguments may come before the name. Two
calls are never merged, and a call that is told again as a whole isn't made again. An id that
changes with every delta names no call: a delta without a name goes on with what isn't whole. A
call is closed by the end of the response, or as soon as its arguments are a whole JSON object and
something else follows, be it a short silence (`{}` may still be followed by the real ones).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent
from neodeskpet.llm.protocols.protocol import as_arguments, as_dict, as_index, as_text

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
            return  # brackets after the whole object are no part of it
        self.depth.add(piece)
        self.pieces.append(piece)
        if self.name:
            emit(ToolArgsDelta(self.index, piece))
        else:
            self.held.append(piece)

    @property
    def is_empty(self) -> bool:
        """Its arguments so far are `{}`, which some gateways put before the real ones."""
        return len(self.pieces) < 4 and "".join(self.pieces).split() in (["{}"], ["{", "}"])

    def is_told_again(self, name: str, piece: str) -> bool:
        """Whether a delta holds nothing but the whole call once more."""
        if (name and self.name and name != self.name) or not piece.strip():
            return False
        return self.depth.is_whole() and piece == "".join(self.pieces)

    def goes_on(self, name: str, piece: str) -> bool:
        """Whether a delta under another id may be the next of this call."""
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
        if not self.name:  # it never came; the turn answers that there is no such tool
            self.start(emit)
        self.closed = True
        emit(ToolCallReady(self.index))


class CallAssembler:
    """`emit` takes the events, `new_index` gives the index of a call that begins."""

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
        """One entry of `delta.tool_calls`."""
        function = as_dict(delta.get("function")) or delta
        call_id = as_text(delta.get("id"))
        name = as_text(function.get("name"))
        piece = as_arguments(function.get("arguments"))
        slot = as_index(delta.get("index"))
        if any(call.is_told_again(name, piece) for call in self._same(slot, call_id)):
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
        """A call is whole as far as can be told, but nothing followed it yet."""
        return any(
            call.name
            and call.pieces
            and call.pieces[-1].rstrip().endswith("}")
            and call.depth.is_whole()
            and not call.is_empty
            for call in self._open
        )

    def settle(self) -> None:
        """A short silence: calls that are whole are complete, unless more may follow."""
        for call in list(self._open):
            if call.name and call.depth.is_whole() and not call.is_empty:
                self._open.remove(call)
                call.close(self._emit)

    def _same(self, slot: int | None, call_id: str) -> list[_Call]:
        """The call that a delta with this id, or else at this index, may tell again. Without an
        id one that came whole in one piece may simply be meant twice.
        """
        call = self._by_id.get(call_id) if call_id else self._by_slot.get(slot or 0)
        return [call] if call is not None and (call_id or len(call.pieces) > 1) else []

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
        taken = call_id in self._by_id  # two calls must not share an id: this one gets ours
        call = _Call(slot, "" if taken else call_id, self._new_index())
        self._count += 1
        self._open.append(call)
        if call_id:
            self._by_id[call_id] = call
        if slot is not None:
            self._by_slot[slot] = call
        return call

    def _known(self, slot: int | None, call_id: str, name: str, piece: str) -> _Call | None:
        """The call with this id; None if the id opens one."""
        call = self._by_id.get(call_id)
        if call is not None and (slot is None or call.slot is None or slot == call.slot):
            return None if self._is_another(call, name, piece) else call
        # The id may come after the first delta of its call, or be another in every delta.
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
        """Whether a delta under a call's own id is a second call that was given the same."""
        if not name or not call.name or not call.depth.is_whole():
            return False
        return name != call.name or (piece.lstrip().startswith("{") and not call.is_empty)

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
