"""The to-dos as an app, and undoing changes of them."""

from __future__ import annotations

import asyncio

from neodeskpet.core.schedule.due import parse_due
from neodeskpet.notebook.todo_tools import TodoUndo, todo_undoers
from neodeskpet.toolkit.undo import WindowCallsUndo
from tests.unit.tools.apps.house import House, call, house


async def _texts(home: House) -> list[str]:
    return [f"{one.text}{'' if one.done is None else ' ✓'}" for one in await home.todos.todos()]


def test_a_list_is_stored_and_every_change_can_be_undone() -> None:
    async def run() -> None:
        async with house() as home:
            undo = WindowCallsUndo(todo_undoers(home.todos))
            await home.apps.host.open("todo")
            await home.act(call("todo", "add", text="milk"), call("todo", "add", text="bread"))
            assert "1: [ ] milk\n2: [ ] bread" in await home.render()
            result = await home.act(
                call("todo", "done", id=1),
                call("todo", "edit", id=2, text="rye bread"),
                call("todo", "clear_done"),
                call("todo", "delete", id=2),
                call("todo", "clear_done"),
                call("todo", "delete", id=2),
                call("todo", "done", id=2),
                call("todo", "edit", id=2, text="x"),
                call("todo", "add", text=" "),
            )
            assert result.text.count("there is no to-do 2.") == 3
            assert "None was done." in result.text
            assert "there is nothing to do." in result.text
            assert await _texts(home) == []
            acts = await home.apps.record.list_entries()
            for act in acts:
                if act.undo is not None and act.action != "add":
                    assert await home.apps.undo(act, undo)
            assert await _texts(home) == ["milk", "bread"]
            added = next(act for act in acts if act.action == "add" and act.undo)
            assert await home.apps.undo(added, undo)
            assert await _texts(home) == ["milk"]
            assert not await TodoUndo(home.todos).undo({})

    asyncio.run(run())


def test_due_dates_are_set_changed_shown_and_undone() -> None:
    async def run() -> None:
        async with house() as home:
            undo = WindowCallsUndo(todo_undoers(home.todos))
            await home.apps.host.open("todo")
            result = await home.act(
                call("todo", "add", text="form", due="2090-12-03 17:00"),
                call("todo", "edit", id=1, due="2090年12月10日"),
                call("todo", "edit", id=1, text="the form"),
                call("todo", "add", text="x", due="when I can"),
                call("todo", "add", text="x", due="every Friday"),
                call("todo", "edit", id=1, due="2001-01-01"),
            )
            assert "1: [ ] form — due 2090-12-03 Sun 17:00" in result.text
            assert "1: [ ] form — due 2090-12-10 Sun" in result.text
            assert "1: [ ] the form — due 2090-12-10 Sun" in await home.render()
            assert "“when I can” isn't a time I understand" in result.text
            assert "A to-do is due only once" in result.text
            assert "“2001-01-01” is in the past" in result.text
            dues = []
            for act in await home.apps.record.list_entries():
                if act.undo is not None and act.action == "edit":
                    assert await home.apps.undo(act, undo)
                    (todo,) = await home.todos.todos()
                    dues.append((todo.text, str(todo.due)))
            assert dues == [("form", "2090-12-10"), ("form", "2090-12-03 17:00")]
            await home.act(call("todo", "edit", id=1, due=""))
            assert "1: [ ] form</content>" in await home.render()
            await home.todos.update(1, "form", parse_due("2001-01-01"))
            assert "1: [ ] form — due 2001-01-01 Mon (overdue)" in await home.render()
            await home.act(call("todo", "done", id=1))
            assert "1: [x] form — due 2001-01-01 Mon</content>" in await home.render()
            assert await TodoUndo(home.todos).undo({"id": 1, "text": "as before"})

    asyncio.run(run())


def test_a_long_list_is_cut_and_a_target_narrows_it() -> None:
    async def run() -> None:
        async with house() as home:
            for number in range(52):
                await home.todos.add(f"thing {number}")
            await home.apps.host.open("todo")
            assert "(2 more)" in await home.render()
            await home.apps.host.open("todo", "51")
            told = await home.render()
            assert "To-dos with “51”:\n52: [ ] thing 51</content>" in told

    asyncio.run(run())
