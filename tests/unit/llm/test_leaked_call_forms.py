"""The user's file of forms of leaked calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.llm.leaked_call_forms import FILE_NAME, LeakedCallForms, read_forms

FORM = {"name": "mine", "call": "#CALL {name} WITH {json} END#"}


def test_without_a_file_the_built_in_forms_are_used(tmp_path: Path) -> None:
    assert LeakedCallForms(tmp_path / FILE_NAME).families() == FAMILIES


def test_the_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    forms = LeakedCallForms(path)
    path.write_text(json.dumps([FORM]), "utf-8")
    assert [one.name for one in forms.families()][:2] == ["mine", FAMILIES[0].name]
    path.unlink()
    assert forms.families() == FAMILIES


def test_an_invalid_file_changes_nothing_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / FILE_NAME
    path.write_text('[{"name": "mine"}]', "utf-8")
    assert LeakedCallForms(path).families() == FAMILIES
    assert "a call, thinking or hidden marks" in caplog.text
    with pytest.raises(ValueError, match="a call, thinking or hidden marks"):
        read_forms(path)
