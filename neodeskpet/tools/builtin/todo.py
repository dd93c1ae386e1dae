"""To-dos as tools: what the person wants to get done."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.labels import Labels, Material, add_sources
from neodeskpet.core.tool_result import ShownList, ShownText, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_, Reason
from neodeskpet.notebook.tables import KEPT_SECONDS
from neodeskpet.todos.book import LONGEST, Todo, TodoBook
from neodeskpet.tools.origin import current_origin
from neodeskpet.tools.registry import Tool, tool
from neodeskpet.tools.undo import Undoer

Number = Annotated[int, Field(description="The to-do's number.")]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST, description="What is to be done.")]


def todo_tools(book: TodoBook) -> list[Tool]:
    return [_list(book), *_writing(book), _tick(book), *_taking_away(book)]


def _list(book: TodoBook) -> Tool:
    @tool("todo.list", title=N_("List the to-dos"), risk=Risk.READ, timeout=20, reads=Material.TODO)
    async def list_todos() -> ToolResult:
        """List what the person wants to get done, and what is done."""
        todos = await book.todos()
        lines = tuple(line_of(one) for one in todos)
        shown = ShownList(lines) if lines else None
        return ToolResult("\n".join(lines) or "(none)", None, shown, labels=labels_of_todos(todos))

    return list_todos


def _writing(book: TodoBook) -> list[Tool]:
    @tool("todo.add", title=N_("Add a to-do"), risk=Risk.OWN, main_argument="text", timeout=20)
    async def add(text: Words) -> ToolResult:
        """Put something on the person's to-do list."""
        kept = await book.add(_words(text), current_origin().untrusted)
        undo = _until({"delete": kept.id})
        return ToolResult(line_of(kept), {"id": kept.id, "undo": undo}, ShownText(kept.text))

    @tool("todo.edit", title=N_("Edit a to-do"), risk=Risk.OWN, main_argument="text", timeout=20)
    async def edit(id: Number, text: Words) -> ToolResult:
        """Give a to-do another text."""
        before = await book.find(id)
        kept = await book.edit(id, _words(text), current_origin().untrusted)
        if before is None or kept is None:
            raise _none(id)
        undo = _until({"id": id, "text": before.text})
        data = {"id": id, "undo": undo}
        return ToolResult(line_of(kept), data, ShownText(kept.text), labels=labels_of_todos([kept]))

    return [add, edit]


def _tick(book: TodoBook) -> Tool:
    @tool("todo.done", title=N_("Tick a to-do"), risk=Risk.OWN, main_argument="id", timeout=20)
    async def tick(
        id: Number,
        done: Annotated[bool, Field(description="False: it is to be done again.")] = True,
    ) -> ToolResult:
        """A to-do is done, or is to be done again."""
        before = await book.find(id)
        kept = await book.tick(id, done=done)
        if before is None or kept is None:
            raise _none(id)
        undo = _until({"id": id, "done": before.done is not None})
        data = {"id": id, "undo": undo}
        return ToolResult(line_of(kept), data, ShownText(kept.text), labels=labels_of_todos([kept]))

    return tick


def _taking_away(book: TodoBook) -> list[Tool]:
    @tool(
        "todo.delete", title=N_("Delete a to-do"), risk=Risk.WRITE, main_argument="id", timeout=20
    )
    async def delete(id: Number) -> ToolResult:
        """Take a to-do off the list."""
        gone = await book.delete(id)
        if gone is None:
            raise _none(id)
        undo = _until({"restore": [id]})
        return ToolResult(
            f"Deleted: {line_of(gone)}",
            {"id": id, "undo": undo},
            ShownText(gone.text),
            labels=labels_of_todos([gone]),
        )

    @tool("todo.clear_done", title=N_("Clear what is done"), risk=Risk.WRITE, timeout=20)
    async def clear_done() -> ToolResult:
        """Take all to-dos off the list that are done."""
        gone = await book.clear_done()
        if not gone:
            return ToolResult("None was done.")
        lines = tuple(line_of(one) for one in gone)
        undo = _until({"restore": [one.id for one in gone]})
        told = "\n".join(("Deleted:", *lines))
        shown = ShownList(tuple(one.text for one in gone))
        return ToolResult(told, {"undo": undo}, shown, labels=labels_of_todos(gone))

    return [delete, clear_done]


def labels_of_todos(todos: Iterable[Todo]) -> Labels:
    """The untrusted sources of these to-dos."""
    return Labels(add_sources((), (source for one in todos for source in one.untrusted)))


def line_of(todo: Todo) -> str:
    """`3: [ ] buy milk`"""
    return f"{todo.id}: [{' ' if todo.done is None else 'x'}] {todo.text}"


def _words(text: str) -> str:
    if not text.strip():
        raise InvalidArguments.at("text", N_("there is nothing to do."))
    return text.strip()


def _none(number: int) -> InvalidArguments:
    fault = Reason(N_("there is no to-do {id}."), {"id": str(number)}, "id")
    return InvalidArguments(reasons=[fault], advice="Look at the list first.")


def _until(what: Mapping[str, object]) -> dict[str, object]:
    return {"until": time.time() + KEPT_SECONDS, **what}


class TodoUndo:
    """Takes back whatever was done to a to-do."""

    def __init__(self, book: TodoBook) -> None:
        self._book = book

    async def undo(self, data: Mapping[str, object]) -> bool:
        match data:
            case {"restore": list(ids)}:
                return bool(await self._book.restore([int(one) for one in ids]))
            case {"delete": int(number)}:
                return await self._book.delete(number) is not None
            case {"id": int(number), "text": str(text)}:
                return await self._book.edit(number, text) is not None
            case {"id": int(number), "done": bool(done)}:
                return await self._book.tick(number, done=done) is not None
            case _:
                return False


def todo_undoers(book: TodoBook) -> dict[str, Undoer]:
    undoer = TodoUndo(book)
    names = ("add", "edit", "done", "delete", "clear_done")
    return {f"todo.{name}": undoer for name in names}
