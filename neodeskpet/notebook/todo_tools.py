"""To-dos as tools, and as an app window."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import Labels, SourceKind, add_sources
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue, Reason
from neodeskpet.core.schedule.due import Due, parse_due, read_due
from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT
from neodeskpet.core.schedule.rule import clock_time
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownList,
    ShownText,
    ToolResult,
    count_brief,
    moment_brief,
    name_of,
    text_brief,
)
from neodeskpet.core.toolspec import Risk
from neodeskpet.language import moment_words
from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.notebook.todos import MOST_TODO_CHARACTERS, Todo, TodoStore
from neodeskpet.toolkit.app_window import App, AppContent
from neodeskpet.toolkit.executor import current_origin
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.toolkit.undo import Undoer

TodoNumber = Annotated[int, Field(description="The to-do's number.")]
TodoText = Annotated[
    str, Field(min_length=1, max_length=MOST_TODO_CHARACTERS, description="What is to be done.")
]
When = Annotated[
    str,
    Field(
        max_length=LONGEST_TEXT,
        description="When it is due: 2026-12-04, 2026-12-04 17:00, Friday 5 pm, 下周三. "
        "Nothing rings then.",
    ),
]


def todo_tools(store: TodoStore) -> list[Tool]:
    return [_list(store), *_writing(store), _tick(store), *_deleting_tools(store)]


def _list(store: TodoStore) -> Tool:
    @tool(
        "todo.list", title=N_("List the to-dos"), risk=Risk.READ, timeout=20, reads=SourceKind.TODO
    )
    async def list_todos() -> ToolResult:
        """List what the user wants to get done, and what is done."""
        todos = await store.todos()
        lines = tuple(line_of(one, store.now()) for one in todos)
        shown = ShownList(tuple(map(_shown_line, todos))) if todos else None
        labels, left = labels_of_todos(todos), sum(one.done is None for one in todos)
        brief = count_brief(left, N_("1 open"), N_("{count} open"))
        return ToolResult("\n".join(lines) or "(none)", None, shown, labels=labels, brief=brief)

    return list_todos


def _writing(store: TodoStore) -> list[Tool]:
    def ask_add(text: str, due: str = "") -> ApprovalText:
        title = Reason(N_("Add the to-do “{name}”?"), {"name": name_of(text)})
        thing = f"{text}\n{due}".strip()
        return ApprovalText(title, thing, verb=N_("Add"), keep=N_("Don't add"))

    @tool(
        "todo.add",
        title=N_("Add a to-do"),
        risk=Risk.APP_DATA,
        main_argument="text",
        timeout=20,
        ask=ask_add,
    )
    async def add(text: TodoText, due: When = "") -> ToolResult:
        """Put something on the user's to-do list. The day belongs in `due`, not in the text.
        "Countdown to X" (or 距离X) with a date counts the days until X.
        """
        when = _due(due, store.now())
        kept = await store.add(_words(text), current_origin().untrusted, due=when)
        undo = _until({"delete": kept.id})
        line = line_of(kept, store.now())
        data = {"id": kept.id, "undo": undo}
        return ToolResult(line, data, _shown(kept), brief=_brief(kept))

    async def ask_edit(id: int, text: str | None = None, due: str | None = None) -> ApprovalText:
        before = await store.find(id)
        if before is None:
            raise _none(id)
        title = Reason(N_("Change the to-do “{name}”?"), {"name": name_of(before.text)})
        thing = "\n".join(filter(None, (text, due)))
        return ApprovalText(title, thing, verb=N_("Change"), keep=N_("Leave it as it is"))

    @tool(
        "todo.edit",
        title=N_("Edit a to-do"),
        risk=Risk.APP_DATA,
        main_argument="text",
        timeout=20,
        ask=ask_edit,
    )
    async def edit(
        id: TodoNumber,
        text: Annotated[
            str | None,
            Field(
                min_length=1,
                max_length=MOST_TODO_CHARACTERS,
                description="Left out: it stays as it is.",
            ),
        ] = None,
        due: Annotated[
            str | None,
            Field(
                max_length=LONGEST_TEXT,
                description="When it is due, as in todo.add; empty: it is not due at any time; "
                "left out: it stays as it is.",
            ),
        ] = None,
    ) -> ToolResult:
        """Give a to-do another text or another due date."""
        before = await store.find(id)
        if before is None:
            raise _none(id)
        when = before.due if due is None else _due(due, store.now())
        words = before.text if text is None else _words(text)
        kept = await store.update(id, words, when, current_origin().untrusted)
        if kept is None:
            raise _none(id)
        former = {"text": before.text, "due": str(before.due or "")}
        data = {"id": id, "undo": _until({"id": id, **former})}
        line = line_of(kept, store.now())
        labels = labels_of_todos([kept])
        return ToolResult(line, data, _shown(kept), labels=labels, brief=_brief(kept))

    return [add, edit]


def _tick(store: TodoStore) -> Tool:
    async def ask(id: int, done: bool = True) -> ApprovalText:
        before = await store.find(id)
        if before is None:
            raise _none(id)
        words = N_("Tick the to-do “{name}”?") if done else N_("Open the to-do “{name}” again?")
        title = Reason(words, {"name": name_of(before.text)})
        verb = N_("Tick it") if done else N_("Open it")
        return ApprovalText(title, verb=verb, keep=N_("Leave it as it is"))

    @tool(
        "todo.done",
        title=N_("Tick a to-do"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=20,
        ask=ask,
    )
    async def tick(
        id: TodoNumber,
        done: Annotated[bool, Field(description="False: it is to be done again.")] = True,
    ) -> ToolResult:
        """A to-do is done, or is to be done again."""
        before = await store.find(id)
        kept = await store.set_done(id, done=done)
        if before is None or kept is None:
            raise _none(id)
        undo = _until({"id": id, "done": before.done is not None})
        data = {"id": id, "undo": undo}
        line = line_of(kept, store.now())
        labels = labels_of_todos([kept])
        mark = N_("“{name}” done") if done else N_("“{name}” open again")
        brief = Reason(mark, {"name": name_of(kept.text)})
        return ToolResult(line, data, _shown(kept), labels=labels, brief=brief)

    return tick


def _deleting_tools(store: TodoStore) -> list[Tool]:
    async def ask_delete(id: int) -> ApprovalText:
        todo = await store.find(id)
        if todo is None:
            raise _none(id)
        title = Reason(N_("Delete the to-do “{name}”?"), {"name": name_of(todo.text)})
        return ApprovalText(title, todo.text, verb=N_("Delete"), keep=N_("Keep it"))

    @tool(
        "todo.delete",
        title=N_("Delete a to-do"),
        risk=Risk.WRITE,
        main_argument="id",
        timeout=20,
        ask=ask_delete,
    )
    async def delete(id: TodoNumber) -> ToolResult:
        """Take a to-do off the list."""
        gone = await store.delete(id)
        if gone is None:
            raise _none(id)
        undo = _until({"restore": [id]})
        return ToolResult(
            f"Deleted: {line_of(gone, store.now())}",
            {"id": id, "undo": undo},
            _shown(gone),
            labels=labels_of_todos([gone]),
            brief=Reason(N_("“{name}” deleted"), {"name": name_of(gone.text)}),
        )

    async def ask_clear() -> ApprovalText:
        done = [one.text for one in await store.todos() if one.done is not None]
        count = count_brief(
            len(done), N_("Delete 1 finished to-do?"), N_("Delete {count} finished to-dos?")
        )
        return ApprovalText(count, "\n".join(done), verb=N_("Delete"), keep=N_("Keep them"))

    @tool(
        "todo.clear_done",
        title=N_("Clear what is done"),
        risk=Risk.WRITE,
        timeout=20,
        ask=ask_clear,
    )
    async def clear_done() -> ToolResult:
        """Take all to-dos off the list that are done."""
        gone = await store.clear_done()
        if not gone:
            return ToolResult("None was done.", brief=Reason(N_("no completed to-dos")))
        lines = tuple(line_of(one, store.now()) for one in gone)
        undo = _until({"restore": [one.id for one in gone]})
        text = "\n".join(("Deleted:", *lines))
        shown = ShownList(tuple(one.text for one in gone))
        brief = count_brief(len(gone), N_("1 to-do deleted"), N_("{count} to-dos deleted"))
        labels = labels_of_todos(gone)
        return ToolResult(text, {"undo": undo}, shown, labels=labels, brief=brief)

    return [delete, clear_done]


def labels_of_todos(todos: Iterable[Todo]) -> Labels:
    """Return the untrusted sources of these to-dos."""
    return Labels(add_sources((), (source for one in todos for source in one.untrusted)))


def line_of(todo: Todo, now: float) -> str:
    """`3: [ ] buy milk — due 2026-12-04 Fri 17:00 (overdue)`"""
    line = f"{todo.id}: [{' ' if todo.done is None else 'x'}] {todo.text}"
    if todo.due is None:
        return line
    late = todo.done is None and todo.due.is_over(clock_time(now, LOCAL_ZONE))
    return f"{line} — due {todo.due.show()}{' (overdue)' if late else ''}"


def _shown(todo: Todo) -> ShownText:
    due = "" if todo.due is None else f" — {moment_words(str(todo.due))}"
    return ShownText(f"{todo.text}{due}")


def _shown_line(todo: Todo) -> str:
    return f"{'☐' if todo.done is None else '☑'} {_shown(todo).text}"


def _brief(todo: Todo) -> Reason:
    return text_brief(todo.text) if todo.due is None else moment_brief(str(todo.due))


def _due(words: str, now: float) -> Due | None:
    if not words.strip():
        return None
    try:
        return read_due(words, now, LOCAL_ZONE)
    except InvalidValue as error:
        raise InvalidArguments(reasons=[error.at("due")]) from None


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
    """Undoes any change of a to-do."""

    def __init__(self, store: TodoStore) -> None:
        self._store = store

    async def undo(self, data: Mapping[str, object]) -> bool:
        match data:
            case {"restore": list(ids)}:
                return bool(await self._store.restore([int(one) for one in ids]))
            case {"delete": int(number)}:
                return await self._store.delete(number) is not None
            case {"id": int(number), "text": str(text), "due": str(due)}:
                return await self._store.update(number, text, parse_due(due)) is not None
            case {"id": int(number), "text": str(text)}:  # stored before to-dos had due dates
                return await self._store.update(number, text, None) is not None
            case {"id": int(number), "done": bool(done)}:
                return await self._store.set_done(number, done=done) is not None
            case _:
                return False


def todo_undoers(store: TodoStore) -> dict[str, Undoer]:
    undoer = TodoUndo(store)
    names = ("add", "edit", "done", "delete", "clear_done")
    return {f"todo.{name}": undoer for name in names}


_SHOWN = 50


def todo_app(store: TodoStore) -> App:
    """The app window of to-dos. `target` is words that each shown to-do contains."""
    tools = {one.name: one for one in todo_tools(store)}

    async def content(target: str) -> AppContent:
        words = target.casefold().split()
        kept = [
            one for one in await store.todos() if all(word in one.text.casefold() for word in words)
        ]
        found = [line_of(one, store.now()) for one in kept]
        head = [f"To-dos with “{target}”:"] if words else []
        more = [f"({len(found) - _SHOWN} more)"] if len(found) > _SHOWN else []
        text = "\n".join([*head, *(found[:_SHOWN] or ["(none)"]), *more])
        return AppContent(text, labels_of_todos(kept[:_SHOWN]).untrusted)

    return App(
        "todo",
        N_("To-dos"),
        "What the user wants to get done; [x] is done.",
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
