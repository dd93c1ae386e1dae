"""Two computers with all parts of the app: messages of one appear on the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.settings_adapters import SyncAdapter
from neodeskpet.cli import store_command
from neodeskpet.conversation.chat_events import ChatEvent, PathChanged, RemoteReplyChanged
from neodeskpet.conversation.titles_and_summaries import ConversationSummary, StoredSummaries
from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.core.errors import KnownError
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text
from neodeskpet.settings.secrets import ENVIRONMENT, SecretPlace
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.sync.sync_errors import ServerRefused
from tests.support.computers import Computer
from tests.support.postgres import PASSWORD, postgres
from tests.unit.app.engines import with_engine
from tests.unit.sync.test_sync_engine import said

SECRET = "xyzzyplughword"


class Ear:
    def __init__(self) -> None:
        self.events: list[ChatEvent] = []

    def on_chat_event(self, event: ChatEvent) -> None:
        self.events.append(event)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - what is awaited has no event of its own
            await asyncio.sleep(0.01)


def home_of(folder: Path, address: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE_NAME).write_text(json.dumps({"sharing": {"address": address}}))
    return folder


def test_a_message_of_one_computer_is_on_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()

    async def scene() -> None:
        desk = await open_engine(
            home_of(tmp_path / "desk", address), model=ScriptedModel([scripted_text("hi there")])
        )
        laptop = await open_engine(home_of(tmp_path / "laptop", address))
        ear = Ear()
        laptop.chat.subscribe(ear)
        await desk.chat.open()
        desk.chat.send("my locker is 4711")
        await desk.chat.wait_idle()
        assert desk.chat.conversation is not None
        home = desk.chat.conversation.id
        desk.storage.sync.sync_now()

        async def there() -> list[str]:
            return [one.text for one in await laptop.storage.store.history(home)]

        while await there() != ["my locker is 4711", "hi there"]:
            laptop.storage.sync.sync_now()
            await asyncio.sleep(0.05)
        await laptop.memory.indexer.catch_up_changes()
        assert [
            one.item.text for one in await laptop.memory.store.search("locker", datetime.now())
        ][:1] == ["my locker is 4711"]
        await laptop.chat.open(home)
        await desk.storage.store.add_message(home, said("more", at=4e9))
        desk.storage.sync.sync_now()

        def shown() -> bool:
            laptop.storage.sync.sync_now()
            paths = [event for event in ear.events if isinstance(event, PathChanged)]
            return any(head.id == "more" for event in paths for head in event.path.heads)

        await until(shown)
        await desk.aclose()
        await laptop.aclose()

    asyncio.run(scene())


def holding(place: Path) -> list[str]:
    """Return the files that contain the word."""
    files = (path for path in place.rglob("*") if path.is_file())
    return sorted(path.name for path in files if SECRET.encode() in path.read_bytes())


def test_deleted_text_is_in_no_byte_of_any_computer_nor_on_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()
    desk_home, laptop_home = tmp_path / "desk", tmp_path / "laptop"
    desk_home.mkdir()

    def on_server() -> bool:
        rows = postgres().query(address, "SELECT value FROM neodeskpet.records")
        return SECRET in repr(rows)

    async def before() -> None:
        engine = await open_engine(
            desk_home, model=ScriptedModel([scripted_text(f"Noted: {SECRET}.")])
        )
        await engine.chat.open()
        engine.chat.send(f"My locker code is {SECRET}")
        await engine.chat.wait_idle()
        assert engine.chat.conversation is not None
        home = engine.chat.conversation.id
        last = (await engine.storage.store.heads(home))[-1].id
        summary = ConversationSummary(last, f"They told the code {SECRET}.")
        assert await StoredSummaries(engine.storage.store).update(home, summary, before=None)
        await engine.memory.indexer.catch_up_changes()
        await engine.aclose()

    async def after() -> None:
        desk = await open_engine(desk_home)
        laptop = await open_engine(home_of(laptop_home, address))

        async def found(engine: Engine) -> list[str]:
            await engine.memory.indexer.catch_up_changes()
            hits = await engine.memory.store.search("locker code", datetime.now(), 9)
            return [one.item.id for one in hits]

        async with asyncio.timeout(60):
            while len(await found(laptop)) < 2:
                laptop.storage.sync.sync_now()
                await asyncio.sleep(0.05)
        assert on_server()
        assert holding(laptop_home) and holding(desk_home)
        assert await desk.forget(await found(desk))
        async with asyncio.timeout(60):
            while on_server() or await found(laptop):
                desk.storage.sync.sync_now()
                laptop.storage.sync.sync_now()
                await asyncio.sleep(0.05)
        for engine in (desk, laptop):
            await engine.memory.search_indexer.catch_up_changes()
            await engine.aclose()

    asyncio.run(before())
    assert store_command.run(["move", "--to", address, "--data-dir", str(desk_home)]) == 0
    copies = [name for name in holding(desk_home) if "before-move" in name]
    assert len(copies) == 2
    asyncio.run(after())
    assert holding(desk_home) == holding(laptop_home) == []
    assert not on_server()


def test_two_do_not_write_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)
    address = postgres().new_database()

    async def scene() -> None:
        desk = await Computer.open(address, "desk")
        made = await desk.store.create_conversation("t")
        await desk.store.add_message(made.id, said("a"))
        running = Message("r", Role.ASSISTANT, (), MessageState.RUNNING, 2.0)
        await desk.store.add_message(made.id, running)
        await desk.step()
        model = ScriptedModel([scripted_text("hello")])
        laptop = await open_engine(home_of(tmp_path / "laptop", address), model=model)
        await until(lambda: laptop.storage.sync.state.remote_replies)
        ear = Ear()
        laptop.chat.subscribe(ear)
        await laptop.chat.open(made.id)
        assert RemoteReplyChanged("desk") in ear.events
        laptop.chat.send("me too")
        assert laptop.chat.busy and not laptop.chat.running
        await laptop.chat.regenerate("a")
        await laptop.chat.wait_idle()
        troubles = [one.error.code for one in ear.events if hasattr(one, "error")]
        assert troubles == ["answered_elsewhere"]
        journal = desk.store.journal("r")
        journal.on_turn_event("r", TurnEnded(MessageState.DONE, 3.0))
        await desk.store.flush()
        await desk.step()
        laptop.storage.sync.sync_now()
        await until(lambda: not laptop.chat.busy)
        assert ear.events.count(RemoteReplyChanged("")) == 1
        history = await laptop.storage.store.history(made.id)
        assert [one.text for one in history] == ["a", "", "me too", "hello"]
        await laptop.aclose()
        await desk.close()

    asyncio.run(scene())


def test_the_settings_show_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = postgres().new_database()

    async def work(engine: Engine) -> None:
        port = SyncAdapter(engine)
        assert not port.state().on
        engine.settings.change("sharing", "address", address)
        await until(lambda: port.state().fault)
        assert not port.state().has_synced and PASSWORD not in port.state().fault
        with pytest.raises(ServerRefused):
            await port.test()
        assert (await port.password.key()).tail == ""
        await port.password.store_key(PASSWORD)
        assert (await port.password.key()).tail == "****"
        assert (await port.test()).split(".")[0].isdigit()
        await until(lambda: port.state().has_synced and not port.state().fault)
        await port.password.delete_key()
        monkeypatch.setenv(ENVIRONMENT, PASSWORD)
        assert (await port.password.key()).place is SecretPlace.ENVIRONMENT
        monkeypatch.delenv(ENVIRONMENT)
        await port.password.allow_file()
        port.password.allow_plain()
        with pytest.raises(KnownError):
            engine.settings.change("sharing", "address", address.replace("person@", "person:x@"))
        assert engine.settings.settings.sharing.address == address

    with_engine(tmp_path, work)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert PASSWORD.encode() not in file.read_bytes(), file
