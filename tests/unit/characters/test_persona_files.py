"""The folder of personas: watched, never overwritten when broken, the last valid one kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.characters.persona import Persona, read_persona
from neodeskpet.characters.persona_files import (
    PersonaBroken,
    PersonaInTheWay,
    PersonaNotSaved,
    PersonaRestored,
    PersonaStore,
    bundled_figure,
    imported_figure,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.language import set_language
from neodeskpet.platform.installation import assets_dir

NEO = bundled_figure(assets_dir())
CAT = imported_figure("My cat/1", "models/cat")


@pytest.fixture
def told() -> list[KnownError]:
    return []


@pytest.fixture
def personas(tmp_path: Path, told: list[KnownError]) -> PersonaStore:
    return PersonaStore(tmp_path / "personas", CAT, on_fault=told.append)


def test_a_figure_without_a_card_is_neutral_and_neo_is_neo(personas: PersonaStore) -> None:
    assert personas.current.name == "My cat/1"
    assert "Neo" not in personas.current.prompt
    assert not personas.own
    personas.set_figure(NEO)
    assert "fox-cat spirit" in personas.current.prompt
    assert (personas.name_in("en"), personas.name_in("zh_CN")) == ("Neo", "尼奥")
    set_language("zh_CN")
    try:
        assert "狐猫" in personas.current.prompt
    finally:
        set_language("en")


def test_figures_of_one_name_have_cards_of_their_own() -> None:
    other = imported_figure("My cat/1", "elsewhere/cat")
    assert CAT.key != other.key
    assert "/" not in CAT.key


def test_a_saved_persona_is_used_and_can_be_undone(personas: PersonaStore) -> None:
    heard: list[str] = []
    end = personas.subscribe(lambda: heard.append(personas.current.name))
    personas.update(CAT, Persona("Mimi", "Calm.", "Meow."))
    assert personas.refresh()
    assert not personas.refresh()
    assert personas.current == personas.persona_of(CAT) == Persona("Mimi", "Calm.", "Meow.")
    assert personas.own
    assert personas.name_in("zh_CN") == "Mimi"
    personas.set_figure(NEO)
    personas.set_figure(CAT)
    personas.reset(CAT)
    personas.reset(CAT)
    personas.refresh()
    assert heard == ["Mimi", "Neo", "Mimi", "My cat/1"]
    assert list(personas.folder.iterdir()) == []
    end()


def test_a_broken_card_is_reported_kept_and_the_last_valid_one_used(
    personas: PersonaStore, told: list[KnownError]
) -> None:
    personas.update(CAT, Persona("Mimi"))
    personas.refresh()
    file = personas.path(CAT)
    file.write_text('{"data": ')
    personas.refresh()
    assert isinstance(personas.fault, PersonaRestored)
    assert "line 1" in str(told[-1])
    assert personas.current.name == "Mimi"
    again = PersonaStore(personas.folder, CAT)
    assert (again.current.name, type(again.fault)) == ("Mimi", PersonaRestored)
    with pytest.raises(PersonaInTheWay):
        personas.update(CAT, Persona("Mo"))
    assert file.read_text() == '{"data": '
    assert len(told) == 1
    personas.reset(CAT)
    personas.refresh()
    assert personas.fault is None
    assert personas.current.name == "My cat/1"
    (kept,) = personas.folder.iterdir()
    assert kept.read_text() == '{"data": '


def test_without_a_valid_one_the_current_persona_stays(tmp_path: Path) -> None:
    folder = tmp_path / "personas"
    folder.mkdir()
    (folder / "neo.json").write_bytes(b"\xff\xfe")
    personas = PersonaStore(folder, NEO)
    assert type(personas.fault) is PersonaBroken
    assert personas.current.name == personas.persona_of(NEO).name == "Neo"


def test_a_folder_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    personas = PersonaStore(tmp_path / "file", CAT)
    with pytest.raises(PersonaNotSaved):
        personas.update(CAT, Persona("Mo"))
    with pytest.raises(PersonaNotSaved):
        PersonaStore(tmp_path, CAT).update(CAT, Persona("Mo", "x" * 20_001))
    (tmp_path / f"{CAT.key}.json").mkdir()
    with pytest.raises(PersonaNotSaved):
        PersonaStore(tmp_path, CAT).update(CAT, Persona("Mo"))


def test_both_cards_of_neo_are_valid() -> None:
    assert NEO.bundled_personas is not None
    for file in NEO.bundled_personas.values():
        assert read_persona(file.read_text("utf-8")).text
