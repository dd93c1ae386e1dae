"""Vectors are made in the background, from the existing texts, by the model of the user's
choice.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from neodeskpet.core.errors import LlmError, Unreachable
from neodeskpet.core.model import Vectors
from neodeskpet.memory.vectors.vector_indexer import MAX_TEXT, EmbeddingProgress, VectorIndexer
from neodeskpet.memory.vectors.vector_store import VectorStore


class Embedder:
    """Counts letters. The first `fails` portions are refused."""

    def __init__(self, model: str = "letters", fails: int = 0) -> None:
        self.model = self.label = model
        self.fails = fails
        self.asked: list[str] = []
        self.portions = 0

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        await asyncio.sleep(0)
        if self.fails:
            self.fails -= 1
            raise Unreachable(reason="test")
        self.portions += 1
        self.asked += texts
        rows = [array("f", [1.0, *(text.count(letter) for letter in "abcde")]) for text in texts]
        return Vectors(tuple(rows), self.model)


async def until(indexer: VectorIndexer, is_so: Callable[[EmbeddingProgress], bool]) -> None:
    """Wait until its progress has this state."""
    reached = asyncio.Event()

    def look() -> None:
        if is_so(indexer.progress):
            reached.set()

    end = indexer.changed.subscribe(look)
    look()
    await reached.wait()
    end()


class Texts:
    """Texts by id."""

    def __init__(self, **texts: str) -> None:
        self.all = texts
        self.taken = 0

    async def text_marks(self) -> dict[str, str]:
        return dict(self.all)

    async def texts(self, ids: Sequence[str]) -> list[tuple[str, str, str]]:
        self.taken += 1
        return [(one, self.all[one], self.all[one]) for one in ids if one in self.all]


def test_all_texts_get_vectors_the_newest_first() -> None:
    async def run() -> None:
        texts = Texts(**{f"t{at}": f"text {at}" for at in range(70)}, blank=" ")
        book, embedder = VectorStore(None), Embedder()
        indexer = VectorIndexer(book, texts, lambda: embedder)
        told: list[EmbeddingProgress] = []
        indexer.changed.subscribe(lambda: told.append(indexer.progress))
        await indexer.index_missing()
        assert len(embedder.asked) == 70
        assert "text 69" in embedder.asked[:32]
        assert set(await book.list_marks()) == {f"t{at}" for at in range(70)}
        assert indexer.progress.is_complete
        assert (indexer.progress.done, indexer.progress.total) == (70, 70)
        assert [one.done for one in told] == sorted(one.done for one in told)
        assert told[0] == EmbeddingProgress(0, 71, "letters")
        await indexer.index_missing()
        assert len(embedder.asked) == 70
        await book.aclose()

    asyncio.run(run())


def test_vectors_made_before_a_crash_are_not_made_again(tmp_path: Path) -> None:
    async def first() -> None:
        texts = Texts(**{f"t{at}": "a" for at in range(100)})
        book, embedder = VectorStore(tmp_path / "v.db"), Embedder()
        indexer = VectorIndexer(book, texts, lambda: embedder)
        task = asyncio.get_running_loop().create_task(indexer.run())
        await until(indexer, lambda one: one.done > 0)
        task.cancel()
        await book.aclose()

    async def second() -> None:
        texts = Texts(**{f"t{at}": "a" for at in range(100)})
        book, embedder = VectorStore(tmp_path / "v.db"), Embedder()
        before = await book.size()
        assert 0 < before < 100
        await VectorIndexer(book, texts, lambda: embedder).index_missing()
        assert len(embedder.asked) == 100 - before
        await book.aclose()

    asyncio.run(first())
    asyncio.run(second())


def test_changes_are_followed() -> None:
    async def run() -> None:
        texts = Texts(a="a", b="bb")
        book, embedder = VectorStore(None), Embedder()
        indexer = VectorIndexer(book, texts, lambda: embedder)
        await indexer.index_missing()
        texts.all |= {"a": "aaa", "c": "c"}
        del texts.all["b"]
        indexer.mark_changed(["a", "b", "c"])
        await indexer.index_missing()
        assert await book.list_marks() == {"a": "aaa", "c": "c"}
        assert embedder.asked[2:] == ["aaa", "c"]
        await book.aclose()

    asyncio.run(run())


def test_another_model_makes_all_vectors_again() -> None:
    async def run() -> None:
        texts = Texts(a="a", b="bb")
        book, chosen = VectorStore(None), Embedder()
        indexer = VectorIndexer(book, texts, lambda: chosen)
        await indexer.index_missing()
        chosen = Embedder("other")
        await indexer.index_missing()
        assert sorted(chosen.asked) == ["a", "bb"]
        assert set(await book.list_marks("other")) == {"a", "b"}
        await book.aclose()

    asyncio.run(run())


def test_without_a_model_nothing_is_sent_and_deleted_texts_are_still_removed() -> None:
    async def run() -> None:
        texts = Texts(a="a", b="bb")
        book, embedder = VectorStore(None), Embedder()
        await VectorIndexer(book, texts, lambda: embedder).index_missing()
        del texts.all["a"]
        indexer = VectorIndexer(book, texts, lambda: None)
        await indexer.index_missing()
        assert list(await book.list_marks()) == ["b"]
        assert (indexer.progress.model, indexer.progress.is_complete) == ("", False)
        texts.all["b"] = "changed"
        indexer.mark_changed(["b"])
        await indexer.index_missing()
        assert await book.list_marks() == {}
        assert len(embedder.asked) == 2
        await book.aclose()

    asyncio.run(run())


def test_a_text_that_is_deleted_during_the_request_is_not_stored() -> None:
    async def run() -> None:
        texts = Texts(a="a", b="bb")

        class Slow(Embedder):
            async def embed(self, asked: Sequence[str], *, query: bool = False) -> Vectors:
                made = await super().embed(asked)
                del texts.all["a"]
                return made

        book, embedder = VectorStore(None), Slow()
        await VectorIndexer(book, texts, lambda: embedder).index_missing()
        assert list(await book.list_marks()) == ["b"]
        await book.aclose()

    asyncio.run(run())


def test_a_failing_service_is_reported_and_asked_again() -> None:
    async def run() -> None:
        texts = Texts(a="a")
        book, embedder = VectorStore(None), Embedder(fails=1)
        indexer = VectorIndexer(book, texts, lambda: embedder)
        with pytest.raises(LlmError):
            await indexer.index_missing()
        embedder.fails = 1
        task = asyncio.get_running_loop().create_task(indexer.run())
        await until(indexer, lambda one: one.problem is not None)
        assert isinstance(indexer.progress.problem, Unreachable)
        indexer.check_all()
        await until(indexer, lambda one: one.is_complete)
        assert list(await book.list_marks()) == ["a"]
        texts.all["b"] = "b"
        indexer.mark_changed(["b"])
        await until(indexer, lambda one: one.done == 2)
        task.cancel()
        await book.aclose()

    asyncio.run(run())


def test_of_a_long_text_the_beginning_is_sent() -> None:
    async def run() -> None:
        texts = Texts(a="a" * 9999)
        book, embedder = VectorStore(None), Embedder()
        await VectorIndexer(book, texts, lambda: embedder).index_missing()
        assert embedder.asked == ["a" * MAX_TEXT]
        await book.aclose()

    asyncio.run(run())


def test_without_a_model_no_text_is_read() -> None:
    async def run() -> None:
        texts, book = Texts(a="a"), VectorStore(None)
        indexer = VectorIndexer(book, texts, lambda: None)
        indexer.mark_changed(["a"])
        await indexer.index_missing()
        assert (texts.taken, indexer.progress) == (0, EmbeddingProgress())
        embedder = Embedder()
        indexer = VectorIndexer(book, texts, lambda: embedder if texts.all.get("b") else None)
        await indexer.index_missing()
        texts.all["b"] = "b"
        await indexer.index_missing()
        assert sorted(embedder.asked) == ["a", "b"]
        await book.aclose()

    asyncio.run(run())
