"""The notes' own database."""

import threading
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.notes.notes import Note, NotesInMemory, NoteStore
from neodeskpet.notes.store import KEPT_SECONDS, SqliteNotes


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.db"


def test_notes_outlive_the_app(path: Path, clock: Clock) -> None:
    kept = SqliteNotes(path, clock).add("茶", ["a", "b"])
    assert kept == Note(1, "茶", ("a", "b"), 1000.0)
    assert SqliteNotes(path, clock).search([], 10) == [kept]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_deleted_note_can_be_brought_back(path: Path, clock: Clock, kind: str) -> None:
    notes: NoteStore = NotesInMemory(clock) if kind == "memory" else SqliteNotes(path, clock)
    kept = notes.add("茶", [])
    assert notes.restore(1) is None
    assert notes.delete(1) == kept
    assert notes.delete(1) is None
    assert notes.search([], 10) == []
    assert notes.restore(1) == kept
    assert notes.search(["茶"], 10) == [kept]
    assert notes.restore(99) is None


def test_deleted_notes_are_gone_after_a_month(path: Path, clock: Clock) -> None:
    notes = SqliteNotes(path, clock)
    notes.add("old", [])
    notes.delete(1)
    clock.now += KEPT_SECONDS
    assert notes.restore(1) is not None
    notes.delete(1)
    clock.now += KEPT_SECONDS + 1
    notes.search([], 1)
    clock.now -= KEPT_SECONDS
    assert notes.restore(1) is None
    assert notes.add("new", []).id == 2


def test_many_threads(path: Path) -> None:
    notes = SqliteNotes(path)
    threads = [threading.Thread(target=notes.add, args=(f"note {n}", [])) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert {note.text for note in notes.search([], 99)} == {f"note {n}" for n in range(8)}


def test_a_file_that_is_no_database(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to look at" * 40)
    with pytest.raises(StoreError, match=r"notes\.db: file is not a database"):
        SqliteNotes(path).search([], 1)


def test_a_folder_that_cant_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"notes\.db"):
        SqliteNotes(tmp_path / "file" / "notes.db").add("x", [])


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_each_change_is_told_and_nothing_else(path: Path, clock: Clock, kind: str) -> None:
    notes: NoteStore = NotesInMemory(clock) if kind == "memory" else SqliteNotes(path, clock)
    heard: list[int] = []
    end = notes.observe(lambda: heard.append(len(notes.search([], 10))))
    notes.add("茶", [])
    notes.delete(1)
    notes.delete(1)
    notes.restore(1)
    notes.restore(99)
    notes.search(["茶"], 10)
    end()
    notes.delete(1)
    assert heard == [1, 0, 1]
