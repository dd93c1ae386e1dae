"""Searching words in 100,000 messages: the first results, compared with plain `LIKE` in the same
run, with the same texts and words.

The texts are those of the memory's figures (words by Zipf's law, half of them Chinese).
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.text_search import SearchQuery
from neodeskpet.memory.message_search import SEARCH_FILE, MessageSearch
from neodeskpet.storage.visible_messages import VisibleMessage
from tests.bench.memory import COUNT, sample_texts

ASKED, BATCH, LIMIT = 300, 500, 50


def measure(count: int = COUNT) -> dict[str, float]:
    """Milliseconds of this machine; a `like_ratio` above 1 means that ours is faster."""
    texts = sample_texts(count)
    asked = words_of(texts)
    return {"messages": count, **asyncio.run(_ours(texts, asked))}


def words_of(texts: Sequence[str]) -> list[str]:
    """Words of some messages while they are typed, and words that occur nowhere."""
    out: list[str] = []
    for at in range(ASKED // 5):
        words = texts[at * 7919 % len(texts)].split()
        said = max(words[:6], key=len)[:8] if words else "a"
        out += [said[:1], said[:2], said[: len(said) // 2 + 1], said, said[::-1] + said]
    return out


async def _ours(texts: Sequence[str], asked: Sequence[str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SEARCH_FILE
        book = await MessageSearch.open(path)
        begun = time.perf_counter()
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            await book.update_messages(
                [_standing(start + at, text) for at, text in enumerate(batch)]
            )
        added = time.perf_counter() - begun
        took: list[float] = []
        found = 0
        for words in asked:
            begun = time.perf_counter()
            found += len(await book.search(SearchQuery.of(words), limit=LIMIT))
            took.append(time.perf_counter() - begun)
        megabytes = path.stat().st_size / 1e6
        like = await asyncio.to_thread(search_with_like, texts, asked)
        begun = time.perf_counter()
        await book.delete_messages(["0"])
        dropped = time.perf_counter() - begun
        await book.aclose()
    return {
        "first_p50_ms": _at(took, 0.5),
        "first_p95_ms": _at(took, 0.95),
        "first_max_ms": max(took) * 1e3,
        "like_p50_ms": _at(like, 0.5),
        "like_p95_ms": _at(like, 0.95),
        "like_max_ms": max(like) * 1e3,
        "like_ratio": _at(like, 0.95) / _at(took, 0.95),
        "hits_per_search": found / len(asked),
        "adds_per_second": len(texts) / added,
        "delete_ms": dropped * 1e3,
        "megabytes": megabytes,
    }


def _standing(at: int, text: str) -> VisibleMessage:
    role = Role.ASSISTANT if at % 2 else Role.USER
    created = 1.7e9 + at * 420.0
    message = Message(str(at), role, (Text(0, 0, text),), MessageState.DONE, created)
    return VisibleMessage(message, str(at // 100), created)


def search_with_like(texts: Sequence[str], asked: Sequence[str]) -> list[float]:
    """The same without an index: the latest that hold the words anywhere."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    connection.executemany("INSERT INTO texts (text) VALUES (?)", [(text,) for text in texts])
    query = "SELECT number, text FROM texts WHERE text LIKE ? ORDER BY number DESC LIMIT ?"
    took = []
    for words in asked:
        begun = time.perf_counter()
        connection.execute(query, (f"%{words}%", LIMIT)).fetchall()
        took.append(time.perf_counter() - begun)
    connection.close()
    return took


def _at(took: Sequence[float], share: float) -> float:
    return sorted(took)[int(len(took) * share)] * 1e3
