"""The memory follows the conversations, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.errors import StoreError
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnEnded, TurnStarted
from neodeskpet.memory.recall.memory_indexer import (
    MemoryIndexer,
    MessageIndexer,
    SeenDays,
    items_from_message,
)
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.visible_messages import LastWrite, VisibleMessage

NOW = datetime(2026, 1, 4, 9)
SECRET = "xyzzyplughword"


def message(
    name: str, text: str, role: Role = Role.USER, state: MessageState = MessageState.DONE
) -> Message:
    blocks = (Text(0, 0, text),) if text else ()
    return Message(name, role, blocks, state, NOW.timestamp())


def holders(folder: Path) -> list[str]:
    """The files that contain the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if SECRET.encode() in path.read_bytes()]


def lay_copies(folder: Path) -> None:
    """The copies that migrations and repairs leave beside the files."""
    for name in (CONVERSATIONS_FILE, MEMORY_FILE):
        content, stem = (folder / name).read_bytes(), name.removesuffix(".db")
        (folder / f"{stem}.before-005-later.db").write_bytes(content)
        (folder / f"{stem}.damaged-20260101-000000.db").write_bytes(b"torn" + content)


Scene = Callable[[SqliteStore, MemoryStore, MemoryIndexer], Awaitable[None]]


def play(folder: Path | None, *scenes: Scene, days: int = 0) -> None:
    async def run(scene: Scene) -> None:
        store = await SqliteStore.open(folder and folder / CONVERSATIONS_FILE)
        book = await MemoryStore.open(folder and folder / MEMORY_FILE)
        keeper = MemoryIndexer(book, store, days=lambda: days, now=lambda: NOW + timedelta(days=1))
        try:
            await scene(store, book, keeper)
        finally:
            await book.aclose()
            await store.aclose()

    for scene in scenes:
        asyncio.run(run(scene))


async def found(book: MemoryStore, text: str) -> list[str]:
    return [one.item.id for one in await book.search(text, NOW)]


def test_a_finished_message_is_remembered() -> None:
    async def scene(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("q", "Where is the kettle?"))
        running = message("a", "", Role.ASSISTANT, MessageState.RUNNING)
        await store.add_message(here.id, running)
        journal = store.journal("a")
        journal.on_turn_event("a", TurnStarted(False, 1.0))
        journal.on_turn_event("a", BlockStarted(Text(0, 0, "On the ")))
        await store.flush()
        await keeper.catch_up_changes()
        assert await found(book, "kettle") == ["q"] and await found(book, "stove") == []
        journal.on_turn_event("a", TextAppended(0, "stove."))
        journal.on_turn_event("a", TurnEnded(MessageState.DONE, 2.0))
        await store.flush()
        await asyncio.sleep(0)
        await keeper.catch_up_changes()
        assert (await found(book, "stove"))[0] == "a"
        other = message("b", "In the cellar.", Role.ASSISTANT)
        await store.add_version(here.id, other, beside="a")
        await keeper.catch_up_changes()
        assert "a" not in await found(book, "stove") and "b" in await found(book, "cellar")
        await store.step_version(here.id, "b", -1)
        await keeper.catch_up_changes()
        assert "a" in await found(book, "stove") and "b" not in await found(book, "cellar")
        _, deletion = await store.delete_message(here.id, "q", below=True)
        await keeper.catch_up_changes()
        assert await book.size() == 0
        await store.restore_messages(here.id, deletion)
        await keeper.catch_up_changes()
        assert (await found(book, "kettle"))[0] == "q"

    play(None, scene)


