"""The app with 100,000 stored messages: opening, indexing, finding, recalling, sending, memory.

Each row has its goal; rows that begin with "the same" are peers or the app with `SMALL` messages,
in the same run.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from neodeskpet.core.text_search import SearchQuery
from neodeskpet.memory.message_search import SEARCH_FILE, MessageSearch
from neodeskpet.memory.recall.memory_indexer import MessageIndexer
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.bench.archive import archive_texts, write_archive
from tests.bench.find import LIMIT, search_with_like, words_of
from tests.bench.light.goals import Goals
from tests.bench.light.measure import app_guest, personal_environment, share_of
from tests.bench.light.service import SHORT, THINKING_SECONDS, reply, service
from tests.bench.light.windows import memory_after_start, time_until_painted
from tests.bench.memory import (
    p95_ms,
    questions_about,
    search_bm25s,
    search_plainly,
)

COUNT, SMALL = 100_000, 40
_STARTS, _SENT = 3, 10
GOALS: Goals = {
    "index_s": ("<=", "first `memory search`: all messages are indexed and searched, s", 60),
    "index_cpu_s": ("", "CPU seconds of that", 0),
    "first_answer_s": ("<=", "the same until the first answers are printed, s", 2),
    "fts5_index_s": ("", "the same texts added to plain FTS5, s", 0),
    "bm25s_index_s": ("", "the same texts indexed by bm25s, s", 0),
    "next_search_s": ("<=", "a later `memory search`, from start to end, s", 2),
    "find_index_s": ("<=", "indexing for the search in the chat, s", 30),
    "find_p95_ms": ("<=", "find words in all conversations, p95, ms", 50),
    "like_p95_ms": ("", "the same with LIKE, ms", 0),
    "recall_p95_ms": ("<=", "recall, p95, ms", 20),
    "recall_ratio": ("<=", "recall / bm25s", 1.5),
    "recall_cpu_p95_ms": ("", "CPU milliseconds of recall, p95", 0),
    "bm25s_p95_ms": ("", "the same with bm25s, all in memory, ms", 0),
    "fts5_p95_ms": ("", "the same with plain FTS5, ms", 0),
    "open_s": ("", "start with --chat to the painted chat, s", 0),
    "small_open_s": ("", "the same with 40 messages, s", 0),
    "naive_open_s": ("", "start of a QTextBrowser to its paint, s", 0),
    "open_ratio": ("<=", "the start / the same with 40 messages", 1.2),
    "send_ms": ("<=", "a message is sent to its request at the service, p50 of 10, ms", 100),
    "small_send_ms": ("", "the same with 40 messages, ms", 0),
    "pss_mib": ("", "PSS of the chat without the figure, MiB", 0),
    "small_pss_mib": ("", "the same with 40 messages, MiB", 0),
    "pss_more_mib": ("<=", "the difference, MiB", 15),
}


def measure(count: int = COUNT) -> dict[str, float]:
    """All rows; about five minutes. What can't be measured is reported, and left out."""
    texts = archive_texts(count)
    with tempfile.TemporaryDirectory() as folder, service() as (url, firsts):
        root = Path(folder)
        homes = {"": root / "many", "small_": root / "few"}
        for home, some in zip(homes.values(), (texts, texts[:SMALL]), strict=True):
            home.mkdir()
            home.joinpath(FILE_NAME).write_text(
                '{"appearance": {"language": "en"}}', encoding="utf-8"
            )
            asyncio.run(write_archive(home, some))
        out: dict[str, float] = {}
        parts: dict[str, Callable[[], dict[str, float]]] = {
            "index": lambda: _index(homes, texts),
            "find": lambda: asyncio.run(_find(homes[""], texts)),
            "recall": lambda: _recall(homes[""], texts),
            "open": lambda: _open(homes, url),
            "memory": lambda: _memory(homes),
            "send": lambda: _send(root, homes, url, firsts),
        }
        for name, rows in parts.items():
            begun = time.monotonic()
            try:
                out |= rows()
            except (OSError, ValueError, LookupError) as error:
                print(f"  {name}: not measured ({error!r})", flush=True)
                continue
            print(f"  {name}: {time.monotonic() - begun:.0f} s", flush=True)
    return out


