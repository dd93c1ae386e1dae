"""To-dos as an app: the panel for the person and the tools work on the same list."""

from __future__ import annotations

from neodeskpet.apps.app import App, AppContent
from neodeskpet.core.labels import SourceKind
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.todos.book import TodoStore
from neodeskpet.tools.builtin.todo import labels_of_todos, line_of, todo_tools

_SHOWN = 50


def todo_app(book: TodoStore) -> App:
    """`target` is words that each to-do shown holds."""
    tools = {one.name: one for one in todo_tools(book)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        kept = [
            one for one in await book.todos() if all(word in one.text.casefold() for word in words)
        ]
        found = [line_of(one, book.now()) for one in kept]
        head = [f"To-dos with “{target}”:"] if words else []
        more = [f"({len(found) - _SHOWN} more)"] if len(found) > _SHOWN else []
        text = "\n".join([*head, *(found[:_SHOWN] or ["(none)"]), *more])
        return AppContent(text, labels_of_todos(kept[:_SHOWN]).untrusted)

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
        reads=SourceKind.TODO,
        replaces=frozenset({"todo.list"}),
    )
