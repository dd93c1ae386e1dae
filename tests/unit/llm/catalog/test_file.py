from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from neodeskpet.core.errors import SettingsError
from neodeskpet.language import translate_error
from neodeskpet.llm.catalog.catalog_file import (
    CatalogBroken,
    CatalogChanged,
    CatalogFile,
    CatalogInTheWay,
    CatalogNotSaved,
    CatalogRestored,
)
from neodeskpet.llm.catalog.model_catalog import FILE_NAME, Catalog, catalog_of_service

ONE = catalog_of_service("openai", "http://one", "m1")
TWO = catalog_of_service("openai", "http://two", "m2")
KEY = "sk-0123456789abcdefghij"


def written(catalog: Catalog) -> str:
    return catalog.model_dump_json(exclude_defaults=True, indent=1)


def put(path: Path, text: str, age: int = 0) -> None:
    """Write the file with a time of its own: file systems may count in whole ticks."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000_000 + age, 1_000_000 + age))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


def test_without_a_file_there_is_no_catalogue_and_nothing_is_written(path: Path) -> None:
    file = CatalogFile(path)
    assert (file.catalog, file.fault) == (None, None)
    assert list(path.parent.iterdir()) == []


def test_a_valid_file_is_used(path: Path) -> None:
    put(path, "\ufeff" + written(ONE))
    file = CatalogFile(path)
    assert (file.catalog, file.fault) == (ONE, None)


def test_a_broken_file_is_reported_kept_and_replaced_by_the_last_valid_one(path: Path) -> None:
    put(path, written(ONE))
    CatalogFile(path)
    broken = '{\n "endpoints": [,]\n}'
    put(path, broken, 1)
    file = CatalogFile(path)
    assert file.catalog == ONE
    assert type(file.fault) is CatalogRestored
    what, hint = translate_error(file.fault)
    assert str(path) in what
    assert "line 2: Expecting value" in what
    assert "last valid" in hint
    assert path.read_text(encoding="utf-8") == broken


def test_a_broken_file_at_the_first_start_leaves_the_simple_settings(path: Path) -> None:
    put(path, "{")
    file = CatalogFile(path)
    assert file.catalog is None
    assert type(file.fault) is CatalogBroken
    assert "the service of the settings" in translate_error(file.fault)[1]


def test_many_errors_are_reported_briefly(path: Path) -> None:
    put(path, json.dumps({f"field{number}": 1 for number in range(9)}))
    fault = CatalogFile(path).fault
    assert fault is not None
    assert fault.detail.count("\n") == 5
    assert fault.detail.endswith("… and 4 more")


@pytest.mark.parametrize("data", [b'{"a":\n "\xff"}', b'{"a": "' + b" " * 6_000_000])
def test_a_file_that_is_no_text_is_an_error_too(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    fault = CatalogFile(path).fault
    assert fault is not None
    assert fault.detail in ("line 2: UTF-8", "it is too large")


def test_a_folder_in_its_place_is_an_error(path: Path) -> None:
    path.mkdir()
    assert isinstance(CatalogFile(path).fault, CatalogBroken)


def test_a_change_is_noticed_at_the_next_check(path: Path) -> None:
    heard: list[SettingsError] = []
    put(path, written(ONE))
    file = CatalogFile(path, on_fault=heard.append)
    assert not file.refresh()
    put(path, written(TWO), 1)
    assert file.refresh()
    assert file.catalog == TWO
    put(path, "{", 2)
    assert file.refresh()
    assert file.catalog == TWO
    assert [type(fault) for fault in heard] == [CatalogRestored]
    assert not file.refresh()
    put(path, written(ONE), 3)
    assert file.refresh()
    assert (file.catalog, file.fault) == (ONE, None)
    path.unlink()
    assert file.refresh()
    assert file.catalog is None
    assert len(heard) == 1


def test_a_saved_catalogue_is_used_and_read_again(path: Path) -> None:
    file = CatalogFile(path)
    file.save(ONE)
    assert file.catalog == ONE
    assert not file.refresh()
    assert CatalogFile(path).catalog == ONE
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_broken_file_is_never_overwritten_but_replaced_with_a_copy_that_has_no_keys(
    path: Path,
) -> None:
    put(path, json.dumps({"endpoints": [{"api_key": KEY, "name": "mine"}]}))
    file = CatalogFile(path)
    assert KEY not in str(file.fault)
    before = path.read_bytes()
    with pytest.raises(CatalogInTheWay):
        file.save(TWO)
    with pytest.raises(CatalogInTheWay):
        file.edit(lambda catalog: catalog, ONE)
    assert path.read_bytes() == before
    told = file.replace_broken(TWO)
    assert (CatalogFile(path).catalog, file.fault) == (TWO, None)
    (copy,) = path.parent.glob("llm-config.broken-*.json")
    assert copy == told
    assert "mine" in copy.read_text(encoding="utf-8")
    for left in path.parent.iterdir():
        assert KEY not in left.read_text(encoding="utf-8")


def test_an_edit_keeps_notes_and_can_be_undone(path: Path) -> None:
    noted = json.loads(written(ONE)) | {"_why": "the fast one"}
    put(path, json.dumps(noted))
    file = CatalogFile(path)
    edit = file.edit(lambda catalog: TWO, Catalog())
    assert file.catalog == TWO
    assert json.loads(path.read_text(encoding="utf-8"))["_why"] == "the fast one"
    file.revert(edit)
    assert file.catalog == ONE
    assert path.read_text(encoding="utf-8") == json.dumps(noted)


def test_comments_stay_at_an_edit(path: Path) -> None:
    text = written(ONE).replace("{", "{ // mine", 1).replace('"http://one"', '"http://one" /* 1 */')
    put(path, text)
    file = CatalogFile(path)
    assert file.catalog == ONE
    file.edit(lambda catalog: catalog.model_copy(update={"endpoints": TWO.endpoints}), ONE)
    assert path.read_text("utf-8") == text.replace("http://one", "http://two")


def test_the_first_edit_creates_the_file_and_undo_removes_it(path: Path) -> None:
    file = CatalogFile(path)
    edit = file.edit(lambda catalog: catalog, ONE)
    assert (edit.before, file.catalog) == (None, ONE)
    file.revert(edit)
    assert (file.catalog, list(path.parent.iterdir())) == (None, [])


def test_later_edits_are_not_lost_by_an_undo(path: Path) -> None:
    file = CatalogFile(path)
    first = file.edit(lambda catalog: catalog, ONE)
    file.edit(lambda catalog: TWO, Catalog())
    with pytest.raises(CatalogChanged):
        file.revert(first)
    assert CatalogFile(path).catalog == TWO


def test_observers_are_notified_of_every_change(path: Path) -> None:
    file = CatalogFile(path)
    heard: list[Catalog | None] = []
    end = file.subscribe(lambda: heard.append(file.catalog))
    edit = file.edit(lambda catalog: catalog, ONE)
    file.revert(edit)
    put(path, written(TWO), 1)
    file.refresh()
    file.refresh()
    end()
    end()
    file.save(ONE)
    assert heard == [ONE, None, TWO]


def test_an_edit_keeps_a_manual_change_made_just_before(path: Path) -> None:
    put(path, written(ONE))
    file = CatalogFile(path)
    put(path, written(TWO), 1)
    seen: list[Catalog] = []
    file.edit(lambda catalog: (seen.append(catalog), catalog)[1], Catalog())
    assert seen == [TWO]


def test_a_contradictory_catalogue_is_not_saved(path: Path) -> None:
    file = CatalogFile(path)
    file.save(ONE)
    wrong = Catalog(endpoints=ONE.endpoints, models=TWO.models + TWO.models)
    with pytest.raises(CatalogNotSaved):
        file.save(wrong)
    assert file.catalog == ONE
    assert CatalogFile(path).catalog == ONE


def test_a_folder_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    file = CatalogFile(tmp_path / "file" / FILE_NAME)
    with pytest.raises(CatalogNotSaved):
        file.save(ONE)
    assert file.catalog is None
