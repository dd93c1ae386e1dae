"""What a note is, and how notes are kept: in memory here, in the notebook in `store.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import time
from typing import Protocol

from neodeskpet.core.labels import DataSource, add_sources
from neodeskpet.observers import Observers

MOST_NOTE_CHARACTERS = 20_000
"""Characters of one note."""


@dataclass(frozen=True, slots=True)
class Note:
    """`created` in unix seconds. Pinned ones stand before the others. `untrusted` are the untrusted
    sources of its text.
    """

    id: int
    text: str
    tags: tuple[str, ...]
    created: float
    pinned: bool = False
    untrusted: tuple[DataSource, ...] = ()

    def holds(self, words: Sequence[str]) -> bool:
        """Whether each of `words` is in the text or in a tag, whatever the case."""
        hay = folded_note(self.text, self.tags)
        return all(word.casefold() in hay for word in words)


def folded_note(text: str, tags: Sequence[str]) -> str:
    """What is searched: serves Chinese as well as English."""
    return "\n".join((text, *tags)).casefold()


class NoteStore(Protocol):
    """Used on the loop; what works on files does so elsewhere. All coroutines raise StoreError."""

    async def add(
        self, text: str, tags: Sequence[str] = (), untrusted: Sequence[DataSource] = ()
    ) -> Note: ...

    async def search(self, words: Sequence[str], limit: int) -> list[Note]:
        """`limit` notes that hold every word, the pinned first, then the newest; with no words
        any.
        """
        ...

    async def update(
        self,
        note_id: int,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Note | None:
        """The note as it is then; None leaves a part as it is, `untrusted` is added. None if there
        is none of that id.
        """
        ...

    async def delete(self, note_id: int) -> Note | None:
        """Take a note away; its data stays 30 days. None if there is none of that id."""
        ...

    async def restore(self, note_id: int) -> Note | None:
        """Bring a deleted note back. None if it isn't there any more, or was never deleted."""
        ...

    def notify_changed(self) -> None:
        """Another process may have changed notes: observers read them anew."""
        ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each change that was made here; returns what ends it."""
        ...


class NotesInMemory:
    """The store for tests and for a run that leaves nothing behind."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._notes: dict[int, Note] = {}
        self._deleted: dict[int, Note] = {}
        self._changed: Observers[[]] = Observers()

    async def add(
        self, text: str, tags: Sequence[str] = (), untrusted: Sequence[DataSource] = ()
    ) -> Note:
        number = len(self._notes) + len(self._deleted) + 1
        note = Note(number, text, tuple(tags), self._clock(), untrusted=tuple(untrusted))
        self._notes[number] = note
        self._changed.notify()
        return note

    async def search(self, words: Sequence[str], limit: int) -> list[Note]:
        found = [note for note in self._notes.values() if note.holds(words)]
        return sorted(found, key=lambda note: (not note.pinned, -note.id))[:limit]

    async def update(
        self,
        note_id: int,
        *,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        pinned: bool | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Note | None:
        note = self._notes.get(note_id)
        if note is None:
            return None
        note = self._notes[note_id] = changed_note(note, text, tags, pinned, untrusted)
        self._changed.notify()
        return note

    async def delete(self, note_id: int) -> Note | None:
        return self._move(note_id, self._notes, self._deleted)

    async def restore(self, note_id: int) -> Note | None:
        return self._move(note_id, self._deleted, self._notes)

    def _move(self, note_id: int, source: dict[int, Note], target: dict[int, Note]) -> Note | None:
        note = source.pop(note_id, None)
        if note is not None:
            target[note_id] = note
            self._changed.notify()
        return note

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        return self._changed.subscribe(observer)


def changed_note(
    note: Note,
    text: str | None,
    tags: Sequence[str] | None,
    pinned: bool | None,
    untrusted: Sequence[DataSource] = (),
) -> Note:
    """`note` with those parts that aren't None, and with these sources too."""
    return replace(
        note,
        text=note.text if text is None else text,
        tags=note.tags if tags is None else tuple(tags),
        pinned=note.pinned if pinned is None else pinned,
        untrusted=add_sources(note.untrusted, untrusted),
    )
