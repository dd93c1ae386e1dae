"""The behaviour of a store of conversations, on SQLite alone and with PostgreSQL: the same tests
run on both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageHead,
    MessageState,
    Role,
    Text,
    Usage,
)
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnEnded
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.computers import Computer
from tests.support.pictures import picture
from tests.support.postgres import postgres
from tests.unit.memory import strategies

later = [0.0]


def clock() -> float:
    return time.time() + later[0]


class Alone:
    """SQLite without a server."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store

    @classmethod
    async def open(cls) -> Alone:
        return cls(await SqliteStore.open(None, clock=clock))

    async def reading(self) -> SqliteStore:
        return self.store

    async def close(self) -> None:
        await self.store.aclose()


class Shared:
    """With PostgreSQL."""

    def __init__(self, one: Computer, other: Computer) -> None:
        self.store = one.store
        self._computers = (one, other)

    @classmethod
    async def open(cls) -> Shared:
        address = postgres().new_database()
        one = await Computer.open(address, "desk", clock=clock)
        return cls(one, await Computer.open(address, "laptop", clock=clock))

    async def reading(self) -> SqliteStore:
        for computer in self._computers:
            await computer.step()
        return self._computers[1].store

    async def close(self) -> None:
        for computer in self._computers:
            await computer.close()


Place = Alone | Shared
Scene = Callable[[Place], Awaitable[None]]


@pytest.fixture(params=[Alone, Shared], ids=["sqlite", "postgres"])
def play(request: pytest.FixtureRequest) -> Iterator[Callable[[Scene], None]]:
    async def whole(scene: Scene) -> None:
        place: Place = await request.param.open()
        try:
            await scene(place)
        finally:
            await place.close()

    yield lambda scene: asyncio.run(whole(scene))


Play = Callable[[Scene], None]


def said(name: str, *blocks: Block, role: Role = Role.USER, at: float = 1.0) -> Message:
    return Message(name, role, blocks or (Text(0, 0, name),), MessageState.DONE, at)


async def talk(store: SqliteStore, *names: str) -> str:
    made = await store.create_conversation("t")
    for number, name in enumerate(names):
        await store.add_message(made.id, said(name, at=float(number)))
    return made.id


def ids(heads: Sequence[MessageHead]) -> list[str]:
    return [head.id for head in heads]


