"""Characters that are kept, and who speaks in which conversation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.files import is_copy
from neodeskpet.memory.store import SqliteStore
from neodeskpet.personas.cards.card import Card, change, ours_of
from neodeskpet.personas.cards.faults import CardRefused
from neodeskpet.personas.cards.files import read_file, write_card
from neodeskpet.personas.cast import Cast
from neodeskpet.personas.personas import FigureName, Personas
from neodeskpet.personas.shelf import CharacterNotKept, CharacterShelf, ImportFailed, changed


def shelf_with(folder: Path, *names: str) -> tuple[CharacterShelf, list[str]]:
    shelf = CharacterShelf(folder / "characters")
    ids = [shelf.add(Card(name)) for name in names]
    shelf.load()
    return shelf, ids


def test_a_card_is_brought_changed_exported_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "mimi.png"
    file.write_bytes(write_card(Card("Mimi / ../x", description="calm"), b"", ".png"))
    shelf = CharacterShelf(tmp_path / "characters")
    shelf.load()
    assert shelf.all() == []
    told: list[int] = []
    end = shelf.observe(lambda: told.append(1))
    made = shelf.bring(file)
    shelf.load()
    shelf.tell()
    end()
    assert told == [1]
    files = [one for one in shelf.folder.iterdir() if not is_copy(one)]
    assert sorted(one.suffix for one in files) == [".json", ".png"]
    found = shelf.of(made)
    assert found is not None
    assert (found.card.name, found.figure) == ("Mimi / ../x", None)
    assert found.picture is not None

    card = change(found.card, description="wild")
    shelf.keep(replace(changed(found, card), figure="/models/x"))
    shelf.load()
    (again,) = shelf.named("MIMI / ../X ")
    assert shelf.named(again.id) == [again]
    assert (again.card.description, again.figure) == ("wild", "/models/x")
    shelf.keep(replace(again, figure=None))
    shelf.load()
    later = shelf.of(made)
    assert later is not None
    assert later.figure is None

    shelf.keep(again)
    for suffix in ("png", "json", "charx"):
        shelf.export(again, tmp_path / f"out.{suffix}")
        card, _ = read_file(tmp_path / f"out.{suffix}")
        assert card.description == "wild"
        assert not ours_of(card)
    shelf.remove(made)
    shelf.load()
    assert shelf.all() == []
    assert list(shelf.folder.iterdir()) == []


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    shelf, _ = shelf_with(tmp_path, "Mo")
    (shelf.folder / "bad.json").write_text("{", "utf-8")
    (shelf.folder / "folder.json").mkdir()
    with (shelf.folder / "huge.json").open("wb") as huge:
        huge.truncate(60_000_001)
    shelf.load()
    assert [one.card.name for one in shelf.all()] == ["Mo"]
    assert set(shelf.broken) == {"bad.json", "folder.json", "huge.json"}
    assert "no valid JSON" in shelf.broken["bad.json"]
    with pytest.raises(ImportFailed):
        shelf.bring(tmp_path / "nothing.png")
    with pytest.raises(CardRefused):
        shelf.bring(shelf.folder / "bad.json")
    with pytest.raises(CharacterNotKept):
        shelf.export(shelf.all()[0], tmp_path / "no" / "where.json")
    with pytest.raises(CharacterNotKept):
        shelf.remove("folder")
    blocked = CharacterShelf(tmp_path / "file")
    blocked.folder.write_text("", "utf-8")
    with pytest.raises(CharacterNotKept):
        blocked.add(Card("x"))
    blocked.load()
    assert blocked.all() == []


def test_who_speaks_is_chosen_by_conversation_and_so_is_whose_memory_it_is(
    tmp_path: Path,
) -> None:
    shelf, (mimi, mo) = shelf_with(tmp_path, "Mimi", "Mo")

    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas = Personas(tmp_path / "personas", FigureName("fig", "Figgy"))
        one, two, gone = [await store.create_conversation() for _ in range(3)]
        cast = Cast(store, personas, shelf)
        await cast.restore()
        told: list[int] = []
        cast.observe(lambda: told.append(1))
        assert cast.of(one.id) is None
        assert cast.name(one.id) == "Figgy"
        for info in (one, gone):
            await cast.choose(info.id, mimi)
        await cast.copied(one.id, two.id)
        await cast.copied("unknown", "other")
        assert cast.name(two.id) == "Mimi"
        assert not cast.divided
        await cast.set_apart(mimi, True)
        assert (cast.scope(one.id), cast.scope("other"), cast.divided) == (mimi, "", True)
        await cast.choose(two.id, mo)
        assert cast.scope(two.id) == ""
        assert told

        await store.delete_conversation(gone.id)
        later = Cast(store, personas, shelf)
        await later.restore()
        assert (later.name(one.id), later.name(two.id)) == ("Mimi", "Mo")
        assert later.apart(mimi) and not later.apart(mo)
        assert later.of(gone.id) is None
        await later.set_apart(mimi, False)
        await later.choose(one.id, "")
        assert later.name(one.id) == "Figgy"
        for torn in ("{torn", "[]", json.dumps({"other": 3})):
            await store.set_state("personas.chosen", torn)
            await later.restore()
            assert later.default is None and later.name(two.id) == "Mo"
        await store.close()

    asyncio.run(scene())


def test_new_conversations_get_one_and_those_that_are_there_stay(tmp_path: Path) -> None:
    shelf, (mimi, mo) = shelf_with(tmp_path, "Mimi", "Mo")

    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas = Personas(tmp_path / "personas", FigureName("fig", "Figgy"))
        old, new, asked, other = [await store.create_conversation() for _ in range(4)]
        cast = Cast(store, personas, shelf)
        assert cast.default is None and await cast.cast_new(old.id) is None
        await cast.set_default(mimi)
        later = Cast(store, personas, shelf)
        await later.restore()
        assert later.default is not None and later.default.id == mimi
        assert later.name(old.id) == "Figgy"
        assert await later.cast_new(new.id) is not None and later.name(new.id) == "Mimi"
        await later.choose(asked.id, "")
        assert await later.cast_new(asked.id) is None and later.name(asked.id) == "Figgy"
        await later.choose(other.id, mo)
        assert await later.cast_new(other.id) is None and later.name(other.id) == "Mo"
        shelf.remove(mimi)
        shelf.load()
        assert later.default is None and await later.cast_new("x") is None
        await store.close()

    asyncio.run(scene())


def test_a_card_broken_by_hand_is_named_and_its_last_good_one_used(tmp_path: Path) -> None:
    shelf = CharacterShelf(tmp_path)
    made = shelf.add(Card("Mimi", description="a cat"))
    shelf.load()
    (tmp_path / f"{made}.json").write_text('{"name": ')
    again = CharacterShelf(tmp_path)
    again.load()
    found = again.of(made)
    assert found is not None and found.card.description == "a cat"
    assert set(again.broken) == {f"{made}.json"}
    again.keep(found)
    (copy,) = tmp_path.glob("*.broken-*.json")
    assert copy.read_text() == '{"name": '
    again.load()
    assert again.broken == {} and len(again.all()) == 1
    again.remove(made)
    again.load()
    assert again.all() == []
