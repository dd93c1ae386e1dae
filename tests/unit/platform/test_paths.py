"""Where things lie."""

import subprocess
from pathlib import Path

import platformdirs
import pytest

from neodeskpet.platform.installation import assets_dir, data_dir, own_command


def test_the_folder_that_was_chosen_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "other"))
    chosen = tmp_path / "a" / "b"
    assert data_dir(str(chosen)) == chosen.resolve()
    assert chosen.is_dir()
    assert not (tmp_path / "other").exists()


def test_else_the_one_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "home"))
    assert data_dir() == (tmp_path / "home").resolve()
    assert data_dir("") == (tmp_path / "home").resolve()


def test_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert data_dir("~/pet") == (tmp_path / "pet").resolve()


def test_else_the_platform_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEODESKPET_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    found = data_dir()
    assert found == Path(platformdirs.user_data_dir("NeoDeskPet")).resolve()
    assert found.is_dir()


def test_a_relative_folder_becomes_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert data_dir("here") == (tmp_path / "here").resolve()


def test_the_assets_are_there() -> None:
    assert (assets_dir() / "companion").is_dir()


def test_the_command_that_is_told_starts_this_program() -> None:
    said = subprocess.run(
        [*own_command(), "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert said.stdout.startswith("NeoDeskPet")
