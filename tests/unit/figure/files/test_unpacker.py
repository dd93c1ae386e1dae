"""Figures are unpacked in a process of their own, with the same result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files import unpack_child
from neodeskpet.figure.files.unpacker import find_settings_in_child, unpack_in_child
from tests.unit.figure.files.test_model_import import files, pack


def test_an_archive_is_unpacked(tmp_path: Path) -> None:
    source = pack(tmp_path / "m.zip", {"in/Model.json": b"{}"})
    assert find_settings_in_child(source) == ("Model.json",)
    unpack_in_child(source, tmp_path / "out")
    assert files(tmp_path / "out") == ["in/Model.json"]


def test_refusals_are_passed_on(tmp_path: Path) -> None:
    source = pack(tmp_path / "m.zip", {"../out.json": b"{}"})
    with pytest.raises(ModelFileError) as refused:
        unpack_in_child(source, tmp_path / "out")
    assert refused.value.params == {"file": "m.zip"} and refused.value.detail
    assert not (tmp_path / "out.json").exists()


def test_a_slow_archive_is_refused(tmp_path: Path) -> None:
    source = pack(tmp_path / "m.zip", {"a.bin": bytes(15_000_000)})
    with pytest.raises(ModelFileError) as refused:
        unpack_in_child(source, tmp_path / "out", seconds=0.001)
    assert refused.value.detail == "Reading it took too long or too much memory."


def test_the_answers_of_the_child(tmp_path: Path) -> None:
    def answered(source: Path, target: str) -> object:
        question = {"source": str(source), "target": target, "language": "en"}
        return json.loads(unpack_child.answer(json.dumps(question).encode()))

    source = pack(tmp_path / "m.zip", {"Model.json": b"{}"})
    assert answered(source, "") == {"settings": ["Model.json"]}
    assert answered(source, str(tmp_path / "out")) == {}
    assert answered(tmp_path / "none", str(tmp_path / "two")) == {
        "refused": "It is neither a folder nor a zip file.",
        "file": "none",
    }
