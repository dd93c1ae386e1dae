"""Characters and personas are the same on all computers, and stay files that people edit."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from neodeskpet.app.engine import open_engine
from neodeskpet.characters.cards.character_card import Card, Lorebook, LoreEntry, change_card
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.character_library import Character, CharacterLibrary, with_card
from neodeskpet.characters.persona import Persona
from neodeskpet.characters.persona_files import PersonaStore, imported_figure
from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.platform.private_files import is_copy
from neodeskpet.settings.secrets import ENVIRONMENT
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.sync_log import RecordVersion, encode_value
from neodeskpet.sync.character_replica import MAX_CARD_BYTES, CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.server_connection import ServerAccess, ServerConnection
from neodeskpet.sync.sync_engine import ConnectionThread, SyncEngine
from tests.support.fake_sync_server import FakeSyncServer
from tests.support.postgres import PASSWORD, postgres

SYNC = (DataSource(SourceKind.SYNC),)
NEO = imported_figure("Neo", "models/neo")


class Computer:
    """The folders of one computer. `figures` are the installed ones: paths by name."""

    def __init__(self, home: Path, store: SqliteStore, server: FakeSyncServer) -> None:
        self.home = home
        self.figures: dict[str, str] = {}
        self.store = store
        self.fake = CharacterLibrary(home / "characters", lambda name: self.figures.get(name))
        self.personas = PersonaStore(home / "personas", NEO)
        self.character_assignments = CharacterAssignments(store, self.personas, self.fake)
        self.side = CharacterReplica(home, on_remote_change=self.load)
        self.render = 0
        self.link = ConnectionThread(lambda: server)  # type: ignore[arg-type, return-value]
        self.exchange = SyncEngine([ConversationReplica(store), self.side], self.link, "", "d")

    @classmethod
    async def open(cls, home: Path, server: FakeSyncServer) -> Computer:
        made = cls(home, await SqliteStore.open(None), server)
        await ConversationReplica(made.store).start()
        await made.side.start()
        return made

    def load(self) -> None:
        self.render += 1
        self.fake.load()
        self.personas.refresh()

    async def step(self) -> None:
        await self.exchange.sync()
        await self.character_assignments.reload()

    def add(self, name: str, picture: bytes = b"", **texts: str) -> str:
        made = self.fake.add(Card(name, **texts), picture)  # type: ignore[arg-type]
        self.fake.load()
        return made

    def of(self, character: str) -> Character:
        found = self.fake.get(character)
        assert found is not None
        return found

    def edit(self, character: str, **texts: object) -> None:
        found = self.of(character)
        self.fake.update(with_card(found, change_card(found.card, **texts)))
        self.fake.load()

    def write(self, name: str, text: str) -> None:
        """Write by hand."""
        self.fake.folder.mkdir(parents=True, exist_ok=True)
        (self.fake.folder / name).write_text(text)

    def files(self) -> list[str]:
        """Without the copies that stay on a computer."""
        found = (path for path in self.home.rglob("*") if path.suffix in (".json", ".png"))
        return sorted(str(path.relative_to(self.home)) for path in found if not is_copy(path))

    async def close(self) -> None:
        self.link.close()
        await self.side.aclose()
        await self.store.aclose()


def play(
    folder: Path,
    scene: Callable[[Computer, Computer, FakeSyncServer], Awaitable[None]],
    *,
    trusted: bool = True,
) -> None:
    async def whole() -> None:
        server = FakeSyncServer(trusted=trusted)
        desk, laptop = [await Computer.open(folder / name, server) for name in ("desk", "laptop")]
        try:
            await scene(desk, laptop, server)
        finally:
            for one in (desk, laptop):
                await one.close()

    asyncio.run(whole())


async def meet(*computers: Computer) -> None:
    for _ in range(2):
        for one in computers:
            await one.step()
    for one in computers:
        assert (await one.exchange.compare()).is_equal
        assert await one.side.count_pending() == 0


def written_before(file: Path, seconds: float) -> None:
    """The file was written that many seconds ago."""
    moment = file.stat().st_mtime - seconds
    os.utime(file, (moment, moment))


def picture(shade: int = 0) -> bytes:
    from io import BytesIO

    made = BytesIO()
    Image.new("RGB", (3, 2), (shade, 0, 0)).save(made, "PNG")
    return made.getvalue()


def test_a_character_with_its_world_and_portrait_is_on_both_and_deleted_on_both(
    tmp_path: Path,
) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        mimi = desk.add("Mimi", picture(), description="a cat")
        world = Lorebook((LoreEntry(keys=("tea",), content="Tea is green."),))
        desk.edit(mimi, book=world)
        await meet(desk, laptop)
        there = laptop.of(mimi)
        assert there.card.description == "a cat" and there.card.book == world
        assert there.picture is not None and there.picture.read_bytes() == picture()
        assert laptop.render == 1 and desk.render == 0
        laptop.edit(mimi, description="a tiger")
        (laptop.home / "characters" / f"{mimi}.png").write_bytes(picture(1))
        await meet(laptop, desk)
        assert desk.of(mimi).card.description == "a tiger"
        assert (desk.home / "characters" / f"{mimi}.png").read_bytes() == picture(1)
        (laptop.home / "characters" / f"{mimi}.png").unlink()
        await meet(laptop, desk)
        desk.fake.load()
        assert desk.of(mimi).picture is None
        desk.fake.delete(mimi)
        laptop.edit(mimi, description="a lion")  # A permanent deletion wins over every change.
        await meet(laptop, desk)
        assert desk.files() == laptop.files() == []
        assert [one.value for one in server.records.values() if one.kind == "card"] == [b""]

    play(tmp_path, scene)


def test_of_two_edits_the_later_one_wins_and_the_other_is_kept_in_a_copy(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        mimi = desk.add("Mimi")
        file = Path("characters", f"{mimi}.json")
        written_before(desk.home / file, 1000)
        await meet(desk, laptop)
        for one, seconds in ((desk, 100), (laptop, 200)):
            one.edit(mimi, description=one.home.name)
            written_before(one.home / file, seconds)
        await (
            laptop.side.count_pending()
        )  # the laptop's edit was noticed first, the desk's was made later
        await meet(laptop, desk)
        for one in (desk, laptop):
            one.load()
            assert one.of(mimi).card.description == "desk"

    play(tmp_path, scene)


def test_of_the_same_file_made_by_hand_on_two_computers_the_earlier_is_kept_in_a_copy(
    tmp_path: Path,
) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        for one in (desk, laptop):
            card = {"data": {"name": "Mo", "description": one.home.name, "mine": [1, 2.5]}}
            one.write("mo.json", json.dumps(card))
        written_before(laptop.home / "characters" / "mo.json", 100)
        await meet(desk, laptop)
        for one in (desk, laptop):
            one.load()
            assert one.of("mo").card.description == "desk"
            tree = one.of("mo").card.tree
            assert tree is not None and tree["data"]["mine"] == [1, 2.5]
        (copy,) = (laptop.home / "characters").glob("mo.broken-*.json")
        assert '"laptop"' in copy.read_text()

    play(tmp_path, scene)


def test_unchanged_files_are_not_written_again(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        text = '{"data": {"name": "Mo",   "description": "by hand"}}\n'
        for one in (desk, laptop):
            one.write("mo.json", text)
        await meet(desk, laptop)
        for one in (desk, laptop):
            assert (one.home / "characters" / "mo.json").read_text() == text

    play(tmp_path, scene)


def test_layout_and_lone_surrogates_of_a_file_stay(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        for one, text in ((desk, '{"data": {"name":   "Mo",\n\n"x": 1, "description": "a"}}\n'),):
            one.write("mo.json", text)
        await meet(desk, laptop)
        laptop.edit("mo", description="b \ud83d")
        written_before(laptop.fake.folder / "mo.json", -5)
        await meet(laptop, desk)
        now = (desk.home / "characters" / "mo.json").read_text()
        assert '"name":   "Mo",\n\n"x": 1, "description": "b ' in now
        assert await desk.side.count_set_aside() == 0

    play(tmp_path, scene)


def test_a_persona_is_synced_once_edited_and_may_be_created_again(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        await meet(desk, laptop)
        assert server.records == {}  # it was never edited
        for text in ("calm", "wild"):
            desk.personas.update(NEO, Persona("Neo", text))
            await meet(desk, laptop)
            assert laptop.personas.current.text == text and laptop.personas.own
            laptop.personas.reset(NEO)
            laptop.personas.refresh()
            await meet(laptop, desk)
            assert not desk.personas.own and desk.files() == []

    play(tmp_path, scene)


def test_the_name_of_a_figure_is_synced_and_used_if_it_exists(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        mimi = desk.add("Mimi")
        here = str(desk.home / "models" / "haru" / "Haru.model3.json")
        desk.fake.update(replace(desk.of(mimi), figure=here))
        desk.side._named = lambda path: path.name.split(".")[0]
        await meet(desk, laptop)
        assert laptop.of(mimi).figure is None  # an existing one
        assert str(desk.home).encode() not in b"".join(one.value for one in server.records.values())
        laptop.edit(mimi, description="edited where the figure is missing")
        await meet(laptop, desk)
        assert (desk.of(mimi).figure, desk.of(mimi).card.description[:6]) == (here, "edited")
        laptop.figures["Haru"] = "/other/Haru"
        laptop.load()
        assert laptop.of(mimi).figure == "/other/Haru"
        laptop.fake.update(replace(laptop.of(mimi), figure=""))
        await meet(laptop, desk)
        assert desk.of(mimi).figure == ""

    play(tmp_path, scene)


def test_the_character_of_a_conversation_and_of_its_memory_is_synced(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        mimi = desk.add("Mimi")
        talk, plain = [await desk.store.create_conversation("t") for _ in range(2)]
        await desk.character_assignments.choose(talk.id, mimi)
        await desk.character_assignments.set_own_memory(mimi, True)
        await meet(desk, laptop)
        assert (
            laptop.character_assignments.name(talk.id) == "Mimi"
            and laptop.character_assignments.character_of(plain.id) is None
        )
        assert (
            laptop.character_assignments.scope(talk.id) == mimi
            and laptop.character_assignments.scope(plain.id) == ""
        )
        told: list[int] = []
        desk.character_assignments.subscribe(lambda: told.append(1))
        await laptop.character_assignments.choose(talk.id, "")
        await laptop.character_assignments.set_own_memory(mimi, False)
        await meet(laptop, desk)
        assert (
            desk.character_assignments.character_of(talk.id) is None
            and not desk.character_assignments.has_separate_memory
            and told
        )
        await desk.store.delete_conversation(talk.id)
        await meet(desk, laptop)
        left = [one for one in server.records.values() if one.kind == "character"]
        assert left == []

    play(tmp_path, scene)


def test_assignments_from_before_this_version_are_migrated(tmp_path: Path) -> None:
    async def scene() -> None:
        store = await SqliteStore.open(tmp_path / "chat.db")
        talk = await store.create_conversation("t")
        kept = {"conversations": {talk.id: "mimi", "gone": "mo"}, "apart": ["mimi"]}
        await store.set_state("personas.chosen", json.dumps(kept | {"default": "mo"}))
        await store.aclose()
        connection = sqlite3.connect(tmp_path / "chat.db")
        for name in ("begun", "chosen", "dropped"):
            connection.execute(f"DROP TRIGGER shared_character_{name}")
        connection.execute("ALTER TABLE conversations DROP COLUMN character")
        connection.execute("DROP TABLE apart")
        connection.execute("DELETE FROM migrations WHERE name = '014-characters'")
        connection.commit()
        connection.close()
        newer = await SqliteStore.open(tmp_path / "chat.db")
        assert await newer.characters() == {talk.id: "mimi"}
        assert await newer.characters_apart() == {"mimi"}
        fake = CharacterLibrary(tmp_path / "characters")
        mo = fake.add(Card("Mo"))
        fake.load()
        cast = CharacterAssignments(newer, PersonaStore(tmp_path / "personas", NEO), fake)
        await cast.restore()
        assert cast.default is None and cast.has_own_memory("mimi")
        await cast.set_default(mo)
        assert await cast.assign_new(talk.id) is None
        await newer.aclose()

    asyncio.run(scene())


@pytest.mark.parametrize("trusted", [False, True])
def test_a_card_that_others_may_have_written_is_untrusted(trusted: bool, tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        mimi = desk.add("Mimi", description="a cat")
        desk.personas.update(NEO, Persona("Neo", "calm"))
        await meet(desk, laptop)
        origins = () if trusted else SYNC
        assert laptop.of(mimi).untrusted == laptop.personas.current.untrusted == origins
        assert desk.of(mimi).untrusted == desk.personas.current.untrusted == ()
        laptop.edit(mimi, description="a cat that I edited")
        assert laptop.of(mimi).untrusted == origins  # the rest is still written by others
        await meet(laptop, desk)
        assert desk.of(mimi).untrusted == origins
        laptop.fake.export(laptop.of(mimi), tmp_path / "out.json")
        assert "untrusted" not in (tmp_path / "out.json").read_text()

    play(tmp_path, scene, trusted=trusted)


CARD = {"data": {"name": "Mimi"}}


@pytest.mark.parametrize(
    ("kind", "one", "value"),
    [
        ("card", "../../evil", CARD),
        ("card", "a/b", CARD),
        ("card", ".hidden", CARD),
        ("card", "x.last-good", CARD),
        ("card", "con:x", CARD),
        ("card", "x", {"data": 3}),
        ("card", "x", [1]),
        ("card", "x", None),
        ("persona", "x", {"data": {"description": "no name"}}),
        ("portrait", "x", base64.b64encode(b"<svg>").decode()),
        ("portrait", "x", "?"),
        ("portrait", "x", base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\xff" * 40).decode()),
        ("portrait", "x", 3),
    ],
)
def test_an_invalid_character_is_ignored_and_written_nowhere(
    kind: str, one: str, value: object, tmp_path: Path
) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        server.break_record((kind, one), RecordVersion(5, "stranger"), encode_value(value))
        server.break_record(("persona", "gone"), RecordVersion(5, "stranger", deleted=True), b"")
        made = laptop.add("Mo")
        await laptop.exchange.sync()
        await desk.exchange.sync()
        assert desk.files() == [f"characters/{made}.json"]
        assert await desk.side.count_set_aside() == 2

    play(tmp_path, scene)
    assert {path.name for path in tmp_path.iterdir()} == {"desk", "laptop"}


def test_a_figure_of_others_is_never_a_path(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        for number, figure in enumerate(("/etc/passwd", "..\\x", 3, "x\ny")):
            ours = {"neodeskpet": {"figure": figure}}
            card = {"data": {"name": "Mimi", "extensions": ours}}
            server.break_record(
                ("card", f"c{number}"), RecordVersion(5, "stranger"), encode_value(card)
            )
        await desk.step()
        assert [one.figure for one in desk.fake.list_all()] == [None] * 4
        assert "passwd" not in "".join(
            path.read_text() for path in (desk.home / "characters").iterdir()
        )

    play(tmp_path, scene)


def test_a_file_that_can_not_be_sent_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        made = desk.add("Mimi")
        folder = desk.home / "characters"
        (folder / "broken.json").write_text("{")
        (folder / "large.json").write_text(json.dumps({"x": "y" * MAX_CARD_BYTES}))
        await desk.step()
        await laptop.step()
        assert await desk.side.count_set_aside() == 2
        assert laptop.files() == [f"characters/{made}.json"]
        (folder / "broken.json").write_text(json.dumps(CARD))
        await desk.step()
        await laptop.step()
        assert await desk.side.count_set_aside() == 1 and laptop.of("broken").card.name == "Mimi"

    play(tmp_path, scene)


def test_over_a_real_server_with_a_passphrase_nothing_of_a_card_can_be_read_there(
    tmp_path: Path,
) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        address = postgres().new_database()
        for one in (desk, laptop):
            one.link.close()
            access = ServerAccess(PASSWORD, "correct horse")
            one.link = ConnectionThread(lambda access=access: ServerConnection(address, access))  # type: ignore[misc]
            one.exchange = SyncEngine([ConversationReplica(one.store), one.side], one.link, "", "d")
        mimi = desk.add("Mimi", picture(), description="a cat with a secret")
        await meet(desk, laptop)
        assert laptop.of(mimi).card.description == "a cat with a secret"
        assert laptop.of(mimi).picture is not None and laptop.of(mimi).untrusted == ()
        query = "SELECT kind, encode(value, 'hex') FROM neodeskpet.records"
        rows = [(str(kind), str(value)) for kind, value in postgres().query(address, query)]
        assert {kind for kind, _ in rows} == {"card", "portrait"}
        assert not [value for _, value in rows if b"secret".hex() in value]
        laptop.fake.delete(mimi)
        await meet(laptop, desk)
        assert desk.files() == []

    play(tmp_path, scene)


def test_two_running_apps_share_characters_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, PASSWORD)

    async def until(true: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not true():  # noqa: ASYNC110 - seen from outside
                await asyncio.sleep(0.05)

    async def scene() -> None:
        address = postgres().new_database()
        desk, laptop = [await open_engine(tmp_path / name) for name in ("desk", "laptop")]
        for one in (desk, laptop):
            one.settings.change("sharing", "address", address)
        await until(lambda: desk.storage.sync.is_notified and laptop.storage.sync.is_notified)
        mimi = desk.storage.characters.library.add(Card("Mimi"))
        desk.storage.characters.library.load()
        desk.storage.characters.library.notify()
        await until(lambda: laptop.storage.characters.library.get(mimi) is not None)
        talk = await desk.chat.open_new()
        await desk.storage.characters.choose(talk.id, mimi)
        await until(lambda: laptop.storage.characters.name(talk.id) == "Mimi")
        laptop.storage.personas.update(laptop.storage.personas.figure, Persona("Nea", "calm"))
        laptop.storage.personas.refresh()
        await until(lambda: desk.storage.personas.current.name == "Nea")
        file = laptop.storage.home / "characters" / f"{mimi}.json"
        file.write_text(file.read_text().replace('"Mimi"', '"Momo"'))  # by hand
        laptop.storage.sync.sync_now()
        await until(lambda: desk.storage.characters.name(talk.id) == "Momo")
        assert laptop.storage.sync.state.fault is None
        for one in (desk, laptop):
            await one.aclose()

    asyncio.run(scene())


def test_a_file_that_can_not_be_written_now_stops_nothing_and_is_fetched_again(
    tmp_path: Path,
) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        made = [desk.add(f"Mimi {number}") for number in range(25)]  # more than one fetch
        desk.personas.update(NEO, Persona("Neo", "calm"))
        laptop.fake.folder.write_text("this is no folder")
        await desk.step()
        talk = await laptop.store.create_conversation("t")
        await laptop.step()
        assert await laptop.side.count_set_aside() == 25
        assert laptop.personas.current.text == "calm"
        await desk.step()
        assert [one.id for one in await desk.store.conversations()] == [talk.id]
        laptop.fake.folder.unlink()
        await laptop.step()
        assert {one.id for one in laptop.fake.list_all()} == {*made}
        assert await laptop.side.count_set_aside() == 0

    play(tmp_path, scene)


def test_a_missing_folder_deletes_nothing(tmp_path: Path) -> None:
    async def scene(desk: Computer, laptop: Computer, server: FakeSyncServer) -> None:
        made = desk.add("Mimi")
        await meet(desk, laptop)
        (desk.home / "characters").rename(desk.home / "elsewhere")
        await desk.step()
        await laptop.step()
        assert laptop.files() == [f"characters/{made}.json"]
        (desk.home / "elsewhere").rename(desk.home / "characters")
        await meet(desk, laptop)
        assert desk.files() == [f"characters/{made}.json"]

    play(tmp_path, scene)


def test_nothing_is_opened_before_sync_is_used(tmp_path: Path) -> None:
    async def scene() -> None:
        side = CharacterReplica(tmp_path)
        assert await side.count_pending() == 0 == await side.count_set_aside()
        told: list[int] = []
        side.subscribe(lambda: told.append(1))
        side.wake()
        assert told == [1]
        await side.aclose()

    asyncio.run(scene())
    assert not [*tmp_path.iterdir()]
