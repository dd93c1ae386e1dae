"""The search index follows the conversations, and contains nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.core.text_search import SearchPattern, SearchQuery
from neodeskpet.memory.message_search import SEARCH_FILE, MessageSearch
from neodeskpet.memory.recall.memory_indexer import MessageIndexer
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.visible_messages import VisibleMessage

SECRET = "xyzzyplughword"
Scene = Callable[[SqliteStore, MessageSearch, MessageIndexer], Awaitable[None]]


def message(name: str, text: str, role: Role = Role.USER) -> Message:
    return Message(name, role, (Text(0, 0, text),), MessageState.DONE, 1e9)


def play(folder: Path | None, *scenes: Scene) -> None:
    async def run(scene: Scene) -> None:
        store = await SqliteStore.open(folder and folder / STORE_FILE)
        book = await MessageSearch.open(folder and folder / SEARCH_FILE)
        try:
            await scene(store, book, MessageIndexer(book, store, versions=True, batch=2))
        finally:
            await book.aclose()
            await store.aclose()

    for scene in scenes:
        asyncio.run(run(scene))


async def found(book: MessageSearch, words: str) -> list[str]:
    return [hit.message for hit in await book.search(SearchQuery.of(words))]


def holders(folder: Path, parts: Sequence[bytes]) -> list[str]:
    """The index and its copies that contain any of the parts."""
    found = sorted(folder.glob("find*"))
    assert found
    return [one.name for one in found if any(part in one.read_bytes() for part in parts)]


def test_other_versions_are_found_too_and_deleted_ones_are_not(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        assert follower.is_behind
        await follower.catch_up()
        assert not follower.is_behind
        here = await store.create_conversation()
        await store.add_message(here.id, message("q", "the kettle"))
        await store.add_version(here.id, message("q2", "the teapot"), beside="q")
        assert follower.is_behind
        await follower.catch_up_changes()
        assert await found(book, "kettle") == ["q"] and await found(book, "teapot") == ["q2"]
        assert await book.count_matches(here.id, SearchPattern(["the"])) == {"q": 1, "q2": 1}
        _, deletion = await store.delete_message(here.id, "q2", below=True)
        await follower.catch_up_changes()
        assert await found(book, "teapot") == []
        await store.restore_messages(here.id, deletion)
        await follower.catch_up_changes()
        assert await found(book, "teapot") == ["q2"]

    play(tmp_path, scene)


def test_nothing_is_left_of_deleted_messages(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("q", f"a {SECRET} 秘密在这里藏着呢"))
        await store.add_message(here.id, message("a", f"{SECRET} it is", Role.ASSISTANT))
        await follower.catch_up()
        copy = tmp_path / "find.damaged-20260101-000000.db"
        copy.write_bytes((tmp_path / SEARCH_FILE).read_bytes() + b"q" + SECRET.encode())
        await store.delete_conversation(here.id)
        await follower.catch_up_changes()
        assert await found(book, SECRET) == []
        parts = [SECRET.encode(), "秘密在这里".encode()]
        assert holders(tmp_path, parts) == []

    play(tmp_path, scene)


def test_entries_lost_with_a_damaged_file_are_indexed_again_while_it_runs(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("q", "kettle"))
        running = spawn_task(follower.run(), name="find")
        try:
            await has(book, "kettle")
            await book.delete_messages(["q"])  # as with an empty file
            assert await found(book, "kettle") == []
            follower.compare_all()
            await has(book, "kettle")
        finally:
            running.cancel()

    play(tmp_path, scene)


def test_a_damaged_file_is_reported_to_the_observers(tmp_path: Path) -> None:
    told: list[str] = []

    async def fill(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("q", "kettle " * 9000))
        await follower.catch_up()

    async def look(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        heard = asyncio.Event()

        def hear(fault: StoreError) -> None:
            told.append(fault.code)
            heard.set()

        book.subscribe_faults(hear)
        await asyncio.wait_for(heard.wait(), 20)  # it is checked after the start

    play(tmp_path, fill)
    file = tmp_path / SEARCH_FILE
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2 // 4096 * 4096)
        out.write(b"\xa5" * 4096)
    play(tmp_path, look)
    assert told == ["store_damaged"]


@pytest.mark.parametrize(
    ("count", "length", "sizes"), [(60, 9, [10, 20, 30]), (30, 400_000, [10, *[2] * 10])]
)
def test_long_messages_are_indexed_a_few_at_a_time(
    tmp_path: Path, count: int, length: int, sizes: list[int]
) -> None:
    taken: list[int] = []

    class Seen(MessageSearch):
        async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
            taken.append(len(found))

    async def scene(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        here = await store.create_conversation()
        for number in range(count):
            await store.add_message(here.id, message(str(number), "x" * length))
        await MessageIndexer(Seen(book._database), store).catch_up()

    play(tmp_path, scene)
    assert taken == sizes


async def has(book: MessageSearch, text: str) -> None:
    for _ in range(2_000):
        if await found(book, text):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(text)


def test_it_catches_up_after_a_crash(tmp_path: Path) -> None:
    async def unseen(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        here = await store.create_conversation()
        await follower.catch_up()
        await store.add_message(here.id, message("lost", "kettle"))
        await follower.catch_up_changes()
        await store.add_message(here.id, message("new", "kettle"))

    async def caught_up(store: SqliteStore, book: MessageSearch, follower: MessageIndexer) -> None:
        await follower.catch_up()
        assert sorted(await found(book, "kettle")) == ["lost", "new"]

    play(tmp_path, unseen, caught_up)
