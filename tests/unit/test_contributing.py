"""The examples in CONTRIBUTING.md work: they are applied to a copy of the package and checked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"```python\n# (?P<head>[^\n]+)\n(?P<code>.*?)```", re.DOTALL)
_PLACE = re.compile(r"in (?P<file>\S+), (?P<how>after|instead of): (?P<line>.+)")


def add(root: Path, head: str, code: str) -> None:
    """Apply a block of CONTRIBUTING.md: a new file, or lines in an existing one at the
    named place.
    """
    place = _PLACE.fullmatch(head)
    if place is None:
        assert not (root / head).exists(), f"{head} exists"
        (root / head).write_text(code, encoding="utf-8")
        return
    file = root / place["file"]
    lines = file.read_text(encoding="utf-8").split("\n")
    (at,) = [number for number, line in enumerate(lines) if line.strip() == place["line"]]
    added = code.rstrip("\n").split("\n")
    imports = [line for line in added if line.startswith("from ")]
    rest = [line for line in added if not line.startswith("from ")]
    lines[at : at + 1] = rest if place["how"] == "instead of" else [lines[at], *rest]
    # A registry imports its entries after its own imports: before the first other line.
    if imports:
        ours = [at for at, line in enumerate(lines) if line.startswith("from neodeskpet")]
        lines[ours[0] : ours[0]] = imports
    file.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with all examples of CONTRIBUTING.md."""
    root = tmp_path_factory.mktemp("house")
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "neodeskpet", root / "neodeskpet", ignore=leave)
    for block in _BLOCK.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        add(root, block["head"], block["code"])
    return root


def run(house: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Not measured: the copy's files are deleted before the report is made.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment = {
        **kept,
        "PYTHONPATH": f"{house}{os.pathsep}{ROOT}",
        "QT_QPA_PLATFORM": "offscreen",
        "NEODESKPET_HOME": str(house / "home"),
    }
    return subprocess.run(
        [sys.executable, *words],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_examples_work(house: Path) -> None:
    done = run(house, "-m", "tests.support.contributed", str(house))
    assert done.returncode == 0, done.stderr[-3000:]
    assert not done.stderr
    assert done.stdout.split() == [
        "tool",
        "app",
        "setting",
        "page",
        "window",
        "block",
        "protocol",
        "dialect",
        "leaked",
        "source",
    ]


def test_a_new_command_is_found(house: Path) -> None:
    done = run(house, "-m", "neodeskpet", "hello", "world")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello, world\n", "")


def test_the_layers_are_the_checked_ones() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = text[text.index("    __main__ >") : text.index("`core` is pure")]
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    assert layers == [" ".join(layer.split()) for layer in shown.split(">")]


def test_named_classes_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z]\w+)\.(_?[a-z]\w+)`", _BLOCK.sub("", text)))
    package = [file.read_text(encoding="utf-8") for file in (ROOT / "neodeskpet").rglob("*.py")]
    for kind, member in named:
        homes = [code for code in package if re.search(rf"^class {kind}\b", code, re.MULTILINE)]
        there = [code for code in homes if re.search(rf"\b{member}\b", code)]
        assert there, f"{kind}.{member}"
    assert {"SideWindows", "WindowCaller"} <= {kind for kind, _ in named}


def test_each_shown_file_has_a_line_that_leads_to_it() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    heads = [block["head"] for block in _BLOCK.finditer(text)]
    files = [head for head in heads if not head.startswith("in ")]
    assert len(files) == 9
    assert len(heads) - len(files) == 12
