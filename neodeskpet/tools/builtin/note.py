"""The companion's notes: short texts it keeps for the person."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import time
from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.registry import Tool, tool

LONGEST = 20_000
"""Characters of one note."""


@dataclass(frozen=True, slots=True)
class Note:
    """`created` in unix seconds."""

    id: int
    text: str
    tags: tuple[str, ...]
    created: float

    def holds(self, words: Sequence[str]) -> bool:
        """Whether each of `words` is in the text or in a tag, whatever the case."""
        hay = "\n".join((self.text, *self.tags)).casefold()
        return all(word.casefold() in hay for word in words)


class NoteStore(Protocol):
    """Called from worker threads. Raises OSError or StoreError."""

    def add(self, text: str, tags: Sequence[str]) -> Note: ...

    def search(self, words: Sequence[str], limit: int) -> list[Note]:
        """The newest `limit` notes that hold every word; with no words simply the newest."""
        ...

    def delete(self, note_id: int) -> Note | None:
        """Take a note away; its data stays 30 days. None if there is none of that id."""
        ...

    def restore(self, note_id: int) -> Note | None:
        """Bring a deleted note back. None if it isn't there any more, or was never deleted."""
        ...


class NotesInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._notes: dict[int, Note] = {}
        self._deleted: dict[int, Note] = {}
        self._lock = threading.Lock()

    def add(self, text: str, tags: Sequence[str]) -> Note:
        with self._lock:
            number = len(self._notes) + len(self._deleted) + 1
            note = Note(number, text, tuple(tags), self._clock())
            self._notes[number] = note
            return note

    def search(self, words: Sequence[str], limit: int) -> list[Note]:
        with self._lock:
            found = [note for note in self._notes.values() if note.holds(words)]
        return sorted(found, key=lambda note: -note.id)[:limit]

    def delete(self, note_id: int) -> Note | None:
        return self._move(note_id, self._notes, self._deleted)

    def restore(self, note_id: int) -> Note | None:
        return self._move(note_id, self._deleted, self._notes)

    def _move(self, note_id: int, source: dict[int, Note], target: dict[int, Note]) -> Note | None:
        with self._lock:
            note = source.pop(note_id, None)
            if note is not None:
                target[note_id] = replace(note)
            return note


def note_tools(store: NoteStore) -> list[Tool]:
    @tool("note.add", risk=Risk.OWN, main_argument="text", timeout=20)
    def add(
        text: Annotated[str, Field(min_length=1, max_length=LONGEST, description="What to keep.")],
        tags: Annotated[
            list[str] | None, Field(max_length=20, description="Words to find it by.")
        ] = None,
    ) -> dict[str, object]:
        """Keep a note for the person: a fact, an idea, a to-do (tag it "todo")."""
        if not text.strip():
            raise InvalidArguments("text: there is nothing to note.")
        kept = store.add(text.strip(), [tag.strip() for tag in tags or () if tag.strip()])
        return {"added": _show(kept)}

    @tool("note.search", risk=Risk.READ, main_argument="query", timeout=20)
    def search(
        query: Annotated[
            str,
            Field(
                max_length=500,
                description="Words that are all in it, or a tag. Left out: the newest.",
            ),
        ] = "",
        limit: Annotated[int, Field(ge=1, le=100, description="At most so many.")] = 10,
    ) -> dict[str, object]:
        """Find notes, the newest first."""
        found = store.search(query.split(), limit)
        return {"notes": [_show(note) for note in found]}

    @tool("note.delete", risk=Risk.WRITE, main_argument="id", timeout=20)
    def delete(
        id: Annotated[int, Field(description="The note's id, as note.search shows it.")],
    ) -> dict[str, object]:
        """Delete a note. The answer repeats its text, so that it can be added again."""
        gone = store.delete(id)
        if gone is None:
            raise InvalidArguments(f"id: there is no note {id}. Find it with note.search first.")
        return {"deleted": _show(gone)}

    return [add, search, delete]


def _show(note: Note) -> dict[str, object]:
    created = datetime.fromtimestamp(note.created).astimezone()
    shown: dict[str, object] = {"id": note.id, "text": note.text}
    if note.tags:
        shown["tags"] = list(note.tags)
    shown["created"] = created.isoformat(timespec="minutes")
    return shown
