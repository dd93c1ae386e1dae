"""Notes, to-dos and appointments on two computers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.core.schedule.due import parse_due
from neodeskpet.notebook.appointment import Appointment, Maker, RunOutcome
from neodeskpet.notebook.appointments import AppointmentHandlers, AppointmentService, Ended
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import SqliteNotes
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.storage.change_log import LATEST_STAMP
from neodeskpet.storage.sync_log import RecordVersion, SyncRecord
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from tests.support.fake_sync_server import FakeSyncServer

SYNC = DataSource(SourceKind.SYNC)


class Computer:
    def __init__(self, notebook: Notebook, server: FakeSyncServer) -> None:
        self.notebook = notebook
        self.changes = 0
        self.notes, self.todos = SqliteNotes(notebook), TodoStore(notebook)
        self.told: list[str] | None = None  # None: nothing answers a prompt.
        self.appointments = AppointmentService(
            notebook,
            handlers=AppointmentHandlers(speaks=lambda: self.told is not None, call=self.call),
        )
        self.side = NotebookReplica(notebook, self.note_change)
        self.link = ConnectionThread(lambda: server)  # type: ignore[arg-type, return-value]
        self.exchange = SyncEngine([self.side], self.link, "", "d")

    async def call(self, appointment: Appointment, due: float, ended: Ended) -> RunOutcome | None:
        assert self.told is not None
        self.told.append(appointment.title)
        return RunOutcome.TOLD

    def note_change(self) -> None:
        self.changes += 1

    @classmethod
    async def open(cls, server: FakeSyncServer) -> Computer:
        made = cls(await Notebook.open(None), server)
        await made.side.start()
        return made

    async def step(self) -> None:
        await self.exchange.sync()

    async def make(self, title: str, when: str, prompt: str = "") -> str:
        book = self.appointments
        meant = book.read(when)
        made = await book.add(title, when, meant, prompt=prompt, zone="", maker=Maker.PERSON)
        return made.id

    async def close(self) -> None:
        self.link.close()
        await self.notebook.aclose()


def play(
    scene: Callable[[Computer, Computer, FakeSyncServer], Awaitable[None]], *, trusted: bool = True
) -> None:
    async def whole() -> None:
        server = FakeSyncServer(trusted=trusted)
        desk, laptop = await Computer.open(server), await Computer.open(server)
        try:
            await scene(desk, laptop, server)
        finally:
            await desk.close()
            await laptop.close()

    asyncio.run(whole())


async def look(computer: Computer) -> object:
    notes = {(one.text, one.tags, one.pinned) for one in await computer.notes.search([], 99)}
    todos = {(one.text, one.done is not None, one.due) for one in await computer.todos.todos()}
    planned = {
        (one.title, one.prompt, one.due, one.paused)
        for one in await computer.appointments.appointments()
    }
    return notes, todos, planned


def test_entries_are_the_same_on_both_and_each_computer_has_its_own_numbers() -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        await laptop.notes.add("my own \ud83d \0")  # number 1 on both
        await desk.notes.add("milk 牛奶", ["shop"])
        todo = await desk.todos.add("send the form")
        await desk.make("tea", "every day at 16:00")
        for one in (desk, laptop, desk):
            await one.step()
        assert await look(desk) == await look(laptop)
        assert len(await laptop.notes.search(["牛奶"], 9)) == 1
        assert laptop.changes == 1
        await desk.todos.set_done(todo.id, done=True)
        (there,) = await laptop.todos.todos()
        await laptop.todos.update(there.id, "send the other form", parse_due("2026-12-04 17:00"))
        for one in (desk, laptop, desk):
            await one.step()
        assert await look(desk) == await look(laptop)
        assert await desk.side.count_pending() == await laptop.side.count_pending() == 0

    play(scene)


def test_a_deleted_entry_can_be_restored_on_the_other_computer() -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        todo = await desk.todos.add("send the form")
        await desk.step()
        await laptop.step()
        (there,) = await laptop.todos.todos()
        await desk.todos.delete(todo.id)
        await desk.step()
        await laptop.step()
        assert await laptop.todos.todos() == []
        assert [one.text for one in await laptop.todos.restore([there.id])] == ["send the form"]
        await laptop.step()
        await desk.step()
        assert [one.text for one in await desk.todos.todos()] == ["send the form"]

    play(scene)


def test_tasks_of_the_companion_run_on_one_computer_and_reminders_ring_on_both() -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        desk.told, laptop.told = [], []
        await desk.make("news", "in 1 minute", "read the news")
        await desk.make("tea", "in 1 minute")
        await desk.step()
        await laptop.step()
        soon = desk.appointments.now() + 61
        rang = []
        for one in (desk, laptop):
            one.appointments._clock = lambda: soon
            await one.appointments.run_due()
            rows = await one.notebook.read(
                lambda db: db.execute("SELECT label FROM timers").fetchall()
            )
            rang.append([label for (label,) in rows])
        assert (desk.told, laptop.told) == (["news"], [])
        assert [len(labels) for labels in rang] == [1, 1]

    play(scene)


def test_a_computer_with_an_earlier_version_keeps_the_due_date() -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        due = parse_due("2026-12-04")
        await desk.todos.add("send the form", due=due)
        await desk.step()
        written = {"text": "send it", "created": 5, "done": None, "deleted": None, "untrusted": ""}

        def later(name: str, **more: str) -> SyncRecord:
            value = json.dumps({**written, **more}).encode()
            return SyncRecord("todo", name, "", RecordVersion(LATEST_STAMP - 1, "older"), value)

        uid = "SELECT uid FROM todos"
        ((name,),) = await desk.notebook.read(lambda db: db.execute(uid).fetchall())
        await desk.side.apply([later(name), later("other"), later("odd", due="soon")], 9)
        assert [(one.text, one.due) for one in await desk.todos.todos()] == [
            ("send it", due),
            ("send it", None),
        ]

    play(scene)


def test_text_from_a_server_that_others_may_write_to_is_untrusted() -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        await desk.notes.add("mine")
        await desk.todos.add("with a source", [DataSource(SourceKind.PAGE)])
        for one in (desk, laptop, desk):
            await one.step()
        (mine,), (other,) = await desk.notes.search([], 9), await laptop.notes.search([], 9)
        assert (mine.untrusted, other.untrusted) == ((), (SYNC,))
        (todo,) = await laptop.todos.todos()
        assert todo.untrusted == (DataSource(SourceKind.PAGE), SYNC)
        await laptop.todos.set_done(todo.id, done=True)
        for one in (laptop, desk):
            await one.step()
        assert (await desk.exchange.compare()).is_equal and (
            await laptop.exchange.compare()
        ).is_equal

    play(scene, trusted=False)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
NAMES = ("text", "tags", "created", "pinned", "deleted", "untrusted", "done", "title", "rule")


@settings(max_examples=60)
@given(
    st.sampled_from(("note", "todo", "appointment")),
    st.dictionaries(st.sampled_from(NAMES), values) | values,
)
def test_a_broken_entry_is_ignored(kind: str, value: object) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        try:
            written = json.dumps(value).encode()
        except ValueError:
            written = b"?"
        server.break_record((kind, "broken"), RecordVersion(5, "stranger"), written)
        await desk.todos.add("good")
        await desk.step()
        await laptop.step()
        assert [one.text for one in await laptop.todos.todos() if one.text == "good"] == ["good"]
        await laptop.notes.search([], 9)
        await laptop.appointments.run_due()
        assert await laptop.side.count_pending() == 0

    play(scene)
