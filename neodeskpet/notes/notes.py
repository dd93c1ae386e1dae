"""What a note is, and where notes live: in memory here, in a file in `store.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Protocol

from neodeskpet.observers import Observers

LONGEST = 20_000
"""Characters of one note."""
KEPT_SECONDS = 30 * 86400
"""How long a deleted note can be restored."""


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

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change, on the thread that made it; returns what ends it."""
        ...


class NotesInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._notes: dict[int, Note] = {}
        self._deleted: dict[int, Note] = {}
        self._lock = threading.Lock()
        self._changed: Observers[[]] = Observers()

    def add(self, text: str, tags: Sequence[str]) -> Note:
        with self._lock:
            number = len(self._notes) + len(self._deleted) + 1
            note = Note(number, text, tuple(tags), self._clock())
            self._notes[number] = note
        self._changed.tell()
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
        if note is not None:
            self._changed.tell()
        return note

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._changed.add(observer)
