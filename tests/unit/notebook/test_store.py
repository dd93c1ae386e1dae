"""Notes in memory and in the notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.notebook_tables import KEPT_SECONDS
from neodeskpet.notebook.notes import Note, NotesInMemory, NoteStore, SqliteNotes


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


Story = Callable[[NoteStore, Clock], Awaitable[None]]
Run = Callable[[Story], None]


@pytest.fixture(params=["memory", "notebook"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    async def live(story: Story) -> None:
        clock = Clock()
        if request.param == "memory":
            await story(NotesInMemory(clock), clock)
            return
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        await story(SqliteNotes(notebook, clock), clock)
        await notebook.aclose()

    return lambda story: asyncio.run(live(story))


def test_notes_are_stored_over_a_restart(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        kept = await SqliteNotes(notebook, Clock()).add("茶 \ud83d", ["a", "b"])
        assert kept == Note(1, "茶 \ud83d", ("a", "b"), 1000.0)
        await notebook.aclose()
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        assert await SqliteNotes(notebook).search([], 10) == [kept]
        await notebook.aclose()

    asyncio.run(scene())


def test_a_deleted_note_can_be_restored(run: Run) -> None:
    async def story(notes: NoteStore, _clock: Clock) -> None:
        kept = await notes.add("茶")
        assert await notes.restore(1) is None
        assert await notes.delete(1) == kept
        assert await notes.delete(1) is None
        assert await notes.update(1, text="x") is None
        assert await notes.search([], 10) == []
        assert await notes.restore(1) == kept
        assert await notes.search(["茶"], 10) == [kept]
        assert await notes.restore(99) is None

    run(story)


def test_a_changed_note_is_found_by_its_new_words(run: Run) -> None:
    async def story(notes: NoteStore, _clock: Clock) -> None:
        kept = await notes.add("Milk", ["todo"])
        await notes.add("Bread")
        changed = await notes.update(1, text="Oat milk", tags=["shop"])
        assert changed == replace(kept, text="Oat milk", tags=("shop",))
        assert await notes.search(["OAT", "shop"], 9) == [changed]
        assert await notes.search(["todo"], 9) == []
        assert await notes.update(9, text="x") is None

    run(story)


def test_pinned_ones_come_first(run: Run) -> None:
    async def story(notes: NoteStore, _clock: Clock) -> None:
        for text in ("one", "two", "three"):
            await notes.add(text)
        await notes.update(2, pinned=True)
        assert [note.text for note in await notes.search([], 2)] == ["two", "three"]
        await notes.update(2, text="due")
        await notes.update(1, pinned=True)
        found = await notes.search([], 9)
        assert [(note.text, note.pinned) for note in found] == [
            ("due", True),
            ("one", True),
            ("three", False),
        ]

    run(story)


def test_deleted_notes_are_purged_after_a_month(tmp_path: Path) -> None:
    async def scene() -> None:
        clock = Clock()
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        notes = SqliteNotes(notebook, clock)
        await notes.add("old")
        await notes.delete(1)
        clock.now += KEPT_SECONDS
        assert await notes.restore(1) is not None
        await notes.delete(1)
        clock.now += KEPT_SECONDS + 1
        assert await notes.restore(1) is None
        now = clock.now
        await notes.add("new")
        await notes.delete(2)
        await notebook.purge(now)
        count = "SELECT id FROM notes ORDER BY id"
        assert await notebook.read(lambda db: db.execute(count).fetchall()) == [(2,)]
        await notebook.aclose()

    asyncio.run(scene())


def test_unreadable_tags_do_not_affect_their_note(tmp_path: Path) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(tmp_path / FILE_NAME)
        notes = SqliteNotes(notebook)
        for stored in ("[", "5"):
            await notes.add("text", ["tag"])
            await notebook.change(
                lambda db, stored=stored: db.execute("UPDATE notes SET tags = ?", (stored,))  # type: ignore[misc]
            )
        assert [(note.text, note.tags) for note in await notes.search([], 9)] == [("text", ())] * 2
        await notebook.aclose()

    asyncio.run(scene())


def test_each_change_is_reported_and_nothing_else(run: Run) -> None:
    async def story(notes: NoteStore, _clock: Clock) -> None:
        heard: list[None] = []
        end = notes.subscribe(lambda: heard.append(None))
        await notes.add("茶")
        await notes.update(1, pinned=True)
        await notes.delete(1)
        await notes.delete(1)
        await notes.restore(1)
        await notes.restore(99)
        await notes.search(["茶"], 10)
        assert len(heard) == 4
        end()
        await notes.delete(1)
        assert len(heard) == 4

    run(story)
