"""`./run` reports its setup in sentences: what it does, and what prevents it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt)"


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with `run`, whose system lacks a package and whose Python packages do nothing."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "debian-packages.txt").write_text("libodd1\n", encoding="utf-8")
    for name in ("requirements.lock", "requirements-test.lock", "requirements-model.lock"):
        (tmp_path / name).write_text("one==1\ntwo==2\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "run", tmp_path)
    for folder in ("bin", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    program(tmp_path / "bin", "dpkg-query", "exit 1")
    program(tmp_path / "bin", "id", "echo 0")
    return tmp_path


def run(checkout: Path, word: str = "translate") -> tuple[int, str]:
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["./run", word],
        cwd=checkout,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_locked_package_system_is_reported_in_a_sentence(checkout: Path) -> None:
    program(checkout / "bin", "apt-get", f"echo '{LOCKED}' >&2; exit 100")
    code, said = run(checkout)
    assert code == 1
    assert "Another program is installing packages" in said
    assert "lock-frontend" not in said


def test_another_failure_is_reported_with_its_last_lines(checkout: Path) -> None:
    program(checkout / "bin", "apt-get", "echo 'E: Unable to locate package libodd1'; exit 100")
    code, said = run(checkout)
    assert code == 1
    assert "E: Unable to locate package libodd1" in said
    assert "could not be installed" in said


def test_each_package_is_named_when_it_is_installed(checkout: Path) -> None:
    program(checkout / "bin", "apt-get", "exit 0")
    pip = "[ \"$2\" = pip ] && echo 'Collecting one==1 (from -r x)' || true"
    program(checkout / ".venv" / "bin", "python", pip)
    code, said = run(checkout)
    assert code == 0
    assert "about 2 Python packages" in said
    assert "1: one\n" in said
    assert list((checkout / ".venv").glob("stamp-*"))


def test_the_environment_of_the_tests_runs_the_app(checkout: Path) -> None:
    program(checkout / "bin", "apt-get", "exit 0")
    program(checkout / ".venv" / "bin", "python", "exit 0")
    assert "Setting up" in run(checkout)[1]
    assert run(checkout, "chat") == (0, "")
    (checkout / "requirements.lock").write_text("one==2\ntwo==2\n", encoding="utf-8")
    assert "Setting up" in run(checkout, "chat")[1]


def test_the_environment_of_the_tests_has_all_packages_of_the_app() -> None:
    app, tests = (
        {line for line in (ROOT / lock).read_text("utf-8").splitlines() if "==" in line}
        for lock in ("requirements.lock", "requirements-test.lock")
    )
    assert app and app <= tests


def test_a_package_that_is_not_available(checkout: Path) -> None:
    program(checkout / "bin", "apt-get", "exit 0")
    pip = "[ \"$2\" = pip ] && { echo 'ERROR: No matching distribution found for one==1'; exit 1; }"
    program(checkout / ".venv" / "bin", "python", pip)
    code, said = run(checkout)
    assert code == 1
    assert "No matching distribution found for one==1" in said
    assert "Is there a network?" in said
    assert not list((checkout / ".venv").glob("stamp-*"))
