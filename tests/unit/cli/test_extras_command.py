"""Extras of a bundle are installed completely or not at all, into the user's folder only."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from neodeskpet.cli.extras_command import run
from neodeskpet.platform.installation import EXTRAS, extras_dir


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Pip:
    """Installs one module into the given folder, or fails after half of it."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.asked: list[list[str]] = []

    def __call__(self, arguments: list[str]) -> int:
        self.asked.append(arguments)
        target = Path(arguments[arguments.index("--target") + 1])
        (target / "added.py").write_text("X = 1\n", "utf-8")
        return self.code


def test_an_extra_has_a_pinned_version_and_no_dependencies(home: Path) -> None:
    pip = Pip()
    assert run(["add", "postgres"], pip=pip) == 0
    (asked,) = pip.asked
    assert asked[-2:] == list(EXTRAS["postgres"])
    assert {"--no-deps", "--only-binary"} <= set(asked)
    assert (extras_dir() / "postgres" / "added.py").is_file()
    assert stat.S_IMODE((extras_dir() / "postgres").stat().st_mode) == 0o700
    assert extras_dir().is_relative_to(home)
    assert [one.name for one in extras_dir().iterdir()] == ["postgres"]


def test_a_failure_leaves_the_installed_one(capsys: pytest.CaptureFixture[str]) -> None:
    run(["add", "ocr"], pip=Pip())
    kept = extras_dir() / "ocr" / "kept"
    kept.touch()
    assert run(["add", "ocr"], pip=Pip(code=1)) == 1
    assert "Nothing was changed" in capsys.readouterr().err
    assert kept.is_file()
    assert [one.name for one in extras_dir().iterdir()] == ["ocr"]
    assert run(["add", "ocr"], pip=Pip()) == 0
    assert not kept.exists()


def test_a_folder_that_can_not_be_created_is_reported(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.write_text("no folder", "utf-8")
    assert run(["add", "ocr"], pip=Pip()) == 1
    assert "could not be added" in capsys.readouterr().err


def test_it_is_removed_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    run(["add", "local"], pip=Pip())
    assert run([]) == 0
    lines = capsys.readouterr().out.splitlines()[-len(EXTRAS) :]
    assert [line.split()[0] for line in lines] == sorted(EXTRAS)
    assert next(line for line in lines if line.startswith("local ")).endswith("added")
    assert run(["remove", "local"]) == 0
    assert not (extras_dir() / "local").exists()
    assert run(["remove", "local"]) == 1


def test_an_unknown_name_installs_nothing() -> None:
    pip = Pip()
    assert run(["add", "everything"], pip=pip) == 2
    assert pip.asked == []


def test_models_with_a_wrong_checksum_are_not_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["add", "local-voice"], pip=Pip()) == 1
    assert "is damaged" in capsys.readouterr().err
    assert list(extras_dir().iterdir()) == []
