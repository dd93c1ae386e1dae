"""Pins and corrections are synced, and deleted with what the user deletes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.memory.recall.memory_indexer import MemoryIndexer, forget_items
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.recall.recall_types import MemoryItem
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.server_connection import ServerConnection
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from tests.support.computers import OwnServer
from tests.support.fake_sync_server import FakeSyncServer
from tests.support.postgres import PASSWORD, postgres

SAID = {"m0": "the kettle is red", "m1": "the train leaves at nine", "m2": "my sister sings"}
NOW = datetime(2026, 1, 4, 9)


class Computer:
    """Conversations and memory of a computer, and its connection to the server."""

    def __init__(
        self, store: SqliteStore, book: MemoryStore, server: Callable[[], ServerConnection]
    ) -> None:
        self.store = store
        self.book = book
        self.days = 0
        self.keeper = MemoryIndexer(book, store, days=lambda: self.days, now=lambda: NOW)
        self.side = MemoryReplica(book.facts.file, book.apply_remote_changes)
        self.link = ConnectionThread(server)
        self.exchange = SyncEngine([ConversationReplica(store), self.side], self.link, "", "d")

    @classmethod
    async def open(
        cls, server: Callable[[], ServerConnection], home: Path | None = None
    ) -> Computer:
        store = await SqliteStore.open(home and home / CONVERSATIONS_FILE)
        book = await MemoryStore.open(home and home / MEMORY_FILE)
        computer = cls(store, book, server)
        await ConversationReplica(store).start()
        await computer.side.start()
        return computer

    async def step(self) -> None:
        await self.exchange.sync()
        await self.keeper.catch_up_changes()

    async def add(self, conversation: str, name: str, text: str, days: int = 0) -> None:
        at = (NOW - timedelta(days=days)).timestamp()
        said = Message(name, Role.USER, (Text(0, 0, text),), MessageState.DONE, at, at)
        await self.store.add_message(conversation, said)
        await self.keeper.catch_up_changes()

    async def items(self) -> dict[str, MemoryItem]:
        return {one.id: one for one in await self.book.get([*SAID])}

    async def close(self) -> None:
        self.link.close()
        await self.book.aclose()
        await self.store.aclose()


async def meet(*computers: Computer) -> None:
    """Until all have received everything."""
    for _ in range(3):
        for one in computers:
            await one.step()


async def begin(*computers: Computer) -> str:
    """The same messages on all of them; return their conversation."""
    made = await computers[0].store.create_conversation("t")
    for name, text in SAID.items():
        await computers[0].add(made.id, name, text)
    await meet(*computers)
    return made.id


Act = tuple[str, int, str]
acts = st.lists(
    st.tuples(
        st.sampled_from(
            ("pin", "pin", "unpin", "correct", "correct again", "take back", "forget", "meet")
        ),
        st.integers(0, 1),
        st.sampled_from([*SAID]),
    ),
    min_size=2,
    max_size=16,
)


async def act(computer: Computer, deed: str, item: str) -> None:
    book = computer.book
    match deed:
        case "meet":
            await computer.step()
        case "pin" | "unpin":
            await book.set_pinned(item, deed == "pin")
        case "correct" | "correct again":
            await book.correct(item, f"{deed} {item}")
        case "take back":
            await book.correct(item, SAID[item])
        case "forget":
            await forget_items(book, computer.store, [item])
            await computer.keeper.catch_up_changes()


async def live(script: Sequence[Act], server: Callable[[], ServerConnection]) -> None:
    """Two computers act offline and online in any order: the last action on each item holds on
    both, and deleted items are nowhere.
    """
    pair = [await Computer.open(server) for _ in range(2)]
    try:
        await begin(*pair)
        forgotten = set()
        stands = {item: (False, text) for item, text in SAID.items()}
        for deed, who, item in script:
            before = await pair[who].items()
            await act(pair[who], deed, item)
            forgotten |= {item} if deed == "forget" else set()
            after = await pair[who].items()
            # It is a user's action.
            if deed != "meet" and item in after and before[item] != after[item]:
                pinned, text = stands[item]
                if deed in ("pin", "unpin"):
                    stands[item] = after[item].pinned, text
                else:
                    stands[item] = pinned, after[item].text
        await meet(*pair)
        desk, laptop = pair
        items = await desk.items()
        assert await laptop.items() == items
        assert {one: (item.pinned, item.text) for one, item in items.items()} == {
            one: stands[one] for one in SAID if one not in forgotten
        }
        for one in pair:
            assert (await one.exchange.compare()).is_equal
            assert not await one.side.count_pending()
    finally:
        for one in pair:
            await one.close()


@settings(max_examples=25)
@given(acts)
def test_the_last_action_holds_and_deletion_wins_over_all(script: list[Act]) -> None:
    fake = FakeSyncServer()
    asyncio.run(live(script, lambda: fake))  # type: ignore[arg-type, return-value]


def play(scene: Callable[[Computer, Computer, str], Awaitable[None]], *homes: Path) -> None:
    async def whole() -> None:
        address = postgres().new_database()
        pair = [
            await Computer.open(lambda: OwnServer(address, PASSWORD), home)
            for home in homes or (None, None)
        ]
        try:
            await scene(*pair, address)
        finally:
            for computer in pair:
                await computer.close()

    asyncio.run(whole())


@pytest.mark.parametrize(
    "script",
    [
        [("pin", 0, "m0"), ("correct", 1, "m0"), ("unpin", 1, "m1"), ("correct", 0, "m1")],
        [("correct", 1, "m0"), ("forget", 0, "m0"), ("pin", 1, "m0"), ("meet", 1, "m0")],
        [("correct", 1, "m0"), ("meet", 1, "m0"), ("forget", 0, "m0"), ("pin", 1, "m1")],
        [("correct", 0, "m0"), ("meet", 0, "m0"), ("meet", 1, "m0"), ("take back", 1, "m0")],
    ],
)
def test_the_same_with_a_real_server(script: list[Act]) -> None:
    address = postgres().new_database()
    asyncio.run(live(script, lambda: OwnServer(address, PASSWORD)))
    rows = postgres().query(
        address,
        "SELECT id, gone, value FROM neodeskpet.records WHERE kind IN ('pin', 'correction')",
    )
    forgotten = {item for deed, _, item in script if deed == "forget"}
    assert all(gone and value == b"" for one, gone, value in rows if one in forgotten)


def test_a_word_of_a_correction_is_nowhere_once_it_is_deleted(tmp_path: Path) -> None:
    secret = "xyzzyplughword"
    homes = [tmp_path / "desk", tmp_path / "laptop"]
    for home in homes:
        home.mkdir()

    def holders() -> list[Path]:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return [path for path in files if secret.encode() in path.read_bytes()]

    async def scene(desk: Computer, laptop: Computer, address: str) -> None:
        conversation = await begin(desk, laptop)
        await laptop.book.correct("m0", f"the word is {secret}")
        await laptop.book.correct("m1", f"the word is {secret}")
        await meet(laptop, desk)
        assert {path.parent for path in holders()} == {*homes}
        assert [one.item.id for one in await desk.book.search(secret, NOW)]
        await desk.book.correct("m0", "the kettle is green")  # other words
        await desk.book.correct("m1", SAID["m1"])  # and its own again
        await meet(desk, laptop)
        assert holders() == []
        await laptop.book.correct("m2", f"the word is {secret}")
        await meet(laptop, desk)
        await desk.store.delete_conversation(conversation)
        await meet(desk, laptop)
        assert holders() == []
        query = "SELECT DISTINCT gone, value FROM neodeskpet.records WHERE kind = 'correction'"
        assert postgres().query(address, query) == [(True, b"")]

    play(scene, *homes)


def test_pinned_items_are_kept_on_each_computer() -> None:
    async def scene(desk: Computer, laptop: Computer, address: str) -> None:
        laptop.days = 30
        made = await desk.store.create_conversation("t")
        await desk.add(made.id, "m0", "the kettle is red", days=100)
        await desk.add(made.id, "m1", "the kettle is loud", days=100)
        await meet(desk, laptop)
        assert await laptop.items() == {}  # older than the limit there
        await desk.book.set_pinned("m0", True)
        await meet(desk, laptop)
        assert [one.pinned for one in (await laptop.items()).values()] == [True]
        assert [one.item.id for one in await laptop.book.search("kettle", NOW)] == ["m0"]
        await laptop.keeper.delete_expired()
        fresh = await Computer.open(laptop.link._connect)
        fresh.days = 30
        await fresh.step()
        assert await fresh.items() == await laptop.items() != {}
        await fresh.close()

    play(scene)


def test_a_pin_waits_for_another_version_and_is_deleted_with_its_message() -> None:
    async def scene(desk: Computer, laptop: Computer, address: str) -> None:
        conversation = await begin(desk, laptop)
        await desk.book.set_pinned("m2", True)
        other = Message("m3", Role.USER, (Text(0, 0, "hm"),), MessageState.DONE, 3.0, 3.0)
        await desk.store.add_version(conversation, other, beside="m2")
        await meet(desk, laptop)
        assert "m2" not in await laptop.items()
        await laptop.store.show_message(conversation, "m2")
        await meet(laptop, desk)
        for one in (desk, laptop):
            assert (await one.items())["m2"].pinned
        await desk.store.delete_message(conversation, "m2", below=False)
        await desk.keeper.catch_up_changes()
        assert await desk.book.edited_items(["m2"]) == set()

    play(scene)


def test_an_older_program_ignores_it_and_a_newer_one_fetches_it_then(tmp_path: Path) -> None:
    """The version before this one has no table for it, and asks the server for other kinds."""
    other = tmp_path / "desk"
    other.mkdir()

    async def scene(desk: Computer, laptop: Computer, address: str) -> None:
        await begin(desk, laptop)
        await laptop.book.set_pinned("m1", True)
        await laptop.close()
        with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as file:
            for (trigger,) in file.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'by_hand'"
            ).fetchall():
                file.execute(f"DROP TRIGGER {trigger}")
            file.execute("DROP TABLE by_hand")
            file.execute("ALTER TABLE items DROP COLUMN synced")
            newer_steps = "('005-by-hand', '011-synced-corrections')"
            file.execute(f"DELETE FROM migrations WHERE name IN {newer_steps}")
            file.execute("DELETE FROM shared_known WHERE kind IN ('pin', 'correction')")
            file.commit()
        await desk.book.correct("m0", "the kettle is blue")
        await desk.step()
        old = ServerConnection(address, PASSWORD)
        kinds = ("fact", "read")
        assert {one.kind for one in old.pull(0, 200, kinds).records} <= {*kinds}
        with closing(sqlite3.connect(tmp_path / MEMORY_FILE)) as file:  # it has read on
            file.execute("UPDATE shared_self SET cursor = ?", (old.last_number(),))
            file.commit()
        old.close()
        newer = await Computer.open(lambda: OwnServer(address, PASSWORD), tmp_path)
        await meet(newer, desk)
        for one in (newer, desk):
            found = await one.items()
            assert found["m0"].text == "the kettle is blue" and found["m1"].pinned
        await newer.close()

    play(scene, other, tmp_path)