def _index(homes: dict[str, Path], texts: Sequence[str]) -> dict[str, float]:
    asked = questions_about(texts)[0]
    search = (sys.executable, "-m", "neodeskpet", "memory", "search", asked, "--data-dir")
    # Compiles the code.
    _search_in_terminal((*search, str(homes["small_"])))
    first, again = (_search_in_terminal((*search, str(homes[""]))) for _ in range(2))
    return {
        "index_s": first["whole_s"],
        "index_cpu_s": first["cpu_s"],
        "first_answer_s": first["first_s"],
        "next_search_s": again["whole_s"],
    }


def _search_in_terminal(command: Sequence[str]) -> dict[str, float]:
    """Seconds of a command until it ends, and until it prints its first line."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    # One stream for both, since first answers come on standard error and the last on the other.
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=personal_environment(),
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = time.perf_counter() - begun
        process.stdout.read()
    whole = time.perf_counter() - begun
    if process.returncode:
        raise OSError(f"{' '.join(command)} ended with {process.returncode}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return {"first_s": first, "whole_s": whole, "cpu_s": cpu}


async def _find(home: Path, texts: Sequence[str]) -> dict[str, float]:
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    found = await MessageSearch.open(home / SEARCH_FILE)
    begun = time.perf_counter()
    await MessageIndexer(found, store, versions=True).catch_up()
    indexed = time.perf_counter() - begun
    asked, times = words_of(texts), []
    for words in asked:
        begun = time.perf_counter()
        await found.search(SearchQuery.of(words), limit=LIMIT)
        times.append(time.perf_counter() - begun)
    await found.aclose()
    await store.aclose()
    like = await asyncio.to_thread(search_with_like, texts, asked)
    return {
        "find_index_s": indexed,
        "find_p95_ms": p95_ms(times),
        "like_p95_ms": p95_ms(like),
    }


def _recall(home: Path, texts: Sequence[str]) -> dict[str, float]:
    questions = questions_about(texts)
    out = asyncio.run(_search_memory(home, questions))
    for name, peer in (("fts5", search_plainly), ("bm25s", search_bm25s)):
        added, times = peer(texts, questions)
        out |= {f"{name}_index_s": added, f"{name}_p95_ms": p95_ms(times)}
    return out | {"recall_ratio": out["recall_p95_ms"] / out["bm25s_p95_ms"]}


async def _search_memory(home: Path, questions: Sequence[str]) -> dict[str, float]:
    memory = await MemoryStore.open(home / MEMORY_FILE)
    await memory.warm_up()
    times, work = [], []
    for question in questions:
        begun, worked = time.perf_counter(), time.process_time()
        await memory.search(question, datetime.now(), 5)
        times.append(time.perf_counter() - begun)
        work.append(time.process_time() - worked)
    await memory.aclose()
    return {"recall_p95_ms": p95_ms(times), "recall_cpu_p95_ms": p95_ms(work)}


def _open(homes: dict[str, Path], url: str) -> dict[str, float]:
    environment = personal_environment()
    naive = (sys.executable, "-m", "tests.bench.light.naive", url, reply(1500))
    commands = {f"{name}open_s": _chat(home) for name, home in homes.items()}
    commands["naive_open_s"] = naive
    for command in commands.values():
        # Compiles the code.
        time_until_painted(command, environment)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(_STARTS):
        for name, command in commands.items():
            times[name].append(time_until_painted(command, environment))
    best = {name: min(some) for name, some in times.items()}
    return best | {"open_ratio": best["open_s"] / best["small_open_s"]}


def _chat(home: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "neodeskpet", "--chat", "--data-dir", str(home))


def _memory(homes: dict[str, Path]) -> dict[str, float]:
    environment = personal_environment()
    out = {
        f"{name}pss_mib": memory_after_start((*_chat(home), "--hidden"), environment)
        for name, home in homes.items()
    }
    return out | {"pss_more_mib": out["pss_mib"] - out["small_pss_mib"]}


def _send(root: Path, homes: dict[str, Path], url: str, firsts: Any) -> dict[str, float]:
    """From the key that sends a message to its request, which recalls what was said before."""
    out = {}
    for name, home in homes.items():
        with app_guest(root, url, home.name, "chat") as guest:
            times = []
            for _ in range(_SENT):
                guest.do("rest 0.5")
                while firsts.poll():
                    firsts.recv()
                begun = time.perf_counter()
                guest.order(f"send {SHORT}")
                times.append((firsts.recv() - begun - THINKING_SECONDS) * 1000)
                guest.wait()
        out[f"{name}send_ms"] = share_of(times, 0.5)
    return out
