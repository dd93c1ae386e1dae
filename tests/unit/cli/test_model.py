from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.cli import model_command
from neodeskpet.figure.files.model_library import ModelLibrary
from neodeskpet.language import set_language
from tests.unit.figure.models import NEO, make_model


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    set_language("en")
    return tmp_path / "home"


def test_a_valid_figure_can_be_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert model_command.run(["check", str(NEO)]) == 0
    assert "can be used" in capsys.readouterr().out
    assert model_command.run(["check", str(NEO), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert "smile" in told["expressions"]
    assert told["motions"]["Idle"] > 1
    out = tmp_path / "sheet.png"
    assert model_command.run(["sheet", str(NEO), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_an_invalid_one_is_refused_with_file_and_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = make_model(tmp_path / "toy")
    assert model_command.run(["check", str(file)]) == 1
    assert "toy.moc3" in capsys.readouterr().err
    assert model_command.run(["check", str(file), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told == {"ok": False, "file": "toy.moc3", "reason": told["reason"]}
    assert told["reason"]
    assert model_command.run(["sheet", str(file), "--out", str(tmp_path / "x.png")]) == 1
    assert not (tmp_path / "x.png").exists()


def test_omissions_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from tests.unit.figure.models import copy_neo

    folder = copy_neo(tmp_path / "neo")
    (folder / "neo.pose3.json").write_text("[]")
    assert model_command.run(["check", str(folder)]) == 0
    assert "neo.pose3.json" in capsys.readouterr().out


def test_the_installed_figures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    library = ModelLibrary(home / "models", NEO)
    unpacked = library.unpack(make_model(tmp_path / "toy").parent)
    (kept,) = library.add(unpacked, unpacked.models)
    assert model_command.run(["list", "--json"]) == 0
    neo, toy = json.loads(capsys.readouterr().out)["models"]
    assert (neo["bundled"], toy["bundled"]) == (True, False)
    assert toy["path"] == str(kept)
    assert toy["motions"] == {"Idle": 1, "TapHead": 2}
    (kept / "toy.moc3").unlink()
    assert model_command.run(["list"]) == 0
    printed = capsys.readouterr().out
    assert "smile" in printed
    assert "toy.moc3" in printed


@pytest.mark.parametrize(
    "words",
    [[], ["check"], ["check", "/nowhere/at/all"], ["sheet", str(NEO)], ["nonsense"]],
)
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert model_command.run(words) == 2
    assert capsys.readouterr().err


def test_a_missing_folder_for_the_sheet(tmp_path: Path) -> None:
    assert model_command.run(["sheet", str(NEO), "--out", str(tmp_path / "no" / "x.png")]) == 2
