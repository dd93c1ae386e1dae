"""To-dos as an app: the panel for the person and the tools work on the same list."""

from __future__ import annotations

from neodeskpet.apps.app import App
from neodeskpet.core.labels import Material
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.todos.book import TodoBook
from neodeskpet.tools.builtin.todo import line_of, todo_tools

_SHOWN = 50


def todo_app(book: TodoBook) -> App:
    """`target` is words that each to-do shown holds."""
    tools = {one.name: one for one in todo_tools(book)}

    async def content(target: str) -> str:
        words = target.casefold().split()
        found = [
            line_of(one)
            for one in await book.todos()
            if all(word in one.text.casefold() for word in words)
        ]
        head = [f"To-dos with “{target}”:"] if words else []
        more = [f"({len(found) - _SHOWN} more)"] if len(found) > _SHOWN else []
        return "\n".join([*head, *(found[:_SHOWN] or ["(none)"]), *more])

    return App(
        "todo",
        N_("To-dos"),
        "What the person wants to get done; [x] is done.",
        content,
        {
            "add": tools["todo.add"],
            "done": tools["todo.done"],
            "edit": tools["todo.edit"],
            "delete": tools["todo.delete"],
            "clear_done": tools["todo.clear_done"],
        },
        WindowOptions(appended=True),
        reads=Material.TODO,
        replaces=frozenset({"todo.list"}),
    )
