"""Notes as tools, and as an app window."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.data_labels import Labels, SourceKind, add_sources
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import (
    ApprovalText,
    ShownList,
    ShownText,
    ToolResult,
    count_brief,
    name_of,
    text_brief,
)
from neodeskpet.core.toolspec import Risk
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.notebook.notes import MOST_NOTE_CHARACTERS, Note, NoteStore
from neodeskpet.toolkit.app_window import App, AppContent
from neodeskpet.toolkit.executor import current_origin
from neodeskpet.toolkit.registry import Tool, tool


def _ask_add(text: str, tags: list[str] | None = None) -> ApprovalText:
    title = Reason(N_("Add the note “{name}”?"), {"name": name_of(text)})
    return ApprovalText(title, text, verb=N_("Add"), keep=N_("Don't add"))


def _ask_add_tagged(text: str, tag: str = "") -> ApprovalText:
    return _ask_add(text)


def note_tools(store: NoteStore) -> list[Tool]:
    @tool(
        "note.add",
        title=N_("Add a note"),
        risk=Risk.APP_DATA,
        main_argument="text",
        timeout=20,
        ask=_ask_add,
    )
    async def add(
        text: Annotated[
            str, Field(min_length=1, max_length=MOST_NOTE_CHARACTERS, description="What to keep.")
        ],
        tags: Annotated[
            list[str] | None, Field(max_length=20, description="Words to find it by.")
        ] = None,
    ) -> ToolResult:
        """Keep a note for the user: a fact, an idea."""
        if not text.strip():
            raise InvalidArguments.at("text", N_("there is nothing to note."))
        words = [tag.strip() for tag in tags or () if tag.strip()]
        kept = await store.add(text.strip(), words, current_origin().untrusted)
        record = {"added": _show(kept)}
        data = {**record, "undo": _undo_add(kept)}
        return ToolResult(to_json(record).decode(), data, brief=text_brief(kept.text))

    @tool(
        "note.search",
        title=N_("Search the notes"),
        risk=Risk.READ,
        main_argument="query",
        timeout=20,
        reads=SourceKind.NOTE,
    )
    async def search(
        query: Annotated[
            str,
            Field(
                max_length=500,
                description="Words that are all in it, or a tag. Left out: the newest.",
            ),
        ] = "",
        limit: Annotated[int, Field(ge=1, le=100, description="At most so many.")] = 10,
    ) -> ToolResult:
        """Find notes: the pinned first, then the newest."""
        found = await store.search(query.split(), limit)
        record = {"notes": [_show(note) for note in found]}
        shown = ShownList(tuple(note.text for note in found)) if found else None
        brief = count_brief(len(found), N_("1 note"), N_("{count} notes"))
        labels = labels_of_notes(found)
        return ToolResult(to_json(record).decode(), record, shown, labels=labels, brief=brief)

    async def ask_delete(id: int) -> ApprovalText:
        note = await _find(store, id)
        if note is None:
            raise _unknown(id)
        title = Reason(N_("Delete the note “{name}”?"), {"name": name_of(note.text)})
        return ApprovalText(title, note.text, verb=N_("Delete"), keep=N_("Keep it"))

    @tool(
        "note.delete",
        title=N_("Delete a note"),
        risk=Risk.WRITE,
        main_argument="id",
        timeout=20,
        ask=ask_delete,
    )
    async def delete(
        id: Annotated[int, Field(description="The note's id, as note.search shows it.")],
    ) -> ToolResult:
        """Delete a note. The answer repeats its text, so that it can be added again."""
        gone = await store.delete(id)
        if gone is None:
            raise _unknown(id)
        record = {"deleted": _show(gone)}
        undo = {"until": time.time() + KEPT_SECONDS, "id": gone.id}
        labels = labels_of_notes([gone])
        brief = Reason(N_("“{name}” deleted"), {"name": name_of(gone.text)})
        data = {**record, "undo": undo}
        return ToolResult(to_json(record).decode(), data, labels=labels, brief=brief)

    return [add, search, delete]


async def _find(store: NoteStore, number: int) -> Note | None:
    return next((one for one in await store.search((), 1_000) if one.id == number), None)


def _unknown(number: int) -> InvalidArguments:
    text = N_("there is no note {id}.")
    return InvalidArguments.at("id", text, advice="Look for it first.", id=str(number))


def labels_of_notes(notes: Iterable[Note]) -> Labels:
    """Return the untrusted sources of these notes."""
    return Labels(add_sources((), (source for note in notes for source in note.untrusted)))


def _undo_add(note: Note) -> dict[str, object]:
    return {"until": time.time() + KEPT_SECONDS, "id": note.id}


class NoteAddUndo:
    """Deletes a note that was added."""

    def __init__(self, store: NoteStore) -> None:
        self._store = store

    async def undo(self, data: Mapping[str, object]) -> bool:
        return await self._store.delete(int(str(data["id"]))) is not None


class NoteUndo:
    """Restores a deleted note."""

    def __init__(self, store: NoteStore) -> None:
        self._store = store

    async def undo(self, data: Mapping[str, object]) -> bool:
        number = int(str(data["id"]))
        return await self._store.restore(number) is not None


def _show(note: Note) -> dict[str, object]:
    created = datetime.fromtimestamp(note.created).astimezone()
    shown: dict[str, object] = {"id": note.id, "text": note.text}
    if note.tags:
        shown["tags"] = list(note.tags)
    if note.pinned:
        shown["pinned"] = True
    shown["created"] = created.isoformat(timespec="minutes")
    return shown


_SHOWN = 30
_LINE = 160


def notes_app(notes: NoteStore) -> App:
    """The app window of notes. `target` is words that each shown note contains."""
    tools = {one.name: one for one in note_tools(notes)}

    async def content(target: str) -> AppContent:
        found = await notes.search(target.split(), _SHOWN + 1)
        lines = [_line(note) for note in found[:_SHOWN]]
        if len(found) > _SHOWN:
            lines.append(f"(The newest {_SHOWN}; search finds the others.)")
        head = [f"Notes with “{target}”:"] if target.strip() else []
        text = "\n".join([*head, *(lines or ["(none)"])])
        return AppContent(text, labels_of_notes(found[:_SHOWN]).untrusted)

    return App(
        "notes",
        N_("Notes"),
        "Short texts that you keep for the user: facts, ideas. The pinned first, then the newest.",
        content,
        {
            "add": _add(notes),
            "search": tools["note.search"],
            "edit": _edit(notes),
            "delete": tools["note.delete"],
        },
        WindowOptions(appended=True),
        reads=SourceKind.NOTE,
    )


def _add(notes: NoteStore) -> Tool:
    @tool(
        "note.add",
        title=N_("Add a note"),
        risk=Risk.APP_DATA,
        main_argument="text",
        timeout=20,
        ask=_ask_add_tagged,
    )
    async def add(
        text: Annotated[
            str, Field(min_length=1, max_length=MOST_NOTE_CHARACTERS, description="What to keep.")
        ],
        tag: Annotated[str, Field(max_length=200, description="A word to find it by.")] = "",
    ) -> ToolResult:
        """Add a note"""
        if not text.strip():
            raise InvalidArguments.at("text", N_("there is nothing to note."))
        tags = [tag.strip()] if tag.strip() else []
        kept = await notes.add(text.strip(), tags, current_origin().untrusted)
        brief = text_brief(kept.text)
        data = {"id": kept.id, "undo": _undo_add(kept)}
        return ToolResult(_line(kept), data, ShownText(kept.text), brief=brief)

    return add


def _edit(notes: NoteStore) -> Tool:
    async def ask(id: int, text: str) -> ApprovalText:
        note = await _find(notes, id)
        if note is None:
            raise _unknown(id)
        title = Reason(N_("Change the note “{name}”?"), {"name": name_of(note.text)})
        return ApprovalText(title, text, verb=N_("Change"), keep=N_("Leave it as it is"))

    @tool(
        "note.edit",
        title=N_("Edit a note"),
        risk=Risk.APP_DATA,
        main_argument="text",
        timeout=20,
        ask=ask,
    )
    async def edit(
        id: Annotated[int, Field(description="The note's number.")],
        text: Annotated[
            str,
            Field(min_length=1, max_length=MOST_NOTE_CHARACTERS, description="The whole new text."),
        ],
    ) -> ToolResult:
        """Give a note another text"""
        before = await _find(notes, id)
        if not text.strip():
            raise InvalidArguments.at("text", N_("there is nothing to note."))
        origin = current_origin().untrusted
        kept = await notes.update(id, text=text.strip(), untrusted=origin)
        if kept is None:
            raise _unknown(id)
        undo = {"until": time.time() + KEPT_SECONDS, "id": id, "text": before and before.text}
        data = {"id": id, "undo": undo}
        return ToolResult(_line(kept), data, ShownText(kept.text), brief=text_brief(kept.text))

    return edit


class NoteEditUndo:
    """Restores the former text of a note."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def undo(self, data: Mapping[str, object]) -> bool:
        return await self._notes.update(int(str(data["id"])), text=str(data["text"])) is not None


def _line(note: Note) -> str:
    text = note.text if len(note.text) <= _LINE else note.text[: _LINE - 1] + "…"
    tags = "".join(f" #{tag}" for tag in note.tags)
    return f"{note.id}: {text}{tags}{' (pinned)' if note.pinned else ''}"
