"""Paths of the app."""

import subprocess
from pathlib import Path

import platformdirs
import pytest

from neodeskpet.platform.installation import assets_dir, data_dir, own_command


def test_the_chosen_folder_is_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "other"))
    chosen = tmp_path / "a" / "b"
    assert data_dir(str(chosen)) == chosen.resolve()
    assert chosen.is_dir()
    assert not (tmp_path / "other").exists()


def test_otherwise_the_folder_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "home"))
    assert data_dir() == (tmp_path / "home").resolve()
    assert data_dir("") == (tmp_path / "home").resolve()


def test_a_tilde_means_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert data_dir("~/pet") == (tmp_path / "pet").resolve()


def test_otherwise_the_folder_of_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_assets_exist() -> None:
    assert (assets_dir() / "companion").is_dir()


def test_the_shown_command_starts_this_program() -> None:
    said = subprocess.run(
        [*own_command(), "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert said.stdout.startswith("NeoDeskPet")
