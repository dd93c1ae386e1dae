"""`neodeskpet memory`: searches, deletes, exports and imports memories, and serves them to other
programs.

Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TextIO

from neodeskpet.cli.memory_json_lines import serve
from neodeskpet.cli.store_command import send_changes
from neodeskpet.cli.terminal import (
    ProgressLine,
    SearchResultLine,
    add_data_dir,
    data_folder,
    parse_words,
    print_results,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.llm.local.local_embedder import LocalEmbedder
from neodeskpet.memory.message_search import SEARCH_FILE as FIND_FILE
from neodeskpet.memory.message_search import MessageSearch
from neodeskpet.memory.recall.memory_index import FoundItem
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer, forget_items
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore

_MANY_MESSAGES = 1000
"""Messages to index from which progress is shown."""
_FIRST_ANSWER = 0.6
"""Seconds of indexing after which a search looks for the first time, and then again and again until
it finds something.
"""
Work = Callable[[MemoryStore, SqliteStore], Awaitable[int]]
Search = Callable[[MemoryStore], Awaitable[Sequence[FoundItem]]]
Print = Callable[[Sequence[FoundItem], TextIO], None]
FirstSearch = tuple[Search, Print]
"""A search among the messages that are indexed so far, and how its results are printed."""


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(_parser(), argv)
    if isinstance(words, int):
        return words
    home = data_folder(words.data_dir)
    try:
        if words.word == "serve":
            return asyncio.run(_serve(home / MEMORY_FILE, words.meaning))
        early = words.word == "search" and not words.json
        first = _search_of(words) if early else None
        return asyncio.run(_with_memory(home, _WORK[words.word](words), first))
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet memory", description=tr("Search, delete, export and import memories.")
    )
    common = argparse.ArgumentParser(add_help=False)
    add_data_dir(common)
    words = parser.add_subparsers(dest="word", required=True)
    found = words.add_parser("search", parents=[common], help=tr("search the memories"))
    found.add_argument("text")
    found.add_argument("--count", type=int, default=5, metavar="N")
    found.add_argument("--json", action="store_true", help=tr("one JSON object per line"))
    gone = words.add_parser(
        "forget",
        parents=[common],
        help=tr("delete these permanently, also from their conversations"),
    )
    gone.add_argument("id", nargs="+")
    for word, about in (
        ("export", tr("export all memories to a file")),
        ("import", tr("import exported memories")),
    ):
        words.add_parser(word, parents=[common], help=about).add_argument("file", type=Path)
    cleared = words.add_parser("clear", parents=[common], help=tr("delete all memories"))
    cleared.add_argument("--yes", action="store_true", required=True)
    served = words.add_parser(
        "serve", parents=[common], help=tr("communicate with another program in JSON lines")
    )
    served.add_argument(
        "--meaning",
        action="store_true",
        help=tr("also search by meaning, with vectors made on this computer"),
    )
    return parser


async def _serve(path: Path, meaning: bool) -> int:
    """Serve the memory on standard input and output. Raises StoreError."""
    if not meaning:
        return await serve(path, sys.stdin.buffer)
    embedder = LocalEmbedder()
    try:
        return await serve(path, sys.stdin.buffer, embedder)
    finally:
        await embedder.aclose()


async def _with_memory(home: Path, work: Work, first: FirstSearch | None) -> int:
    """Run `work` with the memory after indexing the latest messages; show the results of `first`
    while that takes long. Raises StoreError.
    """
    store = await SqliteStore.open(home / STORE_FILE, required=True)
    try:
        memory = await MemoryStore.open(home / MEMORY_FILE, required=True)
        try:
            for fault in (store.fault, memory.fault):
                if fault is not None:
                    print(format_error(fault), file=sys.stderr)
            await catch_up(MemoryIndexer(memory, store), memory, first)
            code = await work(memory, store)
            await send_changes(home, store, memory)
            return code
        finally:
            await memory.aclose()
    finally:
        await store.aclose()


class CatchUp(Protocol):
    async def catch_up(self, report: Callable[[int], object]) -> None: ...


async def catch_up(
    indexer: CatchUp,
    memory: MemoryStore,
    first: FirstSearch | None,
    *,
    pause: float = _FIRST_ANSWER,
) -> None:
    """Index new messages, the latest first; after the import of an archive of years, this takes a
    minute. When it is interrupted, the next call continues. `first`: see `_with_memory`; it is
    tried after each `pause` (s).
    """
    total = done = 0
    with ProgressLine() as line:

        def show(waiting: int) -> None:
            nonlocal total, done
            total = max(total, waiting)
            done = total - waiting
            if total > _MANY_MESSAGES:
                line.show(done, total)

        async def show_first(search: Search, print_found: Print) -> None:
            found: Sequence[FoundItem] = ()
            while not found:
                await asyncio.sleep(pause)
                # Before anything is indexed the search has nothing to look in.
                found = await search(memory) if done else ()
            line.clear()
            counts = {"done": str(done), "total": str(total)}
            print(tr("Found so far, in {done} of {total} messages:", **counts), file=sys.stderr)
            print_found(found, sys.stderr)
            print(tr("The other messages are being indexed…"), file=sys.stderr)

        early = spawn_task(show_first(*first), name="first answer") if first else None
        try:
            await indexer.catch_up(show)
        finally:
            if early is not None:
                early.cancel()


def _search_of(words: argparse.Namespace) -> FirstSearch:
    def print_found(found: Sequence[FoundItem], file: TextIO) -> None:
        print_results(
            map(_line, found), as_json=words.json, nothing=N_("No memory was found."), file=file
        )

    async def search(memory: MemoryStore) -> Sequence[FoundItem]:
        return await memory.search(words.text, datetime.now(), max(words.count, 1))

    return search, print_found


def _search(words: argparse.Namespace) -> Work:
    search, print_found = _search_of(words)

    async def work(memory: MemoryStore, _store: SqliteStore) -> int:
        print_found(await search(memory), sys.stdout)
        return 0

    return work


def _line(one: FoundItem) -> SearchResultLine:
    item = one.item
    fields = {
        "id": item.id,
        "time": item.time.isoformat(timespec="seconds"),
        "speaker": item.speaker,
    }
    head = f"{fields['time']}  {item.speaker}  {item.id}"
    return SearchResultLine(one.relevance, head, item.text, fields)


def _forget(words: argparse.Namespace) -> Work:
    index = data_folder(words.data_dir) / FIND_FILE
    is_indexed = index.exists()

    async def work(memory: MemoryStore, store: SqliteStore) -> int:
        gone = await forget_items(memory, store, words.id)
        if gone and is_indexed:
            await _delete_from_search(index, gone)
        print(tr("{count} were forgotten.", count=str(len(gone))))
        return 0 if gone else 1

    return work


async def _delete_from_search(path: Path, gone: Sequence[str]) -> None:
    """Delete the messages from the search index at once, not only at the app's next start."""
    find = await MessageSearch.open(path, required=True)
    try:
        await find.delete_messages(gone)
    finally:
        await find.aclose()


def _print_count(
    act: Callable[[MemoryStore, argparse.Namespace], Awaitable[int]], message: str
) -> Callable[[argparse.Namespace], Work]:
    """Return work that prints `message` with the number of items."""

    def prepare(words: argparse.Namespace) -> Work:
        async def work(memory: MemoryStore, store: SqliteStore) -> int:
            print(tr(message, count=str(await act(memory, words))))
            return 0

        return work

    return prepare


_WORK: dict[str, Callable[[argparse.Namespace], Work]] = {
    "search": _search,
    "forget": _forget,
    "export": _print_count(
        lambda memory, words: memory.export_file(words.file), N_("{count} were written.")
    ),
    "import": _print_count(
        lambda memory, words: memory.import_file(words.file), N_("{count} were taken in.")
    ),
    "clear": _print_count(lambda memory, _words: memory.clear(), N_("{count} were forgotten.")),
}