def test_it_catches_up_after_a_crash(tmp_path: Path) -> None:
    async def unseen(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        for at in range(250):
            here = await store.create_conversation() if at % 100 == 0 else here  # noqa: F821
            await store.add_message(here.id, message(f"m{at}", f"kettle {at}"))

    async def caught_up(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        await book.add(items_from_message(message("gone", "an old kettle"), "c", NOW))
        await book.update_messages({"gone": ([], 0.0)})
        await keeper.catch_up()
        assert await book.size() == 250 and len(await book.last_written()) == 250
        assert await found(book, "kettle 217") != []
        seen = await book.last_written()
        await keeper.catch_up()
        assert await book.last_written() == seen

    play(tmp_path, unseen, caught_up)


def test_run_follows_until_it_is_cancelled() -> None:
    async def scene(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("before", "kettle"))
        running = asyncio.get_running_loop().create_task(keeper.run())
        try:
            await store.add_message(here.id, message("after", "teapot"))
            async with asyncio.timeout(20):
                while len(await book.last_written()) < 2:  # noqa: ASYNC110 - nothing reports it
                    await asyncio.sleep(0.01)
            assert await found(book, "kettle") and await found(book, "teapot")
        finally:
            running.cancel()

    play(None, scene)


def test_a_deleted_conversation_is_in_no_byte(tmp_path: Path) -> None:
    async def told(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation(f"about {SECRET}")
        await store.add_message(here.id, message("q-5a1e0c", f"The word is {SECRET}"))
        await store.set_state(f"draft:{here.id}", SECRET)
        await keeper.catch_up()
        assert await found(book, SECRET) == ["q-5a1e0c"]

    async def deleted(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        lay_copies(tmp_path)
        assert len(holders(tmp_path)) > 4
        (here,) = await store.conversations()
        other = await store.create_conversation()
        await store.add_message(other.id, message("o", "another matter"))
        await store.delete_conversation(here.id)
        await keeper.catch_up_changes()
        assert holders(tmp_path) == []
        assert (tmp_path / "neodeskpet.before-005-later.db").exists()
        assert not (tmp_path / "neodeskpet.damaged-20260101-000000.db").exists()
        assert await found(book, "another matter") == ["o"]

    play(tmp_path, told, deleted)


def test_a_cancelled_deletion_is_completed_by_the_next_one(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation()
        await store.add_message(here.id, message("q-5a1e0c", f"The word is {SECRET}"))
        await keeper.catch_up()
        lay_copies(tmp_path)
        await store.delete_conversation(here.id)
        first = spawn_task(book.delete_messages(["q-5a1e0c"]), name="test")
        await asyncio.sleep(0)
        assert await book.size() == 0
        first.cancel()
        await asyncio.wait([first])
        await book.delete_messages(["q-5a1e0c"])
        assert holders(tmp_path) == []

    play(tmp_path, scene)


def test_a_deleted_message_is_removed_with_its_answer(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation(f"The word is {SECRET}")
        for name, text, role in (
            ("q", f"The word is {SECRET}", Role.USER),
            ("a", f"Noted: {SECRET}", Role.ASSISTANT),
            ("q2", "Good night", Role.USER),
            ("a2", "Sleep well", Role.ASSISTANT),
        ):
            await store.add_message(here.id, message(name, text, role))
        copied = await store.copy_conversation("a", "copy")
        await keeper.catch_up()
        assert await book.size() == 6
        gone = await store.delete_messages(["q", "nobody"])
        assert len(gone) == 4 and {"q", "a"} < set(gone)
        assert await store.heads(copied.id) == []
        await book.delete(gone)
        await keeper.catch_up_changes()
        assert [one.id for one in await store.heads(here.id)] == ["q2", "a2"]
        assert {one.title for one in await store.conversations()} == {""}
        assert holders(tmp_path) == []
        assert await store.delete_messages(["a2"]) == ["a2"]
        assert await store.delete_messages(["nobody"]) == []

    play(tmp_path, scene)


def test_items_older_than_the_limit_are_neither_kept_nor_added(tmp_path: Path) -> None:
    async def scene(store: SqliteStore, book: MemoryStore, keeper: MemoryIndexer) -> None:
        here = await store.create_conversation()
        old = Message("old", Role.USER, (Text(0, 0, "kettle"),), MessageState.DONE, 1e9)
        await store.add_message(here.id, old)
        await store.add_message(here.id, message("new", "kettle"))
        await book.add(items_from_message(old, here.id, datetime.fromtimestamp(1e9)))
        await keeper.catch_up()
        assert await found(book, "kettle") == ["new"]

    play(tmp_path, scene, days=30)


def test_of_tools_their_results_are_remembered() -> None:
    long = "The museum opens at nine. " * 3
    calls = tuple(
        ToolUse(at, 0, "c", name, status=status, output=output)
        for at, (name, status, output) in enumerate(
            [
                ("web.fetch", ToolStatus.SUCCESS, f"[TOOL_REQUEST] {long}"),
                ("web.fetch", ToolStatus.ERROR, long),
                ("time.now", ToolStatus.SUCCESS, long),
                ("web.search", ToolStatus.SUCCESS, "ok"),
            ]
        )
    )
    reply = Message("a", Role.ASSISTANT, calls, MessageState.DONE, 1.0)
    (kept,) = items_from_message(reply, "c", NOW)
    assert (kept.id, kept.speaker, kept.message) == ("a/0", "web.fetch", "a")
    assert kept.text.startswith("[·TOOL_REQUEST]")
    assert items_from_message(message("q", "?!"), "c", NOW) == []
    assert len(items_from_message(message("q", "🦊"), "c", NOW)) == 1


def test_a_wrong_clock_deletes_nothing_and_deletions_are_announced(tmp_path: Path) -> None:
    """A start in 2028 with "remember for a year"; then two starts with the right clock."""
    future = NOW + timedelta(days=800)

    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / CONVERSATIONS_FILE)
        book = await MemoryStore.open(tmp_path / MEMORY_FILE)
        here = await store.create_conversation()
        for number in range(30):
            await store.add_message(here.id, message(f"m{number}", f"kettle {number}"))
        for now, said, left in (
            (NOW + timedelta(days=1), 0, 30),
            (NOW + timedelta(days=2), 0, 30),
            (future, 30, 30),
            (NOW + timedelta(days=3), 0, 30),
            (future, 30, 30),
            (future + timedelta(days=1), 0, 0),
        ):
            announced: list[int] = []
            keeper = MemoryIndexer(
                book,
                store,
                days=lambda: 365,
                now=lambda now=now: now,
                confirmed=SeenDays(store).confirmed_moment,
                announce_expiry=lambda count, _days, heard=announced: heard.append(count),
            )
            await keeper.catch_up()
            assert (sum(announced), await book.size()) == (said, left), now
        await book.aclose()
        await store.aclose()

    asyncio.run(scene())


class ManyMessages:
    """A store with so many messages."""

    def __init__(self, count: int) -> None:
        self.known = {f"m{number}": float(number) for number in range(count)}

    async def visible_messages(
        self, ids: Sequence[str], *, versions: bool = False
    ) -> list[VisibleMessage]:
        return [VisibleMessage(message(one, "kettle"), "c", self.known[one]) for one in ids]

    async def last_written(
        self, *, after: int = 0, most: int = 1_000, versions: bool = False
    ) -> list[LastWrite]:
        rows = [LastWrite(at, *one) for at, one in enumerate(self.known.items(), 1)]
        return rows[after : after + most]

    def subscribe(self, observer: Callable[[Sequence[str]], object]) -> Callable[[], None]:
        return lambda: None


class CountingIndex:
    """Counts what it indexes, and fails after `most` messages."""

    def __init__(self, most: int = 1 << 30) -> None:
        self.seen: dict[str, float] = {}
        self.batches: list[int] = []
        self.bulk = ""
        self.most = most

    async def last_written(self, ids: Sequence[str] | None = None) -> dict[str, float]:
        return {
            one: self.seen[one] for one in (self.seen if ids is None else ids) if one in self.seen
        }

    async def count_indexed(self) -> int:
        return len(self.seen)

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        if len(self.seen) >= self.most:
            raise StoreError
        self.batches.append(len(found))
        self.seen |= {one.message.id: one.last_written for one in found}

    async def delete_messages(self, ids: Sequence[str]) -> None:
        raise AssertionError(ids)

    @asynccontextmanager
    async def bulk_update(self) -> AsyncIterator[None]:
        self.bulk += "("
        try:
            yield
        finally:
            self.bulk += ")"


def test_many_messages_are_indexed_in_bulk_and_the_work_is_resumed() -> None:
    async def scene() -> None:
        index = CountingIndex(most=4_000)
        told: list[tuple[int, int]] = []
        indexer = MessageIndexer(index, ManyMessages(12_000))

        def report(waiting: int) -> None:
            assert indexer.progress is not None
            told.append(indexer.progress)
            assert told[-1][1] - told[-1][0] == waiting

        with pytest.raises(StoreError):
            await indexer.catch_up(report)
        assert index.bulk == "()" and max(index.batches) == 1_000
        assert "m11999" in index.seen and "m0" not in index.seen, "the latest come first"
        done = len(index.seen)

        index.most, index.batches = 1 << 30, []
        await MessageIndexer(index, ManyMessages(12_000)).catch_up()
        assert sum(index.batches) == 12_000 - done, "what was done is not repeated"
        assert told[0] == (0, 12_000) and told[-1][0] >= done

    asyncio.run(scene())


class HangingIndex(CountingIndex):
    """Never ends its first work."""

    def __init__(self) -> None:
        super().__init__()
        self.working = asyncio.Event()

    async def update_messages(self, found: Sequence[VisibleMessage]) -> None:
        if not self.working.is_set():
            self.working.set()
            await asyncio.Event().wait()
        await super().update_messages(found)


def test_what_a_cancelled_call_indexed_waits_again() -> None:
    """Closing the app cancels the indexer and lets it catch up once more."""

    async def scene() -> None:
        index = HangingIndex()
        indexer = MessageIndexer(index, ManyMessages(3))
        indexer.mark_changed(["m1", "m2"])
        first = spawn_task(indexer.catch_up_changes(), name="test")
        await index.working.wait()
        first.cancel()
        await asyncio.wait([first])
        await indexer.catch_up_changes()
        assert set(index.seen) == {"m1", "m2"}

    asyncio.run(scene())


def test_a_few_messages_are_not_indexed_in_bulk() -> None:
    async def scene() -> None:
        index = CountingIndex()
        indexer = MessageIndexer(index, ManyMessages(300))
        assert indexer.progress == (0, 0)
        await indexer.catch_up()
        assert index.bulk == "" and sum(index.batches) == 300 and indexer.progress is None

    asyncio.run(scene())
