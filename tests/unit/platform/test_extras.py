"""The extras of a bundle have the versions that the tests used, and are complete."""

from __future__ import annotations

import importlib.metadata
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from neodeskpet.platform.installation import EXTRAS, add_extras_to_path, extra_command, extras_dir

UNTESTED = {"meaning", "local-voice"}
"""Extras with large models. The environment of the tests doesn't have them."""
ROOT = Path(__file__).resolve().parents[3]


def pins(lock: str) -> dict[str, str]:
    lines = (ROOT / lock).read_text("utf-8").splitlines()
    found = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in found}


def test_the_versions_are_those_of_the_tests() -> None:
    tried = pins("requirements-test.lock")
    for name in set(EXTRAS) - UNTESTED:
        for pin in EXTRAS[name]:
            package, version = pin.split("==")
            assert tried[canonicalize_name(package)] == version, pin


def test_they_are_the_ones_in_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = project["optional-dependencies"]
    assert set(EXTRAS) == set(named) - {"test", "bench", "docs"}
    for name, pinned in EXTRAS.items():
        versions = {canonicalize_name(pin.split("==")[0]): pin.split("==")[1] for pin in pinned}
        for wanted in map(Requirement, named[name]):
            assert wanted.specifier.contains(versions[canonicalize_name(wanted.name)])


def test_no_dependency_is_missing() -> None:
    bundled = set(pins("requirements.lock"))
    for name in set(EXTRAS) - UNTESTED:
        there = bundled | {canonicalize_name(pin.split("==")[0]) for pin in EXTRAS[name]}
        for pin in EXTRAS[name]:
            needed = map(Requirement, importlib.metadata.requires(pin.split("==")[0]) or ())
            for one in needed:
                if one.marker is None or one.marker.evaluate({"extra": ""}):
                    assert canonicalize_name(one.name) in there, f"{pin} needs {one}"


def test_added_packages_are_found_and_replace_none(tmp_path: Path) -> None:
    code = (
        "from neodeskpet.platform.installation import extras_dir, add_extras_to_path\n"
        "place = extras_dir() / 'ocr'\n"
        "place.mkdir(parents=True)\n"
        "(place / 'added.py').write_text('X = 1')\n"
        "(place / 'json.py').write_text('X = 1')\n"
        "add_extras_to_path()\n"
        "import added, json\n"
        "print(added.X, hasattr(json, 'X'))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        env={"NEODESKPET_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["1", "False"]


def test_without_extras_nothing_changes() -> None:
    before = list(sys.path)
    add_extras_to_path()
    assert sys.path == before
    assert extras_dir().name.startswith("python-3.")


def test_the_command_works_in_any_folder_and_without_an_environment(tmp_path: Path) -> None:
    words = shlex.split(extra_command("ocr"))
    assert words[-3:] == ["extras", "add", "ocr"]
    listed = subprocess.run(
        words[:-2],
        cwd=tmp_path,
        env={"NEODESKPET_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert extra_command("ocr") in listed.stdout
