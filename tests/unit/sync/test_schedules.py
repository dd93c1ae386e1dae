"""Three computers and random schedules: edits of conversations, facts, notes and characters' files,
deletions, offline times, wrong clocks, broken rows, restored backups, lost requests and answers.
When all are online they are equal, only deleted data is missing, and the counts that the status
shows are true.

`./run bench sync` runs 5,000 schedules of this file.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from neodeskpet.characters.cards.card_files import SIGNATURE
from neodeskpet.characters.cards.character_card import read_json
from neodeskpet.core.blocks import Deletion, Message, MessageState, Role, Text
from neodeskpet.core.errors import StoreError
from neodeskpet.memory.facts.fact import FactClaim, FactSource
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import SqliteNotes
from neodeskpet.platform.private_files import is_copy
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.sync_log import RecordVersion, SyncRecord
from neodeskpet.sync.character_replica import CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.server_connection import FetchedRecords
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from neodeskpet.sync.sync_errors import ServerUnreachable
from tests.support.fake_sync_server import Backup, FakeSyncServer

DAY = 86_400_000_000
ACTS = (
    "add",
    "add",
    "add",
    "add",
    "version",
    "show",
    "delete",
    "restore",
    "forget",
    "begin",
    "rename",
    "rename",
    "pin",
    "file",
    "archive",
    "drop",
    "step",
    "step",
    "step",
    "step",
    "write card",
    "edit card",
    "edit card",
    "remove card",
    "persona",
    "portrait",
    "choose",
    "choose",
    "apart",
    "fact",
    "fact",
    "change fact",
    "forget fact",
    "note",
    "note",
    "edit note",
    "delete note",
    "clock ahead",
    "lost before",
    "lost after",
    "lost fetch",
    "broken",
    "future",
    "backup",
    "set back",
)
ENTRIES = ("fact", "change fact", "forget fact", "note", "edit note", "delete note")
FILES = ("write card", "edit card", "remove card", "persona", "portrait")
BROKEN = (b"", b"null", b"[1e999, 2]", b"{", b'["x", "y"]', b"[NaN, 0]", b"\xff", b"[[],[]]")


class Flaky(FakeSyncServer):
    """Loses a fetch, a push, or the answer to it, on demand."""

    def __init__(self) -> None:
        super().__init__()
        self.loses = ""

    def pull(self, after: int, most: int, kinds: Sequence[str]) -> FetchedRecords:
        if self.loses == "lost fetch":
            self.loses = ""
            raise ServerUnreachable
        return super().pull(after, most, kinds)

    def push(self, records: Sequence[SyncRecord], pictures: Mapping[str, bytes]) -> str:
        loses, self.loses = self.loses, self.loses if self.loses == "lost fetch" else ""
        if loses == "lost before":
            raise ServerUnreachable
        token = super().push(records, pictures)
        if loses == "lost after":
            raise ServerUnreachable
        return token


class Computer:
    def __init__(
        self, store: SqliteStore, book: MemoryStore, notebook: Notebook, fake: Flaky, home: Path
    ) -> None:
        self.store, self.book, self.notebook = store, book, notebook
        self.facts, self.notes = book.facts, SqliteNotes(notebook)
        self.home = home
        self.cards = CharacterReplica(home)
        self.link = ConnectionThread(lambda: fake)  # type: ignore[arg-type, return-value]
        self.sides = (
            ConversationReplica(store),
            MemoryReplica(book.facts.file, book.apply_remote_changes),
            NotebookReplica(notebook, lambda: None),
            self.cards,
        )
        self.exchange = SyncEngine(self.sides, self.link, "", "d")

    @classmethod
    async def open(cls, fake: Flaky, schedule: Schedule, home: Path) -> Computer:
        store = await SqliteStore.open(None, clock=schedule.clock)
        book, notebook = await MemoryStore.open(None), await Notebook.open(None)
        made = cls(store, book, notebook, fake, home)
        for side in made.sides:
            await side.start()
        return made

    async def look(self) -> dict[str, tuple[object, object, Sequence[Message], object]]:
        found: dict[str, tuple[object, object, Sequence[Message], object]] = {}
        for info in await self.store.conversations():
            nodes = await self.store.nodes(info.id)
            messages = await self.store.messages([node.id for node in nodes])
            found[info.id] = (info, nodes, messages, await self.store.heads(info.id))
        return found

    async def look_at_entries(self) -> dict[str, object]:
        """Compare the facts and the notes, by their ids on all computers."""
        query = "SELECT uid, text, deleted, pinned FROM notes"
        rows = await self.notebook.read(lambda db: db.execute(query).fetchall())
        return {fact.id: fact for fact in await self.facts.list_facts()} | {
            row[0]: row[1:] for row in rows
        }

    async def look_at_characters(self) -> dict[str, object]:
        """Compare who speaks where, and the content of the files."""
        found: dict[str, object] = {}
        for path in self.home.glob("*/*"):
            if path.suffix == ".png":
                found[path.name] = path.read_bytes()
            elif not is_copy(path):
                found[path.name] = read_json(path.read_text(), path.stem)
        found["apart"] = await self.store.characters_apart()
        return found | {"speaks": await self.store.characters()}

    def characters(self) -> list[str]:
        return sorted(
            path.stem for path in self.home.glob("characters/*.json") if not is_copy(path)
        )

    async def close(self) -> None:
        self.link.close()
        for one in (self.cards, self.notebook, self.book, self.store):
            await one.aclose()


class Schedule:
    """One random run."""

    def __init__(self, seed: int, length: int) -> None:
        self.random = random.Random(seed)
        self.length = length
        self.fake = Flaky()
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
        self.characters: list[str] = []
        self.removed: set[str] = set()
        self.entries: set[str] = set()
        self.time = 1000.0

    def clock(self) -> float:
        self.time += 1
        return self.time

    async def run(self) -> None:
        with TemporaryDirectory() as folder:
            await self.run_in(Path(folder))

    async def run_in(self, folder: Path) -> None:
        self.computers = [await Computer.open(self.fake, self, folder / one) for one in "abc"]
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
                self.fake.loses = act
            case "backup":
                self.backup = self.fake.backup()
            case "set back" if self.backup is not None:
                self.fake.restore(self.backup)
            case "broken" | "future":
                self.break_record(act)
            case "clock ahead":
                ahead = f"UPDATE shared_self SET clock = clock + {400 * DAY}"
                await ConversationReplica(computer.store)._file.change(lambda db: db.execute(ahead))
            case "apart":
                apart = self.random.random() < 0.5
                await computer.store.set_character_apart(self.random.choice("xyz"), apart)
            case _ if act in ENTRIES:
                await self.edit_entries(act, computer)
            case _ if act in FILES:
                self.edit_files(act, computer)
            case _:
                await self.edit(act, who)

    async def edit_entries(self, act: str, computer: Computer) -> None:
        text, now = f"said {next(self.names)}", datetime(2026, 1, 4)
        facts = [fact.id for fact in await computer.facts.list_facts()]
        notes = [note.id for note in await computer.notes.search([], 99)]
        match act:
            case "fact":
                kept = await computer.facts.add(text, FactClaim(), FactSource(text, "c"), now)
                self.entries.add(kept.fact.id)
            case "change fact" if facts:
                await computer.facts.update(self.random.choice(sorted(facts)), text, now)
            case "forget fact" if facts and self.random.random() < 0.5:
                one = self.random.choice(sorted(facts))
                self.entries.discard(one)
                await computer.facts.delete([one])
            case "note":
                made = await computer.notes.add(text, [])
                query = "SELECT uid FROM notes WHERE id = ?"
                (uid,) = await computer.notebook.read(
                    lambda db: db.execute(query, (made.id,)).fetchone()
                )
                self.entries.add(uid)
            case "edit note" if notes:
                await computer.notes.update(self.random.choice(notes), text=text)
            case "delete note" if notes:  # It can be restored, so it stays.
                await computer.notes.delete(self.random.choice(notes))

    def edit_files(self, act: str, computer: Computer) -> None:
        """By hand, or as the app does it; the clock of the computer may be slow."""
        there = computer.characters()
        match act:
            case "write card":
                self.characters.append(f"c{next(self.names)}")
                self.write(computer, f"characters/{self.characters[-1]}.json")
            case "persona":
                path = computer.home / "personas" / "neo.json"
                if path.exists() and self.random.random() < 0.5:
                    path.unlink()
                else:
                    self.write(computer, "personas/neo.json")
            case "edit card" if there:
                self.write(computer, f"characters/{self.random.choice(there)}.json")
            case "remove card" if there and self.random.random() < 0.5:
                one = self.random.choice(there)
                self.removed.add(one)
                for suffix in (".json", ".png"):
                    (computer.home / "characters" / f"{one}{suffix}").unlink(missing_ok=True)
            case "portrait" if there:
                path = computer.home / "characters" / f"{self.random.choice(there)}.png"
                if path.exists() and self.random.random() < 0.5:
                    path.unlink()
                else:
                    head = SIGNATURE + bytes(4) + b"IHDR" + bytes([0, 0, 0, 1] * 2)
                    path.write_bytes(head + str(next(self.names)).encode())

    def write(self, computer: Computer, name: str) -> None:
        path = computer.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {"name": "Mo", "description": f"said {next(self.names)}"}
        path.write_text(json.dumps({"data": data}, indent=self.random.choice((None, 2))))
        if self.random.random() < 0.3:
            moment = path.stat().st_mtime - self.random.randrange(1000)
            os.utime(path, (moment, moment))

    def break_record(self, how: str) -> None:
        """An unknown program writes to the server."""
        kinds = ("title", "message", "conversation", "pinned", "unheard of", "card")
        kind = self.random.choice(kinds)
        key = (kind, f"broken {next(self.names)}")
        stamp = (1 << 63) - 1 if how == "future" else self.random.randrange(1, 1 << 50)
        value = self.random.choice(BROKEN) if how == "broken" else b'["later"]'
        self.fake.break_record(key, RecordVersion(stamp, "stranger"), value)
        self.broken.add(key)

    async def step(self, computer: Computer) -> None:
        await computer.exchange.sync()
        for side in computer.sides:
            if not await side.count_pending():  # The status says “Synced.”: then it must be true.
                sums = await side.hashes(self.fake.seal)
                for (kind, one), digest in sums.items():
                    there = self.fake.records.get((kind, one))
                    missing = there is None and bool(digest)
                    assert not missing or kind in ("place", "choice"), (kind, one)

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
                await store.set_folder([conversation], f"folder {self.random.randrange(3)}")
            case "choose":
                await store.choose_character(conversation, self.random.choice(("", "x", "y")))
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
        self.fake.loses = ""
        self.time += 1000
        for computer in self.computers:
            await computer.store.purge_deleted()
        for _ in range(3):
            for computer in self.computers:
                await computer.exchange.sync()
        first, *others = [await computer.look() for computer in self.computers]
        for other in others:
            assert other == first
        entries = [await computer.look_at_entries() for computer in self.computers]
        assert entries[1] == entries[0] == entries[2]
        assert {*entries[0]} == self.entries
        characters = [await computer.look_at_characters() for computer in self.computers]
        assert characters[1] == characters[0] == characters[2]
        assert {*self.computers[0].characters()} == {*self.characters} - self.removed
        there = {one.id for found in first.values() for one in found[2]}
        kept = {one for one, home in self.added.items() if home not in self.dropped}
        assert kept - self.deleted - self.forgotten <= there
        assert not there & self.forgotten
        for computer in self.computers:
            assert sum([await side.count_pending() for side in computer.sides]) == 0
            aside = sum([await side.count_set_aside() for side in computer.sides])
            assert (aside > 0) == self.has_broken()

    def has_broken(self) -> bool:
        """Return whether the server still has an unreadable row. (A backup may be without it, and
        then there is none.)
        """
        kinds = {kind for side in self.computers[0].sides for kind in side.kinds}
        return any(key in self.fake.records and key[0] in kinds for key in self.broken)


@pytest.mark.parametrize("part", range(3))
def test_after_any_schedule_all_computers_are_equal(part: int) -> None:
    for seed in range(part * 20, part * 20 + 20):
        asyncio.run(Schedule(seed, 40).run())


def test_a_version_keeps_its_value_if_the_answer_of_the_server_was_lost() -> None:
    """Messages after a deleted one move up here, and the same version of their place and of the
    choice is sent again: it must equal that on the server.
    """

    async def scene(folder: Path) -> None:
        schedule = Schedule(0, 0)
        desk, laptop = [
            await Computer.open(schedule.fake, schedule, folder / name) for name in ("a", "b")
        ]
        made = await desk.store.create_conversation("t")
        schedule.conversations.append(made.id)
        first = schedule.message(made.id)
        await desk.store.add_message(made.id, first)
        for one in (desk, laptop):
            await one.exchange.sync()
        await desk.store.add_message(made.id, schedule.message(made.id))
        schedule.fake.loses = "lost after"
        with pytest.raises(ServerUnreachable):
            await desk.exchange.sync()
        await laptop.store.delete_messages([first.id])
        for one in (laptop, desk, laptop):
            await one.exchange.sync()
        assert (await desk.exchange.compare()).is_equal and (
            await laptop.exchange.compare()
        ).is_equal
        assert await desk.look() == await laptop.look()
        for one in (desk, laptop):
            await one.close()

    with TemporaryDirectory() as folder:
        asyncio.run(scene(Path(folder)))
