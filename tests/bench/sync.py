"""`./run bench sync [--messages N] [--schedules N]`: sync between two computers over a PostgreSQL
server on this machine.

Prints the delay of a fact, the first sync of N messages (20,000), the processor time while nothing
happens and for indexing afterwards, and runs N random schedules (5,000) of
`tests/unit/sync/test_schedules.py`. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from neodeskpet.characters.cards.character_card import Card
from neodeskpet.characters.character_library import FOLDER, CharacterLibrary
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.memory.facts.fact import FactClaim
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.sync.character_replica import CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.server_connection import ServerAccess
from neodeskpet.sync.sync_service import SyncService
from tests.bench.memory import sample_texts
from tests.support.computers import Computer
from tests.support.postgres import PASSWORD, postgres
from tests.unit.sync.test_schedules import Schedule

FACTS = 60
CHARACTERS = 50
IDLE_SECONDS = 20.0
DELAY_GOAL = 0.3
"""Seconds within which a fact is on the other computer, for 95 of 100."""
_PART = 50
"""Schedules that one task runs."""


class Running:
    """A computer that syncs in the background, as the app does."""

    def __init__(
        self, store: SqliteStore, book: MemoryStore, notebook: Notebook, home: Path, address: str
    ) -> None:
        self.store, self.book, self.notebook = store, book, notebook
        self.characters = CharacterReplica(home)
        self.sharing = SyncService(
            (
                ConversationReplica(store),
                MemoryReplica(book.facts.file, book.apply_remote_changes),
                NotebookReplica(notebook, lambda: None),
                self.characters,
            ),
            lambda: address,
            lambda _: ServerAccess(PASSWORD),
            name="bench",
            forget_deleted=store.purge_deleted,
        )
        self.task = spawn_task(self.sharing.run(), name="sharing")

    @classmethod
    async def open(cls, home: Path, address: str) -> Running:
        store = await SqliteStore.open(home / CONVERSATIONS_FILE)
        book = await MemoryStore.open(home / MEMORY_FILE)
        return cls(store, book, await Notebook.open(home / NOTEBOOK_FILE), home, address)

    async def close(self) -> None:
        self.task.cancel()
        await self.sharing.aclose()
        await self.characters.aclose()
        await self.notebook.aclose()
        await self.book.aclose()
        await self.store.aclose()


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - a benchmark looks from outside
        await asyncio.sleep(0.002)


def _note_time(times: list[float], _: object) -> None:
    times.append(time.perf_counter())


async def fact_delays(folder: Path, address: str) -> tuple[list[float], float]:
    """Seconds from writing a fact until the other computer has it, and the share of a core that two
    computers use while nothing happens.
    """
    desk, laptop = [await Running.open(folder / name, address) for name in ("desk", "laptop")]
    await _until(lambda: desk.sharing.is_notified and laptop.sharing.is_notified)
    delays: list[float] = []
    for number in range(FACTS):
        heard: list[float] = []
        end = laptop.sharing.subscribe_changes(partial(_note_time, heard))
        begun = time.perf_counter()
        text = f"I have {number} cups"
        await desk.book.facts.add(text, FactClaim("", ""), None, datetime.now())
        await _until(partial(bool, heard))
        delays.append(heard[0] - begun)
        end()
        await asyncio.sleep(0.2)
    for number in range(CHARACTERS):
        CharacterLibrary(folder / "desk" / FOLDER).add(Card(f"Character {number}"))
    desk.characters.wake()
    await _until(lambda: _count_characters(folder / "laptop") == CHARACTERS)
    await asyncio.sleep(3)
    used = time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    idle = (time.process_time() - used) / IDLE_SECONDS / 2
    await desk.close()
    await laptop.close()
    return delays, idle


def _count_characters(home: Path) -> int:
    return len([*(home / FOLDER).glob("*.json")])


async def first_sync(folder: Path, address: str, count: int) -> dict[str, float]:
    """Seconds (and processor seconds) of the first sync of that many messages."""
    desk = await Computer.open(address, "desk", folder / "first.db")
    made = await desk.store.create_conversation("t")
    texts = sample_texts(count)
    for start in range(0, count, 500):
        messages = [
            Message(f"m{at}", Role.USER, (Text(0, 0, texts[at]),), MessageState.DONE, float(at))
            for at in range(start, min(start + 500, count))
        ]
        await asyncio.gather(*(desk.store.add_message(made.id, one) for one in messages))
    figures: dict[str, float] = {}
    await _timed(figures, "send", desk.step)
    laptop = await Computer.open(address, "laptop", folder / "second.db")
    await _timed(figures, "fetch", laptop.step)
    book = await MemoryStore.open(folder / MEMORY_FILE)
    await _timed(figures, "index", MemoryIndexer(book, laptop.store).catch_up)
    await book.aclose()
    await desk.close()
    await laptop.close()
    return figures


async def _timed(figures: dict[str, float], name: str, work: Callable[[], object]) -> None:
    begun, used = time.perf_counter(), time.process_time()
    await work()  # type: ignore[misc]
    figures[f"{name}, seconds"] = time.perf_counter() - begun
    figures[f"{name}, processor seconds"] = time.process_time() - used


def run_schedules(first: int) -> int:
    """Return how many of the schedules from this number on fail."""
    logging.disable(logging.CRITICAL)
    failed = 0
    for seed in range(first, first + _PART):
        try:
            asyncio.run(Schedule(seed, 40).run())
        except AssertionError:
            failed += 1
            print(f"  schedule {seed} fails", flush=True)
    return failed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench sync", description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--schedules", type=int, default=5_000)
    words = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        for name in ("desk", "laptop"):
            (Path(folder) / name).mkdir()
        delays, idle = asyncio.run(fact_delays(Path(folder), postgres().new_database()))
        first = asyncio.run(first_sync(Path(folder), postgres().new_database(), words.messages))
    p50, p95 = statistics.median(delays), statistics.quantiles(delays, n=20)[18]
    print(f"delay of a fact, p50 / p95: {p50:.3f} / {p95:.3f} s (goal {DELAY_GOAL} s)")
    print(f"idle: {idle:.2%} of a core for each computer")
    for name, value in first.items():
        print(f"first sync of {words.messages:,} messages: {name}: {value:.1f}")
    starts = range(0, words.schedules, _PART)
    with ProcessPoolExecutor(max_workers=2) as pool:
        failed = sum(pool.map(run_schedules, starts))
    print(f"schedules that fail: {failed} of {len(starts) * _PART:,} (goal 0)")
    return 1 if failed or p95 > DELAY_GOAL else 0
