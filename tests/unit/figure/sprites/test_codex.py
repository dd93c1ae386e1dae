"""Pets of Codex: `pet.json` and the convention of the atlas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.simple_packs import read_pet
from tests.unit.figure.sprites.packs import pet


def test_a_pet(tmp_path: Path) -> None:
    recipe = read_pet(pet(tmp_path / "blob", displayName="Blob"))
    assert recipe.name == "Blob"
    assert list(recipe.strips)[:3] == ["idle", "running-right", "running-left"]
    assert len(recipe.strips["waving"].cuts) == 4
    assert not recipe.strips["jumping"].loops
    assert recipe.strips["review"].cuts[0][0].cell == (8, 0)
    assert len(recipe.looks) == 16


def test_nearly_all_fields_are_optional(tmp_path: Path) -> None:
    file = pet(tmp_path / "blob")
    file.write_text("{}")
    assert read_pet(file).name == "blob"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("[]", "object"),
        ("{", "JSON"),
        (json.dumps({"spritesheetPath": "../../secret.png"}), "outside"),
        (json.dumps({"spritesheetPath": "/etc/passwd"}), "missing"),
        (json.dumps({"spritesheetPath": "pet.json"}), "picture"),
        (json.dumps({"spritesheetPath": "a\0b"}), "missing"),
        (json.dumps({"spritesheetPath": "no.png"}), "missing"),
        (json.dumps({"spriteVersionNumber": 9}), "less than"),
    ],
)
def test_errors_have_reasons(tmp_path: Path, told: str, reason: str) -> None:
    file = pet(tmp_path / "blob")
    (tmp_path.parent / "secret.png").write_bytes(b"x")
    file.write_text(told)
    with pytest.raises(ModelFileError, match=reason):
        read_pet(file)
