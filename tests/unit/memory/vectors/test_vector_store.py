"""Vectors are stored, found, and removed completely."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import struct
from array import array
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.vectors.vector_file import VectorFile
from neodeskpet.memory.vectors.vector_store import VectorStore

MODEL = "model"
Scene = Callable[[VectorStore], Awaitable[None]]


def vector(*numbers: float) -> array[float]:
    return array("f", numbers)


def play(path: Path | None, *scenes: Scene) -> None:
    """Each scene runs on the file that the one before left."""

    async def run(scene: Scene) -> None:
        book = VectorStore(path)
        try:
            await scene(book)
        finally:
            await book.aclose()
            await book.aclose()

    for scene in scenes:
        asyncio.run(run(scene))


async def put(book: VectorStore, *names: str, model: str = MODEL) -> None:
    known = {
        "north": vector(0, 2, 0),
        "east": vector(1, 0, 0),
        "north-east": vector(1, 1, 0),
        "up": vector(0, 0, 7),
    }
    await book.update(
        model, [(one, f"mark of {one}") for one in names], [known[one] for one in names]
    )


async def nearest(book: VectorStore, *numbers: float, count: int = 2) -> list[str]:
    near = await book.nearest(MODEL, numbers, count)
    return [] if near is None else [one for one, _ in near.best]


@pytest.mark.parametrize("kept", ["file", "memory"])
def test_the_nearest_are_found(tmp_path: Path, kept: str) -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north", "east", "up")
        await put(book, "north-east")
        assert await nearest(book, 1, 0.9, 0) == ["north-east", "east"]
        assert await nearest(book, 0, 0, 1, count=1) == ["up"]
        assert len(await nearest(book, 1, 0, 0, count=99)) == 4
        cosines = await book.cosines(MODEL, (0, 3, 0), ["north", "north-east", "nobody"])
        assert {one: round(how, 2) for one, how in cosines.items()} == {
            "north": 1,
            "north-east": 0.71,
        }
        near = book.start_nearest(MODEL, (0, 1, 0), 1).result(60)
        assert near is not None
        assert near.best[0][0] == "north"
        assert near.top > near.median
        assert book.start_cosines(MODEL, (0, 1, 0), ["up"]).result(60) == {"up": 0}

    play(tmp_path / "v.db" if kept == "file" else None, scene)


def test_vectors_are_stored_over_a_restart(tmp_path: Path) -> None:
    async def first(book: VectorStore) -> None:
        await put(book, "north", "east")

    async def second(book: VectorStore) -> None:
        assert await book.list_marks() == {"north": "mark of north", "east": "mark of east"}
        assert await book.list_marks(MODEL) == await book.list_marks()
        assert await book.list_marks("other") == {}
        assert await nearest(book, 0, 1, 0, count=1) == ["north"]
        assert await book.size() == 2

    play(tmp_path / "deep" / "v.db", first, second)


def test_no_file_is_made_without_vectors(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        assert (await book.list_marks(), await book.size()) == ({}, 0)
        await book.delete(["a"])
        await book.clear()
        assert await book.nearest(MODEL, (1, 0), 3) is None
        assert await book.cosines(MODEL, (1, 0), ["a"]) == {}
        await book.update(MODEL, [], [])

    play(tmp_path / "v.db", scene)
    assert [path.name for path in tmp_path.iterdir()] == []


def test_questions_of_another_length() -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north")
        assert await book.nearest("other", (0, 1, 0), 1) is None
        assert await book.nearest(MODEL, (0, 1), 1) is None
        assert await book.nearest(MODEL, (0, 0, 0), 1) is None
        assert await book.cosines(MODEL, (0, 1, 0), ["nobody"]) == {}
        await book.delete(["north"])
        assert await book.nearest(MODEL, (0, 1, 0), 1) is None

    play(None, scene)


def test_a_replaced_vector_keeps_its_place(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north", "east")
        await book.update(MODEL, [("north", "new")], [vector(0, 0, 1)])
        assert await nearest(book, 0, 0, 1, count=1) == ["north"]
        assert (await book.list_marks())["north"] == "new"
        assert await book.size() == 2

    play(tmp_path / "v.db", scene)


def test_another_model_starts_a_new_file(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north", "east")
        await put(book, "up", model="other")
        assert list(await book.list_marks()) == ["up"]
        assert await nearest(book, 0, 1, 0) == []
        await book.update("other", [("long", "")], [vector(1, 2, 3, 4)])
        assert list(await book.list_marks()) == ["long"]

    play(tmp_path / "v.db", scene)


def test_a_deleted_vector_is_in_no_byte(tmp_path: Path) -> None:
    marked = [0.36, 0.48, 0.8]
    stored = struct.pack("<f", 0.8)

    async def first(book: VectorStore) -> None:
        await book.update(
            MODEL, [("secret-id", "m"), ("other", "m")], [array("f", marked), vector(1, 0, 0)]
        )

    async def second(book: VectorStore) -> None:
        await book.delete(["secret-id", "unknown"])
        assert await nearest(book, *marked) == ["other"]

    async def third(book: VectorStore) -> None:
        assert list(await book.list_marks()) == ["other"]
        await put(book, "up")  # in the free place
        assert await nearest(book, 0, 0, 1, count=1) == ["up"]

    play(tmp_path / "v.db", first)
    assert stored in (tmp_path / "v.f32").read_bytes()
    play(tmp_path / "v.db", second)
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert stored not in content, path.name
        assert b"secret-id" not in content, path.name
    size = (tmp_path / "v.f32").stat().st_size
    play(tmp_path / "v.db", third)
    assert (tmp_path / "v.f32").stat().st_size == size


def test_clear_leaves_nothing(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north", "east")
        await book.clear()
        assert await book.size() == 0
        assert await nearest(book, 0, 1, 0) == []

    play(tmp_path / "v.db", scene)
    assert (tmp_path / "v.f32").read_bytes() == b""
    assert b"north" not in (tmp_path / "v.db").read_bytes()


def test_a_crash_during_a_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """Rows without an entry are overwritten; entries whose row is lost are removed."""

    async def first(book: VectorStore) -> None:
        await put(book, "north", "east")

    async def second(book: VectorStore) -> None:
        assert list(await book.list_marks()) == ["north"]

    async def third(book: VectorStore) -> None:
        assert await book.list_marks() == {}

    play(tmp_path / "v.db", first)
    with closing(sqlite3.connect(tmp_path / "v.db")) as connection:
        connection.execute("DELETE FROM entries WHERE id = 'east'")
        connection.commit()
    play(tmp_path / "v.db", second)
    assert not any((tmp_path / "v.f32").read_bytes()[12:])
    (tmp_path / "v.f32").unlink()
    play(tmp_path / "v.db", third)


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        await put(book, "north")
        assert list(await book.list_marks()) == ["north"]

    (tmp_path / "v.db").write_bytes(b"no database at all, and long enough to be one" * 99)
    (tmp_path / "v.f32").write_bytes(b"rows")
    play(tmp_path / "v.db", scene)


def test_a_folder_that_can_not_be_created_is_a_store_error(tmp_path: Path) -> None:
    async def scene(book: VectorStore) -> None:
        with pytest.raises(StoreError):
            await put(book, "north")

    (tmp_path / "file").write_text("")
    play(tmp_path / "file" / "v.db", scene)


def test_a_closed_store_raises() -> None:
    async def run() -> None:
        book = VectorStore(None)
        await put(book, "north")
        await book.aclose()
        with pytest.raises(StoreError):
            await book.list_marks()

    asyncio.run(run())


def test_two_stores_of_one_file(tmp_path: Path) -> None:
    """As in two processes: neither overwrites the other's rows."""

    async def run() -> None:
        one, two = VectorStore(tmp_path / "v.db"), VectorStore(tmp_path / "v.db")
        await put(one, "north")
        await put(two, "east")
        await put(one, "up")
        assert await nearest(one, 1, 0, 0, count=1) == ["east"]
        assert await nearest(two, 0, 0, 1, count=1) == ["up"]
        await put(two, "north", model="other")
        assert list(await one.list_marks()) == ["north"]
        assert await nearest(one, 0, 1, 0) == []
        await one.aclose()
        await two.aclose()

    asyncio.run(run())


def _many(count: int, size: int, seed: int = 3) -> list[array[float]]:
    chance = random.Random(seed)
    return [array("f", [chance.gauss(0.3, 1) for _ in range(size)]) for _ in range(count)]


def _nearest(file: VectorFile, asked: Sequence[float]) -> list[str]:
    near = file.nearest(MODEL, asked, 5)
    assert near is not None
    return [one for one, _ in near.best]


def test_preselection_by_signs_finds_the_nearest_of_many(tmp_path: Path) -> None:
    """The nearest of the rows preselected by the signs of their numbers are the nearest of all."""
    rows = _many(2600, 40)
    names = [(f"t{at}", "") for at in range(len(rows))]
    exact, quick = VectorFile(None), VectorFile(tmp_path / "v.db", exact=1000)
    for file in (exact, quick):
        file.update(MODEL, names, rows)
    for asked in rows[::300]:
        assert _nearest(quick, asked) == _nearest(exact, asked)
    more = _many(700, 40, seed=4)
    for file in (exact, quick):  # some replace others, some are appended
        file.update(MODEL, [(f"t{at + 2300}", "x") for at in range(700)], more)
    for asked in more[::100]:
        assert _nearest(quick, asked) == _nearest(exact, asked)
    exact.close()
    quick.close()
