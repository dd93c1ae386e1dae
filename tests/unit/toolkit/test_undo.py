"""Undoing what a tool did: while that is possible, once, and reported to the model."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace

import pytest

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.errors import CannotUndo
from neodeskpet.notebook.note_tools import NoteUndo, note_tools
from neodeskpet.notebook.notes import NotesInMemory
from neodeskpet.notebook.timer_tools import TimerUndo, timer_tools
from neodeskpet.notebook.timers import Timer, TimerService, TimersInMemory
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.toolkit.undo import UndoService

NOW = float(int(time.time()))


class Desk:
    def __init__(self) -> None:
        self.now = NOW
        self.notes = NotesInMemory()
        self.book = TimerService(TimersInMemory(), lambda _timer: None, clock=lambda: self.now)
        self.undo = UndoService(
            {"note.delete": NoteUndo(self.notes), "timer.cancel": TimerUndo(self.book)},
            clock=lambda: self.now,
        )
        own = AppTools([*note_tools(self.notes), *timer_tools(self.book)])
        self._offer = Toolbox(own).offer()

    def call(self, name: str, **arguments: object) -> ToolUse:
        """The call's block as it is stored: the result went through JSON."""
        result = asyncio.run(self._offer.run(name, arguments, lambda fraction, text: None))
        data = json.loads(json.dumps(result.data))
        return ToolUse(0, 0, "c", name, status=ToolStatus.SUCCESS, output=result.text, data=data)

    def timers(self) -> list[Timer]:
        return asyncio.run(self.book.timers())

    def undo_call(self, call: ToolUse) -> ToolUse:
        return asyncio.run(self.undo.undo_call(call))


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_deleted_note_is_restored_once(desk: Desk) -> None:
    note = asyncio.run(desk.notes.add("milk", ["todo"]))
    gone = desk.call("note.delete", id=note.id)
    assert "undo" not in gone.output
    assert desk.undo.can_undo(gone)
    after = desk.undo_call(gone)
    assert asyncio.run(desk.notes.search([], 9)) == [note]
    assert after.output.startswith(gone.output)
    assert "the user undid this" in after.output
    assert not desk.undo.can_undo(after)
    with pytest.raises(CannotUndo):
        desk.undo_call(after)
    with pytest.raises(CannotUndo):
        desk.undo_call(gone)
    assert asyncio.run(desk.notes.search([], 9)) == [note]


def test_a_cancelled_timer_is_set_again_until_it_would_have_rung(desk: Desk) -> None:
    tea = asyncio.run(desk.book.add(NOW + 60, "tea"))
    gone = desk.call("timer.cancel", id=tea.id)
    assert desk.timers() == []
    desk.undo_call(gone)
    assert desk.timers() == [tea]
    gone = desk.call("timer.cancel", id=tea.id)
    desk.now += 61
    assert not desk.undo.can_undo(gone)
    with pytest.raises(CannotUndo):
        desk.undo_call(gone)
    assert desk.timers() == []


def test_a_timer_is_restored_beside_one_that_took_its_id(desk: Desk) -> None:
    tea = asyncio.run(desk.book.add(NOW + 60, "tea"))
    gone = desk.call("timer.cancel", id=tea.id)
    egg = asyncio.run(desk.book.add(NOW + 90, "egg"))
    assert egg.id == tea.id
    desk.undo_call(gone)
    assert [(timer.label, timer.due) for timer in desk.timers()] == [
        ("tea", NOW + 60),
        ("egg", NOW + 90),
    ]
    assert len({timer.id for timer in desk.timers()}) == 2


def test_only_undo_data_of_the_tool_itself_is_used(desk: Desk) -> None:
    until = NOW + 60
    stranger = ToolUse(
        0,
        0,
        "c",
        "web.search",
        status=ToolStatus.SUCCESS,
        data={"undo": {"until": until, "id": 1}},
    )
    assert not desk.undo.can_undo(stranger)
    for data in (None, "words", {}, {"undo": 5}, {"undo": {"until": "late"}}):
        call = replace(stranger, name="note.delete", data=data)
        assert not desk.undo.can_undo(call)
    for needed in ({}, {"id": "milk"}, {"id": None}):
        call = replace(stranger, name="note.delete", data={"undo": {"until": until, **needed}})
        with pytest.raises(CannotUndo):
            desk.undo_call(call)
    broken = replace(
        stranger, name="timer.cancel", data={"undo": {"until": until, "timer": {"id": 1}}}
    )
    with pytest.raises(CannotUndo):
        desk.undo_call(broken)


def test_an_existing_timer_is_not_set_twice(desk: Desk) -> None:
    tea = Timer("t1", NOW + 60, "tea", NOW)
    assert asyncio.run(desk.book.restore(tea))
    assert not asyncio.run(desk.book.restore(tea))
