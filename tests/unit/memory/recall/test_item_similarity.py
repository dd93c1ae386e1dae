"""Remembered text is also found by its meaning; a similarity that is late is left out."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

from neodeskpet.memory.recall.item_similarity import SimilarityLookup
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.ranking import Similarity
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem, MemoryQuery, QuestionVector
from neodeskpet.memory.vectors.vector_store import VectorStore

NOW = datetime(2026, 1, 4, 9)
MODEL = "m"
ANIMAL, HOUSE, FOOD = (1.0, 0.05, 0.0), (0.0, 1.0, 0.05), (0.05, 0.0, 1.0)
SAID = {
    "cat": ("My kitten is called Biscuit", ANIMAL),
    "dog": ("A puppy barked all night", (0.8, 0.0, 0.3)),
    "roof": ("The roof leaks again", HOUSE),
    "soup": ("Soup with leek for lunch", FOOD),
    "pet": ("I have no pets at the office", (0.1, 0.9, 0.1)),
}


def item(name: str, text: str, days: int, **more: object) -> MemoryItem:
    return MemoryItem(name, "user", ItemSide.PERSON, NOW - timedelta(days=days), text, **more)  # type: ignore[arg-type]


async def fill(book: MemoryStore) -> None:
    await book.add([item(name, text, at + 1) for at, (name, (text, _)) in enumerate(SAID.items())])
    marks = await book.texts(lambda _: True).text_marks()
    rows = [array("f", SAID[one][1]) for one in marks]
    await book.vectors.update(MODEL, list(marks.items()), rows)


def query(text: str, vector: QuestionVector | None, **more: object) -> MemoryQuery:
    return MemoryQuery(text, NOW, 500, vector=vector, **more)  # type: ignore[arg-type]


def play(path: Path | None, scene: Callable[[MemoryStore], Awaitable[None]]) -> None:
    async def run() -> None:
        book = await MemoryStore.open(path)
        try:
            await scene(book)
        finally:
            await book.aclose()

    asyncio.run(run())


async def recalled(book: MemoryStore, asked: MemoryQuery) -> list[str]:
    return [one.item.id for one in await book.recall(asked)]


async def in_time(book: MemoryStore, text: str) -> list[str]:
    """Return what is recalled if the similarity came in time; the first search of a process is
    slow.
    """
    while True:
        vector = QuestionVector(MODEL, array("f", ANIMAL))
        found = await recalled(book, query(text, vector))
        if not vector.late:
            return found


def test_a_text_without_a_word_of_the_question_is_found() -> None:
    async def scene(book: MemoryStore) -> None:
        await fill(book)
        assert await recalled(book, query("which animals live with me?", None)) == []
        assert (await in_time(book, "which animals live with me?"))[0] == "cat"
        assert await in_time(book, "what leaks?") != []

    play(None, scene)


def test_words_count_more_than_meaning() -> None:
    async def scene(book: MemoryStore) -> None:
        await fill(book)
        vector = QuestionVector(MODEL, array("f", ANIMAL))
        assert (await recalled(book, query("pets at the office?", vector)))[0] == "pet"

    play(None, scene)


def test_excluded_items_are_not_found_by_meaning() -> None:
    async def scene(book: MemoryStore) -> None:
        await fill(book)
        vector = QuestionVector(MODEL, array("f", ANIMAL))
        asked = query("animals?", vector, messages=False)
        assert await recalled(book, asked) == []

    play(None, scene)


def test_vectors_of_another_model_and_a_closed_file_are_left_out() -> None:
    async def scene(book: MemoryStore) -> None:
        await fill(book)
        other = QuestionVector("other", array("f", ANIMAL))
        assert await recalled(book, query("roof?", other)) == ["roof"]
        assert not other.late
        await book.vectors.aclose()
        closed = QuestionVector(MODEL, array("f", ANIMAL))
        assert await recalled(book, query("roof?", closed)) == ["roof"]
        assert closed.late

    play(None, scene)


def test_a_slow_similarity_is_left_out() -> None:
    async def run() -> None:
        book = VectorStore(None)
        await book.update(MODEL, [("a", "")], [array("f", ANIMAL)])
        late = QuestionVector(MODEL, array("f", ANIMAL))
        nearness = SimilarityLookup(book, late, timeout=-1)
        assert nearness(["a"]) == {}
        assert late.late
        known = QuestionVector(MODEL, array("f", ANIMAL))
        found = SimilarityLookup(book, known, timeout=30)(["a", "b"])
        assert list(found) == ["a"]
        assert isinstance(found["a"], Similarity)
        await book.aclose()

    asyncio.run(run())


def test_a_deleted_item_has_no_vector(tmp_path: Path) -> None:
    path = tmp_path / MEMORY_FILE

    async def scene(book: MemoryStore) -> None:
        await fill(book)
        await book.delete(["cat"])
        assert "cat" not in await book.vectors.list_marks()
        vector = QuestionVector(MODEL, array("f", ANIMAL))
        assert "cat" not in await recalled(book, query("kitten? animals?", vector))
        await book.clear()
        assert await book.vectors.list_marks() == {}

    play(path, scene)
    assert path.with_name("memory-vectors.f32").read_bytes() == b""


def test_observers_are_notified_of_every_change() -> None:
    async def scene(book: MemoryStore) -> None:
        heard: list[str] = []
        book.changed.subscribe(heard.extend)
        await book.add([item("a", "one", 1)])
        await book.update_messages({"m": ([item("m", "two", 1, message="m")], 1.0)})
        await book.update_messages({"m": ([], 2.0)})
        await book.correct("a", "three")
        assert heard == ["a", "m", "m", "a"]

    play(None, scene)


def test_texts_are_those_that_count_and_may_be_sent() -> None:
    async def scene(book: MemoryStore) -> None:
        await book.add([item("a", "one", 2, conversation="open")])
        await book.add([item("b", "two", 1, conversation="closed"), item("half \ud83d", "x", 1)])
        all_ = await book.texts(lambda _: True).text_marks()
        assert list(all_) == ["a", "b"]
        texts = book.texts(lambda conversation: conversation != "closed")
        assert list(await texts.text_marks()) == ["a"]
        assert [one for one, _, _ in await texts.texts(["a", "b", "c"])] == ["a"]
        await book.correct("a", "three")
        [(_, mark, text)] = await texts.texts(["a"])
        assert text == "three"
        assert mark != all_["a"]

    play(None, scene)
