"""Documents are found by similarity too, and a removed document leaves no vector."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path

from neodeskpet.core.model import Vectors
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.knowledge_types import KnownFile, SourceKind
from neodeskpet.memory.knowledge.passage_reader import IndexedPassage
from neodeskpet.memory.knowledge.passage_splitter import Passage
from neodeskpet.memory.recall.recall_types import MemoryQuery, QuestionVector
from neodeskpet.memory.recall.text_terms import terms_of
from neodeskpet.memory.vectors.vector_indexer import VectorIndexer

NOW = datetime(2026, 11, 23, 8)
QUESTION = "Which animals live with me?"
PETS = "The kitten Biscuit sleeps in the basket."
ROOF = "The roof leaks above the stairs."


class Embedder:
    """Animals are on one side, everything else on the other."""

    def __init__(self, model: str = "m") -> None:
        self.model = self.label = model
        self.read: list[str] = []

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.read += texts
        return Vectors(tuple(_meaning(one) for one in texts), self.model)


def _meaning(text: str) -> array[float]:
    animal = any(word in text for word in ("kitten", "animals", "puppy"))
    return array("f", [1.0, 0.2] if animal else [0.0, 1.0])


async def no_vector(_text: str) -> QuestionVector | None:
    return None


def play(
    home: Path | None,
    scene: Callable[[KnowledgeStore], Awaitable[None]],
    embed_question: Callable[[str], Awaitable[QuestionVector | None]] = no_vector,
) -> None:
    async def run() -> None:
        book = await KnowledgeStore.open(
            None if home is None else home / KNOWLEDGE_FILE, embed_question=embed_question
        )
        try:
            await scene(book)
        finally:
            await book.aclose()

    asyncio.run(run())


async def put(book: KnowledgeStore, key: str, *texts: str) -> str:
    """Store a file with these passages; return its source."""
    source = await book.add_source(SourceKind.FILE, f"/papers/{key}.md")
    passages = [
        IndexedPassage(Passage(text, at, at, 0, ""), " ".join(terms_of(text)), len(text.split()))
        for at, text in enumerate(texts)
    ]
    await book.put_file(KnownFile(key, source, f"/papers/{key}.md", f"{key}.md", "1"), passages)
    return source


def indexer_of(book: KnowledgeStore, embedder: Embedder) -> VectorIndexer:
    indexer = VectorIndexer(book.vectors, book.texts, lambda: embedder)
    book.changed.subscribe(indexer.mark_changed)
    return indexer


async def told(book: KnowledgeStore, text: str = QUESTION) -> list[str]:
    """Return the passages that are given without a tool call, if the similarity came in time."""
    while True:
        vector = QuestionVector("m", _meaning(text))
        found = await book.recall(MemoryQuery(text, NOW, 500, vector=vector))
        if not vector.late:
            return [one.text for one in found]


def test_a_passage_without_a_word_of_the_question_is_given() -> None:
    async def scene(book: KnowledgeStore) -> None:
        await put(book, "house", PETS, ROOF, *(f"Shelf {at} holds jam." for at in range(30)))
        assert await book.recall(MemoryQuery(QUESTION, NOW, 500)) == []
        await indexer_of(book, Embedder()).index_missing()
        assert await told(book) == [PETS]
        assert await told(book, "What leaks above the stairs?") == [ROOF]

    play(None, scene)


def test_a_search_finds_a_passage_by_its_meaning() -> None:
    vector: QuestionVector | None = None

    async def meant(_text: str) -> QuestionVector | None:
        return vector

    async def scene(book: KnowledgeStore) -> None:
        nonlocal vector
        await put(book, "house", PETS, ROOF, *(f"Shelf {at} holds jam." for at in range(30)))
        await indexer_of(book, Embedder()).index_missing()
        assert await book.search(QUESTION) == []
        vector = QuestionVector("m", _meaning(QUESTION))
        (hit,) = await book.search(QUESTION)
        assert hit.passage.text == PETS
        assert [one["text"] for one in await book.look_up(QUESTION, 5)] == [PETS]

    play(None, scene, meant)


def test_a_change_is_read_and_another_model_reads_everything_again() -> None:
    async def scene(book: KnowledgeStore) -> None:
        await put(book, "house", PETS, ROOF)
        first = Embedder()
        chosen = first
        indexer = VectorIndexer(book.vectors, book.texts, lambda: chosen)
        book.changed.subscribe(indexer.mark_changed)
        await indexer.index_missing()
        await put(book, "house", PETS, "A puppy came.")
        await indexer.index_missing()
        assert first.read[2:] == ["A puppy came."]
        assert len(await book.vectors.list_marks()) == 2
        chosen = Embedder("other")
        await indexer.index_missing()
        assert sorted(chosen.read) == ["A puppy came.", PETS]
        assert len(await book.vectors.list_marks("other")) == 2
        assert indexer.progress.is_complete

    play(None, scene)


def test_a_removed_passage_has_no_vector(tmp_path: Path) -> None:
    async def scene(book: KnowledgeStore) -> None:
        await put(book, "house", PETS, ROOF)
        await put(book, "garden", "The spade leans on the shed.")
        pond = await put(book, "pond", "Three carps.", "No frogs.")
        await indexer_of(book, Embedder()).index_missing()
        (kitten,) = [one.passage.id for one in await book.search("kitten")]
        await book.delete_passages([kitten])
        assert kitten not in await book.vectors.list_marks()
        await book.delete_files(["garden"])
        assert len(await book.vectors.list_marks()) == 3
        await book.delete_source(pond)
        assert [one.partition(".")[0] for one in await book.vectors.list_marks()] == ["house"]
        await put(book, "house")
        assert await book.vectors.list_marks() == {}

    play(tmp_path, scene)
    rows = array("f", (tmp_path / "knowledge-vectors.f32").read_bytes())
    assert rows and not any(rows)