def test_conversations_are_listed_unchanged(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        old, new = [await store.create_conversation(name) for name in ("早 \ud83d", "b\0")]
        await store.rename_conversation(old.id, "Morning \ud83d")
        await store.pin_conversation(old.id, True)
        await store.set_folder([new.id], "Work")
        await store.archive_conversations([new.id], True)
        found = await (await place.reading()).conversations()
        assert found == [
            replace(old, title="Morning \ud83d", pinned=True),
            replace(new, folder="Work", archived=True),
        ]

    play(scene)


def test_a_reply_is_read_back_unchanged(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = await talk(store, "a")
        running = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 2.0)
        await store.add_message(home, running)
        journal = store.journal("r")
        journal.on_turn_event("r", BlockStarted(Text(0, 0, "Hel")))
        for piece in ("lo ", "\ud83d", "\ude00", "\0"):
            journal.on_turn_event("r", TextAppended(0, piece))
        journal.on_turn_event("r", TurnEnded(MessageState.DONE, 3.0))
        await store.flush()
        (_, reply) = await (await place.reading()).history(home)
        assert (reply.text, reply.state, reply.ended) == ("Hello \ud83d\ude00\0", "done", 3.0)

    play(scene)


def test_versions_are_kept_and_shown(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = await talk(store, "a", "b", "c")
        await store.add_version(home, said("B", at=9), beside="b")
        reading = await place.reading()
        assert ids(await reading.heads(home)) == ["a", "B"]
        assert [m.id for m in await reading.history(home, until="c")] == ["a", "b", "c"]
        await store.step_version(home, "B", -1)
        assert ids(await (await place.reading()).heads(home)) == ["a", "b", "c"]
        await store.show_message(home, "B")
        assert ids(await (await place.reading()).heads(home)) == ["a", "B"]

    play(scene)


@pytest.mark.parametrize("below", [False, True])
def test_deleted_messages_are_gone_and_later_ones_move_up(play: Play, below: bool) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = await talk(store, "a", "b", "c")
        await place.reading()
        await store.delete_message(home, "b", below=below)
        await store.add_message(home, said("d", at=9))
        await store.delete_message(home, "d", below=True)
        await store.restore_messages(home, (await store.delete_message(home, "a", below=False))[1])
        later[0] += 1000
        await store.purge_deleted()
        left = ["a"] if below else ["a", "c"]
        assert ids(await (await place.reading()).heads(home)) == left

    play(scene)


def test_deleted_messages_are_gone_with_their_answers(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = await talk(store, "a")
        await store.add_message(home, said("r", role=Role.ASSISTANT))
        await store.add_message(home, said("b"))
        await place.reading()
        assert await store.delete_messages(["a"]) == ["a", "r"]
        reading = await place.reading()
        assert ids(await reading.heads(home)) == ["b"]
        assert await reading.messages(["a", "r"]) == []

    play(scene)


def test_a_deleted_conversation_is_gone(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = await talk(store, "a")
        await place.reading()
        await store.delete_conversation(home)
        reading = await place.reading()
        assert await reading.conversations() == []
        assert await reading.messages(["a"]) == []

    play(scene)


def test_pictures_are_stored_and_deleted_with_the_last_message_that_shows_them(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        home = (await store.create_conversation()).id
        shown = picture(name="p")
        block = Image(0, 0, shown.digest, shown.media_type, shown.name)
        await store.add_message(home, said("a", block), [shown])
        assert await (await place.reading()).picture(shown.digest) == shown.data
        await store.delete_messages(["a"])
        assert await (await place.reading()).picture(shown.digest) is None

    play(scene)


def test_a_copy_of_a_conversation_is_independent(play: Play) -> None:
    async def scene(place: Place) -> None:
        store = place.store
        await talk(store, "a", "b", "c")
        copy = await store.copy_conversation("b", "copy")
        await store.add_message(copy.id, said("d", at=9))
        history = await (await place.reading()).history(copy.id)
        assert [m.text for m in history] == ["a", "b", "d"]

    play(scene)


async def same(message: Message) -> None:
    for kind in (Alone, Shared):
        place: Place = await kind.open()  # type: ignore[attr-defined]
        try:
            home = (await place.store.create_conversation()).id
            await place.store.add_message(home, message)
            assert await (await place.reading()).messages([message.id]) == [message]
        finally:
            await place.close()


@settings(max_examples=15)
@given(
    st.integers(0, 4).flatmap(
        lambda count: st.tuples(*(strategies.blocks(index) for index in range(count)))
    ),
    st.none() | st.builds(Usage, *[st.integers(0, 10**9)] * 4),
)
def test_any_message_is_read_back_exactly(blocks: tuple[Block, ...], usage: Usage | None) -> None:
    message = replace(said("m", role=Role.ASSISTANT), blocks=blocks, usage=usage, ended=2.5)
    asyncio.run(same(message))


def test_nothing_that_was_deleted_is_on_the_server() -> None:
    async def scene() -> str:
        place = await Shared.open()
        home = (await place.store.create_conversation()).id
        await place.store.add_message(home, said("a", Text(0, 0, "schabernack"), at=1))
        await place.store.add_message(home, said("b", at=2))
        await place.reading()
        await place.store.delete_messages(["a"])
        await place.reading()
        address = place._computers[0].address
        rows = postgres().query(address, "SELECT value FROM neodeskpet.records")
        assert "schabernack" not in repr(rows)
        await place.store.rename_conversation(home, "wolpertinger")
        await place.reading()
        assert "wolpertinger" in repr(
            postgres().query(address, "SELECT value FROM neodeskpet.records")
        )
        await place.store.delete_conversation(home)
        await place.reading()
        rows = postgres().query(address, "SELECT value FROM neodeskpet.records")
        assert "wolpertinger" not in repr(rows)
        left = postgres().query(address, "SELECT kind FROM neodeskpet.records WHERE NOT gone")
        await place.close()
        return repr(left)

    assert "message" not in asyncio.run(scene())
