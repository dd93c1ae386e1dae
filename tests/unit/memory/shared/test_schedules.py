"""Three computers and random schedules: edits, deletions, offline times, wrong clocks, broken rows,
backups that are restored, lost answers. When all are online they are equal, nothing is lost that
nobody deleted, and the counts that the status shows are true.

`./run bench sync` runs 5,000 schedules of this file.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Mapping, Sequence

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.core.records import Deletion
from neodeskpet.memory.shared.exchange import Exchange, Link
from neodeskpet.memory.shared.faults import ServerUnreachable
from neodeskpet.memory.shared.record import Record, Version
from neodeskpet.memory.store import SqliteStore
from tests.support.shelf import Backup, Shelf

DAY = 86_400_000_000
ACTS = (
    *("add", "add", "add", "add", "version", "show", "delete", "restore", "forget"),
    *("begin", "rename", "rename", "pin", "file", "archive", "drop"),
    *("step", "step", "step", "step"),
    *("clock ahead", "lost before", "lost after", "broken", "future", "backup", "set back"),
)
BROKEN = (b"", b"null", b"[1e999, 2]", b"{", b'["x", "y"]', b"[NaN, 0]", b"\xff", b"[[],[]]")


class Flaky(Shelf):
    """Loses a push, or the answer to it, when told so."""

    def __init__(self) -> None:
        super().__init__()
        self.loses = ""

    def push(self, records: Sequence[Record], pictures: Mapping[str, bytes]) -> str:
        loses, self.loses = self.loses, ""
        if loses == "lost before":
            raise ServerUnreachable
        token = super().push(records, pictures)
        if loses == "lost after":
            raise ServerUnreachable
        return token


class Computer:
    def __init__(self, store: SqliteStore, shelf: Flaky) -> None:
        self.store = store
        self.link = Link(lambda: shelf)  # type: ignore[arg-type, return-value]
        self.exchange = Exchange([store.shared], self.link, "", "d")

    @classmethod
    async def open(cls, shelf: Flaky, schedule: Schedule) -> Computer:
        store = await SqliteStore.open(None, clock=schedule.clock)
        await store.shared.begin()
        return cls(store, shelf)

    async def look(self) -> dict[str, object]:
        found: dict[str, object] = {}
        for info in await self.store.conversations():
            nodes = await self.store.nodes(info.id)
            messages = await self.store.messages([node.id for node in nodes])
            found[info.id] = (info, nodes, messages, await self.store.heads(info.id))
        return found

    async def close(self) -> None:
        self.link.close()
        await self.store.close()


class Schedule:
    """One random run."""

    def __init__(self, seed: int, length: int) -> None:
        self.random = random.Random(seed)
        self.length = length
        self.shelf = Flaky()
        self.computers: list[Computer] = []
        self.names = itertools.count()
        self.added: dict[str, str] = {}
        self.conversations: list[str] = []
        self.deleted: set[str] = set()
        self.forgotten: set[str] = set()
        self.dropped: set[str] = set()
        self.deletions: dict[int, tuple[str, Deletion]] = {}
        self.backup: Backup | None = None
        self.broken: set[tuple[str, str]] = set()
        self.time = 1000.0

    def clock(self) -> float:
        self.time += 1
        return self.time

    async def run(self) -> None:
        self.computers = [await Computer.open(self.shelf, self) for _ in range(3)]
        try:
            for _ in range(self.length):
                who = self.random.randrange(3)
                try:
                    await self.act(self.random.choice(ACTS), who)
                except StoreError as error:
                    assert error.code in ("message_gone", "sharing_unreachable"), error
            await self.check_end()
        finally:
            for one in self.computers:
                await one.close()

    async def act(self, act: str, who: int) -> None:
        computer = self.computers[who]
        match act:
            case "step":
                await self.step(computer)
            case "lost before" | "lost after":
                self.shelf.loses = act
            case "backup":
                self.backup = self.shelf.backup()
            case "set back" if self.backup is not None:
                self.shelf.restore(self.backup)
            case "broken" | "future":
                self.break_record(act)
            case "clock ahead":
                ahead = f"UPDATE shared_self SET clock = clock + {400 * DAY}"
                await computer.store.shared._file.change(lambda db: db.execute(ahead))
            case _:
                await self.edit(act, who)

    def break_record(self, how: str) -> None:
        """A program that nobody knows writes to the server."""
        kind = self.random.choice(("title", "message", "conversation", "pinned", "unheard of"))
        key = (kind, f"broken {next(self.names)}")
        stamp = (1 << 63) - 1 if how == "future" else self.random.randrange(1, 1 << 50)
        value = self.random.choice(BROKEN) if how == "broken" else b'["later"]'
        self.shelf.break_record(key, Version(stamp, "stranger"), value)
        self.broken.add(key)

    async def step(self, computer: Computer) -> None:
        await computer.exchange.step()
        side = computer.store.shared
        if not await side.waiting():  # the status says “Synced.”: then it has to be true
            sums = await side.sums(self.shelf.seal)
            for (kind, one), digest in sums.items():
                there = self.shelf.records.get((kind, one))
                assert there is not None or not digest or kind in ("place", "choice"), (kind, one)

    async def edit(self, act: str, who: int) -> None:
        store = self.computers[who].store
        if act == "begin" or not self.conversations:
            self.conversations.append((await store.create_conversation("t")).id)
            return
        conversation = self.random.choice(self.conversations)
        if conversation not in {info.id for info in await store.conversations()}:
            return
        nodes = [node.id for node in await store.nodes(conversation)]
        one = self.random.choice(nodes) if nodes else ""
        match act:
            case "add":
                await store.add_message(conversation, self.message(conversation))
            case "version" if one:
                await store.add_version(conversation, self.message(conversation), beside=one)
            case "show" if one:
                await store.show_message(conversation, one)
            case "delete" if one:
                _, deletion = await store.delete_message(conversation, one, below=False)
                self.deletions[who] = (conversation, deletion)
                self.deleted |= {node.id for node in deletion.nodes}
            case "restore" if who in self.deletions:
                await store.restore_messages(*self.deletions.pop(who))
            case "forget" if one:
                gone = set(await store.delete_messages([one]))
                self.forgotten |= gone
            case _:
                await self.arrange(act, who, conversation)

    async def arrange(self, act: str, who: int, conversation: str) -> None:
        store = self.computers[who].store
        match act:
            case "rename":
                await store.rename_conversation(conversation, f"named {next(self.names)}")
            case "pin":
                await store.pin_conversation(conversation, self.random.random() < 0.5)
            case "file":
                await store.put_in_folder([conversation], f"folder {self.random.randrange(3)}")
            case "archive":
                await store.archive_conversations([conversation], self.random.random() < 0.5)
            case "drop" if self.random.random() < 0.2:
                self.dropped.add(conversation)
                await store.delete_conversation(conversation)

    def message(self, conversation: str) -> Message:
        name = f"m{next(self.names)}"
        self.added[name] = conversation
        return Message(name, Role.USER, (Text(0, 0, name),), MessageState.DONE, self.clock())

    async def check_end(self) -> None:
        self.shelf.loses = ""
        self.time += 1000
        for computer in self.computers:
            await computer.store.forget_deleted()
        for _ in range(3):
            for computer in self.computers:
                await computer.exchange.step()
        first, *others = [await computer.look() for computer in self.computers]
        for other in others:
            assert other == first
        there = {m.id for _, _, messages, _ in first.values() for m in messages}  # type: ignore[attr-defined, misc]
        kept = {one for one, home in self.added.items() if home not in self.dropped}
        assert kept - self.deleted - self.forgotten <= there
        assert not there & self.forgotten
        for computer in self.computers:
            assert await computer.store.shared.waiting() == 0
            assert (await computer.store.shared.set_aside() > 0) == self.has_broken()

    def has_broken(self) -> bool:
        """Whether the server still has a row that nobody can read. (A backup may be without it, and
        what may be read is none.)
        """
        kinds = set(self.computers[0].store.shared.kinds)
        return any(key in self.shelf.records and key[0] in kinds for key in self.broken)


@pytest.mark.parametrize("part", range(3))
def test_after_any_schedule_all_computers_are_equal(part: int) -> None:
    for seed in range(part * 40, part * 40 + 40):
        asyncio.run(Schedule(seed, 40).run())
