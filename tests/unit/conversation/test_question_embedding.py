"""The embedding of a question is awaited briefly, and not at all from a service that fails."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence

from neodeskpet.conversation.question_embedding import MAX_WAIT, MIN_WAIT, QuestionEmbedder
from neodeskpet.core.errors import Unreachable
from neodeskpet.core.model import Vectors


class Embedder:
    """Answers when it is released; fails `fails` times before."""

    def __init__(self, fails: int = 0) -> None:
        self.model = self.label = "m"
        self.let = asyncio.Event()
        self.fails = fails
        self.asked: list[tuple[str, bool]] = []

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.asked += [(text, query) for text in texts]
        if self.fails:
            self.fails -= 1
            raise Unreachable(reason="test")
        await self.let.wait()
        return Vectors(tuple(array("f", [len(text), 1.0]) for text in texts), self.model)


def test_a_fast_service_is_asked_once_for_a_question() -> None:
    async def run() -> None:
        embedder = Embedder()
        embedder.let.set()
        asking = QuestionEmbedder(lambda: embedder)
        assert asking.is_available
        for _ in range(2):
            found = await asking.vector("  the cat ")
            assert found is not None
            assert (found.model, list(found.vector), found.late) == ("m", [7.0, 1.0], False)
        assert embedder.asked == [("the cat", True)]
        assert MIN_WAIT <= asking.current_wait <= MAX_WAIT
        await asking.aclose()

    asyncio.run(run())


def test_a_slow_service_is_not_awaited_and_serves_the_next_round() -> None:
    async def run() -> None:
        embedder = Embedder()
        asking = QuestionEmbedder(lambda: embedder)
        assert await asking.vector("the cat") is None
        assert asking.current_wait == MIN_WAIT
        assert await asking.vector("the cat") is None
        assert len(embedder.asked) == 1
        embedder.let.set()
        assert await asking.vector("the cat") is not None
        assert len(embedder.asked) == 1
        await asking.aclose()

    asyncio.run(run())


def test_the_latest_question_replaces_the_earlier_one() -> None:
    async def run() -> None:
        embedder = Embedder()
        asking = QuestionEmbedder(lambda: embedder)
        assert await asking.vector("one") is None
        assert await asking.vector("two") is None
        embedder.let.set()
        assert await asking.vector("two") is not None
        assert embedder.asked == [("one", True), ("two", True)]
        await asking.aclose()
        await asking.aclose()

    asyncio.run(run())


def test_a_failing_service_is_reported_and_not_awaited() -> None:
    async def run() -> None:
        embedder = Embedder(fails=1)
        embedder.let.set()
        asking = QuestionEmbedder(lambda: embedder)
        assert await asking.vector("one") is None
        assert isinstance(asking.problem, Unreachable)
        assert asking.current_wait == MIN_WAIT
        assert await asking.vector("one") is not None
        assert asking.problem is None
        await asking.aclose()

    asyncio.run(run())


def test_without_a_service_nothing_is_sent() -> None:
    async def run() -> None:
        asking = QuestionEmbedder(lambda: None)
        assert not asking.is_available
        assert await asking.vector("one") is None
        embedder = Embedder()
        asking = QuestionEmbedder(lambda: embedder)
        assert await asking.vector("  ") is None
        assert embedder.asked == []
        await asking.aclose()

    asyncio.run(run())


def test_the_number_of_cached_questions_is_limited() -> None:
    async def run() -> None:
        embedder = Embedder()
        embedder.let.set()
        asking = QuestionEmbedder(lambda: embedder)
        for number in range(70):
            assert await asking.vector(f"question {number}") is not None
        await asking.vector("question 69")
        assert len(embedder.asked) == 70
        await asking.vector("question 0")
        assert len(embedder.asked) == 71
        await asking.aclose()

    asyncio.run(run())
