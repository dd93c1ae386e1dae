"""Several computers, offline and online in any order: in the end all are equal, and only deleted
data is missing.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import Deletion, Message, MessageState, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.sync.local_replica import ConversationReplica
from tests.support.computers import Computer, meet
from tests.support.postgres import postgres

Step = tuple[str, int, int, int]
ACTS = (
    "add",
    "add",
    "add",
    "version",
    "show",
    "delete",
    "delete below",
    "restore",
    "forget",
    "begin",
    "rename",
    "pin",
    "file",
    "archive",
    "drop",
    "discard",
    "bring back",
    "late",
    "meet",
    "meet",
    "meet",
)
steps = st.lists(
    st.tuples(st.sampled_from(ACTS), st.integers(0, 2), st.integers(0, 30), st.integers(0, 3)),
    min_size=3,
    max_size=40,
)


@cache
def house() -> str:
    return postgres().new_database()


def empty(address: str) -> None:
    if postgres().query(address, "SELECT to_regclass('neodeskpet.records')") != [(None,)]:
        postgres().query(address, "DROP SCHEMA neodeskpet CASCADE")


class Life:
    """The actions, and what is known about them."""

    def __init__(self, computers: Sequence[Computer]) -> None:
        self.computers = computers
        self.names = itertools.count()
        self.added: dict[str, str] = {}
        self.conversations: list[str] = []
        self.lost: set[str] = set()
        self.forgotten: set[str] = set()
        self.dropped: set[str] = set()
        self.deletions: dict[int, tuple[str, Deletion]] = {}
        self.time = 1000.0

    def clock(self) -> float:
        self.time += 1
        return self.time

    async def do(self, act: str, who: int, what: int, how: int) -> None:
        computer = self.computers[who]
        store = computer.store
        if act == "meet":
            await computer.step()
            return
        if act == "late":
            self.time += 1000
            await store.purge_deleted()
            return
        if act == "begin" or not self.conversations:
            self.conversations.append((await store.create_conversation("t")).id)
            return
        conversation = self.conversations[what % len(self.conversations)]
        if conversation not in {info.id for info in await store.conversations()}:
            if act == "bring back":
                await store.restore_conversations([conversation])
            return
        await self.change(act, who, conversation, what, how)

    async def change(self, act: str, who: int, conversation: str, what: int, how: int) -> None:
        store = self.computers[who].store
        nodes = [node.id for node in await store.nodes(conversation)]
        one = nodes[what % len(nodes)] if nodes else ""
        match act:
            case "add":
                await store.add_message(conversation, self.message(conversation))
            case "version" if one:
                await store.add_version(conversation, self.message(conversation), beside=one)
            case "show" if one:
                await store.show_message(conversation, one)
            case "delete" | "delete below" if one:
                below = act == "delete below"
                _, deletion = await store.delete_message(conversation, one, below=below)
                self.deletions[who] = (conversation, deletion)
                self.lost |= {node.id for node in deletion.nodes}
            case "restore" if who in self.deletions:
                await store.restore_messages(*self.deletions.pop(who))
            case "forget" if one:
                gone = set(await store.delete_messages([one]))
                self.forgotten |= gone
                self.lost |= gone
            case _:
                await self.arrange(act, who, conversation, what, how)

    async def arrange(self, act: str, who: int, conversation: str, what: int, how: int) -> None:
        store = self.computers[who].store
        match act:
            case "rename":
                await store.rename_conversation(conversation, f"named {what}")
            case "pin":
                await store.pin_conversation(conversation, bool(how % 2))
            case "file":
                await store.set_folder([conversation], f"folder {how}")
            case "archive":
                await store.archive_conversations([conversation], bool(how % 2))
            case "drop" if how == 0:
                self.dropped.add(conversation)
                await store.delete_conversation(conversation)
            case "discard":
                self.dropped.add(conversation)
                await store.discard_conversations([conversation])

    def message(self, conversation: str) -> Message:
        name = f"m{next(self.names)}"
        self.added[name] = conversation
        state = MessageState.DONE
        return Message(name, Role.USER, (Text(0, 0, name),), state, self.clock())


async def look(computer: Computer) -> dict[str, object]:
    store = computer.store
    found: dict[str, object] = {}
    for info in await store.conversations():
        nodes = await store.nodes(info.id)
        messages = await store.messages([node.id for node in nodes])
        found[info.id] = (info, nodes, messages, await store.heads(info.id))
    return found


async def live(script: Sequence[Step]) -> None:
    address = house()
    empty(address)
    life = Life(())
    life.computers = [
        await Computer.open(address, name, clock=life.clock) for name in ("a", "b", "c")
    ]
    try:
        for act, who, what, how in script:
            try:
                await life.do(act, who, what, how)
            except StoreError as error:  # too late to restore
                assert error.code == "message_gone", error
        life.time += 1000
        for computer in life.computers:
            await computer.store.purge_deleted()
        await meet(*life.computers)
        await meet(*life.computers)
        first, *others = [await look(computer) for computer in life.computers]
        for other in others:
            assert other == first
        there = {m.id for _, _, messages, _ in first.values() for m in messages}  # type: ignore[attr-defined, misc]
        kept = {one for one, home in life.added.items() if home not in life.dropped}
        assert kept - life.lost <= there
        assert not there & life.forgotten
        for computer in life.computers:
            assert await ConversationReplica(computer.store).count_pending() == 0
    finally:
        for computer in life.computers:
            await computer.close()


@pytest.mark.timeout(400)
@settings(max_examples=60)
@given(steps)
def test_all_are_equal_in_the_end(script: list[Step]) -> None:
    asyncio.run(live(script))
