"""Stored characters, and which one speaks in which conversation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from neodeskpet.characters.cards.card_errors import CardRefused
from neodeskpet.characters.cards.card_files import read_file, write_card
from neodeskpet.characters.cards.character_card import Card, app_data_of, change_card
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.character_library import (
    CharacterLibrary,
    CharacterNotKept,
    ImportFailed,
    with_card,
)
from neodeskpet.characters.persona_files import FigureName, PersonaStore
from neodeskpet.platform.private_files import is_copy
from neodeskpet.storage.conversation_store import SqliteStore


def shelf_with(folder: Path, *names: str) -> tuple[CharacterLibrary, list[str]]:
    library = CharacterLibrary(folder / "characters")
    ids = [library.add(Card(name)) for name in names]
    library.load()
    return library, ids


def test_a_card_is_imported_changed_exported_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "mimi.png"
    file.write_bytes(write_card(Card("Mimi / ../x", description="calm"), b"", ".png"))
    library = CharacterLibrary(tmp_path / "characters")
    library.load()
    assert library.list_all() == []
    told: list[int] = []
    end = library.subscribe(lambda: told.append(1))
    made = library.import_card(file)
    library.load()
    library.notify()
    end()
    assert told == [1]
    files = [one for one in library.folder.iterdir() if not is_copy(one)]
    assert sorted(one.suffix for one in files) == [".json", ".png"]
    found = library.get(made)
    assert found is not None
    assert (found.card.name, found.figure) == ("Mimi / ../x", None)
    assert found.picture is not None

    card = change_card(found.card, description="wild")
    library.update(replace(with_card(found, card), figure="/models/x"))
    library.load()
    (again,) = library.named("MIMI / ../X ")
    assert library.named(again.id) == [again]
    assert (again.card.description, again.figure) == ("wild", "/models/x")
    library.update(replace(again, figure=None))
    library.load()
    later = library.get(made)
    assert later is not None
    assert later.figure is None

    library.update(again)
    for suffix in ("png", "json", "charx"):
        library.export(again, tmp_path / f"out.{suffix}")
        card, _ = read_file(tmp_path / f"out.{suffix}")
        assert card.description == "wild"
        assert not app_data_of(card)
    library.delete(made)
    library.load()
    assert library.list_all() == []
    assert list(library.folder.iterdir()) == []


def test_unreadable_and_unwritable_files_are_named(tmp_path: Path) -> None:
    library, _ = shelf_with(tmp_path, "Mo")
    (library.folder / "bad.json").write_text("{", "utf-8")
    (library.folder / "folder.json").mkdir()
    with (library.folder / "huge.json").open("wb") as huge:
        huge.truncate(60_000_001)
    library.load()
    assert [one.card.name for one in library.list_all()] == ["Mo"]
    assert set(library.broken) == {"bad.json", "folder.json", "huge.json"}
    assert "not valid JSON" in library.broken["bad.json"]
    with pytest.raises(ImportFailed):
        library.import_card(tmp_path / "nothing.png")
    with pytest.raises(CardRefused):
        library.import_card(library.folder / "bad.json")
    with pytest.raises(CharacterNotKept):
        library.export(library.list_all()[0], tmp_path / "no" / "where.json")
    with pytest.raises(CharacterNotKept):
        library.delete("folder")
    blocked = CharacterLibrary(tmp_path / "file")
    blocked.folder.write_text("", "utf-8")
    with pytest.raises(CharacterNotKept):
        blocked.add(Card("x"))
    blocked.load()
    assert blocked.list_all() == []


def test_the_character_is_chosen_per_conversation_and_so_is_its_memory(
    tmp_path: Path,
) -> None:
    library, (mimi, mo) = shelf_with(tmp_path, "Mimi", "Mo")

    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas = PersonaStore(tmp_path / "personas", FigureName("fig", "Figgy"))
        one, two, gone = [await store.create_conversation() for _ in range(3)]
        cast = CharacterAssignments(store, personas, library)
        await cast.restore()
        told: list[int] = []
        cast.subscribe(lambda: told.append(1))
        assert cast.character_of(one.id) is None
        assert cast.name(one.id) == "Figgy"
        for info in (one, gone):
            await cast.choose(info.id, mimi)
        await cast.conversation_copied(one.id, two.id)
        await cast.conversation_copied("unknown", "other")
        assert cast.name(two.id) == "Mimi"
        assert not cast.has_separate_memory
        await cast.set_own_memory(mimi, True)
        assert (cast.scope(one.id), cast.scope("other"), cast.has_separate_memory) == (
            mimi,
            "",
            True,
        )
        await cast.choose(two.id, mo)
        assert cast.scope(two.id) == ""
        assert told

        await store.delete_conversation(gone.id)
        later = CharacterAssignments(store, personas, library)
        await later.restore()
        assert (later.name(one.id), later.name(two.id)) == ("Mimi", "Mo")
        assert later.has_own_memory(mimi) and not later.has_own_memory(mo)
        assert later.character_of(gone.id) is None
        await later.set_own_memory(mimi, False)
        await later.choose(one.id, "")
        assert later.name(one.id) == "Figgy"
        for torn in ("{torn", "[]", json.dumps({"other": 3})):
            await store.set_state("personas.chosen", torn)
            await later.restore()
            assert later.default is None and later.name(two.id) == "Mo"
        await store.aclose()

    asyncio.run(scene())


def test_new_conversations_get_one_and_existing_ones_stay(tmp_path: Path) -> None:
    library, (mimi, mo) = shelf_with(tmp_path, "Mimi", "Mo")

    async def scene() -> None:
        store = await SqliteStore.open(None)
        personas = PersonaStore(tmp_path / "personas", FigureName("fig", "Figgy"))
        old, new, asked, other = [await store.create_conversation() for _ in range(4)]
        cast = CharacterAssignments(store, personas, library)
        assert cast.default is None and await cast.assign_new(old.id) is None
        await cast.set_default(mimi)
        later = CharacterAssignments(store, personas, library)
        await later.restore()
        assert later.default is not None and later.default.id == mimi
        assert later.name(old.id) == "Figgy"
        assert await later.assign_new(new.id) is not None and later.name(new.id) == "Mimi"
        await later.choose(asked.id, "")
        assert await later.assign_new(asked.id) is None and later.name(asked.id) == "Figgy"
        await later.choose(other.id, mo)
        assert await later.assign_new(other.id) is None and later.name(other.id) == "Mo"
        library.delete(mimi)
        library.load()
        assert later.default is None and await later.assign_new("x") is None
        await store.aclose()

    asyncio.run(scene())


def test_a_card_that_was_broken_by_hand_is_named_and_its_last_valid_version_used(
    tmp_path: Path,
) -> None:
    library = CharacterLibrary(tmp_path)
    made = library.add(Card("Mimi", description="a cat"))
    library.load()
    (tmp_path / f"{made}.json").write_text('{"name": ')
    again = CharacterLibrary(tmp_path)
    again.load()
    found = again.get(made)
    assert found is not None and found.card.description == "a cat"
    assert set(again.broken) == {f"{made}.json"}
    again.update(found)
    (copy,) = tmp_path.glob("*.broken-*.json")
    assert copy.read_text() == '{"name": '
    again.load()
    assert again.broken == {} and len(again.list_all()) == 1
    again.delete(made)
    again.load()
    assert again.list_all() == []
