"""The companion's notes as tools: short texts it keeps for the person."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.labels import Labels, SourceKind, add_sources
from neodeskpet.core.tool_result import ShownList, ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_, Reason
from neodeskpet.notebook.tables import KEPT_SECONDS
from neodeskpet.notes.notes import MOST_NOTE_CHARACTERS, Note, NoteStore
from neodeskpet.tools.origin import current_origin
from neodeskpet.tools.registry import Tool, tool


def note_tools(store: NoteStore) -> list[Tool]:
    @tool("note.add", title=N_("Add a note"), risk=Risk.APP_DATA, main_argument="text", timeout=20)
    async def add(
        text: Annotated[
            str, Field(min_length=1, max_length=MOST_NOTE_CHARACTERS, description="What to keep.")
        ],
        tags: Annotated[
            list[str] | None, Field(max_length=20, description="Words to find it by.")
        ] = None,
    ) -> dict[str, object]:
        """Keep a note for the person: a fact, an idea."""
        if not text.strip():
            raise InvalidArguments.at("text", N_("there is nothing to note."))
        words = [tag.strip() for tag in tags or () if tag.strip()]
        kept = await store.add(text.strip(), words, current_origin().untrusted)
        return {"added": _show(kept)}

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
        told = {"notes": [_show(note) for note in found]}
        shown = ShownList(tuple(note.text for note in found)) if found else None
        return ToolResult(to_json(told).decode(), told, shown, labels=labels_of_notes(found))

    @tool("note.delete", title=N_("Delete a note"), risk=Risk.WRITE, main_argument="id", timeout=20)
    async def delete(
        id: Annotated[int, Field(description="The note's id, as note.search shows it.")],
    ) -> ToolResult:
        """Delete a note. The answer repeats its text, so that it can be added again."""
        gone = await store.delete(id)
        if gone is None:
            fault = Reason(N_("there is no note {id}."), {"id": str(id)}, "id")
            raise InvalidArguments(reasons=[fault], advice="Find it with note.search first.")
        told = {"deleted": _show(gone)}
        undo = {"until": time.time() + KEPT_SECONDS, "id": gone.id}
        labels = labels_of_notes([gone])
        return ToolResult(to_json(told).decode(), {**told, "undo": undo}, labels=labels)

    return [add, search, delete]


def labels_of_notes(notes: Iterable[Note]) -> Labels:
    """The untrusted sources of these notes."""
    return Labels(add_sources((), (source for note in notes for source in note.untrusted)))


class NoteUndo:
    """Brings a deleted note back."""

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
