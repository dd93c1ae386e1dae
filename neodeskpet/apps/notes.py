"""The notes as an app: the panel for the person and the tools work on the same ones."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from neodeskpet.apps.app import App, AppContent
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.labels import SourceKind
from neodeskpet.core.tool_result import ShownText, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.windows.window import WindowOptions
from neodeskpet.core.wording import N_
from neodeskpet.notebook.tables import KEPT_SECONDS
from neodeskpet.notes.notes import MOST_NOTE_CHARACTERS, Note, NoteStore
from neodeskpet.tools.builtin.note import labels_of_notes, note_tools
from neodeskpet.tools.origin import current_origin
from neodeskpet.tools.registry import Tool, tool

_SHOWN = 30
_LINE = 160


def notes_app(notes: NoteStore) -> App:
    """`target` is words that each note shown holds."""
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
        "Short texts that you keep for the person: facts, ideas. The pinned first, then the "
        "newest.",
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
    @tool("note.add", title=N_("Add a note"), risk=Risk.APP_DATA, main_argument="text", timeout=20)
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
        return ToolResult(_line(kept), {"id": kept.id}, ShownText(kept.text))

    return add


def _edit(notes: NoteStore) -> Tool:
    @tool(
        "note.edit", title=N_("Edit a note"), risk=Risk.APP_DATA, main_argument="text", timeout=20
    )
    async def edit(
        id: Annotated[int, Field(description="The note's number.")],
        text: Annotated[
            str,
            Field(min_length=1, max_length=MOST_NOTE_CHARACTERS, description="The whole new text."),
        ],
    ) -> ToolResult:
        """Give a note another text"""
        before = next((one for one in await notes.search((), 1_000) if one.id == id), None)
        if not text.strip():
            raise InvalidArguments.at("text", N_("there is nothing to note."))
        origin = current_origin().untrusted
        kept = await notes.update(id, text=text.strip(), untrusted=origin)
        if kept is None:
            raise InvalidArguments.at("id", N_("there is no note {id}."), id=str(id))
        undo = {"until": time.time() + KEPT_SECONDS, "id": id, "text": before and before.text}
        return ToolResult(_line(kept), {"id": id, "undo": undo}, ShownText(kept.text))

    return edit


class NoteEditUndo:
    """Gives a note its former text back."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    async def undo(self, data: Mapping[str, object]) -> bool:
        return await self._notes.update(int(str(data["id"])), text=str(data["text"])) is not None


def _line(note: Note) -> str:
    text = note.text if len(note.text) <= _LINE else note.text[: _LINE - 1] + "…"
    tags = "".join(f" #{tag}" for tag in note.tags)
    return f"{note.id}: {text}{tags}{' (pinned)' if note.pinned else ''}"
