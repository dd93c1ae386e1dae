"""The memory with 100,000 messages: searching, adding, building the context, compared with plain
FTS5 and `bm25s` in the same run, with the same texts and questions.

The texts are invented (words by Zipf's law, half of them Chinese), so time is compared, not what is
found: the written cases show that (`python -m tests.support.recallcases`).
"""

from __future__ import annotations

import asyncio
import itertools
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from neodeskpet.conversation.memory_context import (
    MEMORY_BUDGET,
    MemoryContext,
    RecallScope,
    RecallTimeouts,
)
from neodeskpet.conversation.prompt import PromptRound
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.dialects import NATIVE
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.memory.recall.text_terms import terms_of

COUNT, ASKED, BATCH = 100_000, 300, 500
_BEGIN = datetime(2024, 1, 1)


def measure(count: int = COUNT) -> dict[str, float]:
    """Milliseconds and rates of this machine; a `…_ratio` above 1 means that ours is faster."""
    texts = sample_texts(count)
    questions = questions_about(texts)
    figures = asyncio.run(_ours(texts, questions))
    for name, peer in (("fts5", search_plainly), ("bm25s", search_bm25s)):
        added, times = peer(texts, questions)
        figures[f"{name}_adds_per_second"] = count / added if added else float("nan")
        figures[f"{name}_search_p95_ms"] = p95_ms(times)
        figures[f"{name}_search_ratio"] = p95_ms(times) / figures["search_p95_ms"]
    return {"messages": count, **figures}


async def _ours(texts: Sequence[str], questions: Sequence[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / MEMORY_FILE
        book = await MemoryStore.open(path)
        items = [
            MemoryItem(str(at), *_SPEAKERS[at % 2], _BEGIN + timedelta(minutes=7 * at), text)
            for at, text in enumerate(texts)
        ]
        begun = time.perf_counter()
        for start in range(0, len(items), BATCH):
            await book.add(items[start : start + BATCH])
        await book.merge_index_segments()
        added = time.perf_counter() - begun
        now = items[-1].time + timedelta(hours=1)
        times, work = [], []
        found = 0
        for number, question in enumerate(questions):
            begun, worked = time.perf_counter(), time.process_time()
            hits = await book.search(question, now, 5)
            times.append(time.perf_counter() - begun)
            work.append(time.process_time() - worked)
            found += str(number * 97 % len(texts)) in {one.item.id for one in hits}
        context = [await _context(book, question, now) for question in questions]
        size = path.stat().st_size
        await book.aclose()
    return {
        "search_p50_ms": sorted(times)[len(times) // 2] * 1e3,
        "search_p95_ms": p95_ms(times),
        "search_cpu_p95_ms": p95_ms(work),
        "found_share": found / len(questions),
        "adds_per_second": len(texts) / added,
        "context_p95_ms": p95_ms(context),
        "megabytes": size / 1e6,
    }


_SPEAKERS = (("user", ItemSide.PERSON), ("assistant", ItemSide.COMPANION))


async def _context(book: MemoryStore, question: str, now: datetime) -> float:
    """How long the memory's part of a request takes."""
    asked = Message("q", Role.USER, (Text(0, 0, question),), MessageState.DONE, 1.0)
    reply = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 1.0)
    source = MemoryContext(
        book, RecallScope(), context=24_000, now=lambda: now, timeouts=RecallTimeouts(60.0)
    )
    begun = time.perf_counter()
    await source.contribute(PromptRound([asked], reply, [], NATIVE), MEMORY_BUDGET)
    return time.perf_counter() - begun


def search_plainly(texts: Sequence[str], questions: Sequence[str]) -> tuple[float, list[float]]:
    """FTS5 that ranks by itself: words and pairs of characters, porter. Returns the seconds of
    adding the texts, and those of each search.
    """
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61')")
        begun = time.perf_counter()
        for start in range(0, len(texts), BATCH):
            connection.execute("BEGIN")
            rows = [(" ".join(terms_of(text)),) for text in texts[start : start + BATCH]]
            connection.executemany("INSERT INTO t VALUES (?)", rows)
            connection.execute("COMMIT")
        added = time.perf_counter() - begun

        def search(question: str) -> object:
            words = " OR ".join(f'"{term}"' for term in terms_of(question))
            query = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 5"
            return connection.execute(query, (words,)).fetchall()

        times = _times(search, questions[:100])
        connection.close()
    return added, times


def search_bm25s(texts: Sequence[str], questions: Sequence[str]) -> tuple[float, list[float]]:
    """The same with the library, in memory; nan if it isn't installed. Adding rebuilds its
    index.
    """
    try:
        import bm25s
    except ImportError:
        return 0.0, [float("nan")]
    begun = time.perf_counter()
    index = bm25s.BM25()
    index.index([terms_of(text) for text in texts], show_progress=False)
    added = time.perf_counter() - begun

    def search(question: str) -> object:
        return index.retrieve([terms_of(question)], k=5, show_progress=False)

    return added, _times(search, questions[:100])


def _times(search: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    times = []
    for question in questions:
        begun = time.perf_counter()
        search(question)
        times.append(time.perf_counter() - begun)
    return times


def p95_ms(times: Sequence[float]) -> float:
    """Milliseconds, of seconds."""
    return sorted(times)[int(len(times) * 0.95)] * 1e3


def sample_texts(count: int) -> list[str]:
    chance = random.Random(5)
    begins, ends = "bcdfglmnprstvz", "aeiou"
    english = [
        "".join(chance.choice(begins) + chance.choice(ends) for _ in range(chance.randint(1, 4)))
        for _ in range(20_000)
    ]
    chinese = [chr(0x4E00 + at) for at in chance.sample(range(8000), 3000)]
    weights = [
        list(itertools.accumulate(1 / (at + 5) for at in range(len(words))))
        for words in (english, chinese)
    ]

    def text(at: int) -> str:
        length = chance.randint(5, 30)
        if at % 2:
            return " ".join(chance.choices(english, cum_weights=weights[0], k=length))
        return "".join(chance.choices(chinese, cum_weights=weights[1], k=2 * length))

    return [text(at) for at in range(count)]


def questions_about(texts: Sequence[str]) -> list[str]:
    """Each of words of one of the texts: number 97·n."""
    chance = random.Random(7)
    questions = []
    for number in range(ASKED):
        at = number * 97 % len(texts)
        text = texts[at]
        if at % 2:
            words = text.split()
            part = " ".join(chance.sample(words, min(5, len(words))))
            questions.append(f"What did I say about {part}?")
        else:
            start = chance.randrange(max(1, len(text) - 6))
            questions.append(f"我上次说的{text[start : start + 6]}是什么？")
    return questions
