"""The walks in docs/walks.md go through existing functions, and enter each room once."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
_STEP = re.compile(r"`(neodeskpet/[\w/]+\.py):(\w+)`")
_LINE = re.compile(r"^\d+\. `(neodeskpet/[\w/]+)/\w+\.py:", re.MULTILINE)


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


@pytest.mark.parametrize(("file", "function"), sorted(set(_STEP.findall(TEXT))))
def test_each_step_exists(file: str, function: str) -> None:
    assert function in functions(file)


@pytest.mark.parametrize(
    "walk", TEXT.split("\n## ")[1:5], ids=["delta", "allow", "document", "reminder"]
)
def test_no_room_is_entered_twice(walk: str) -> None:
    rooms = [room for room, _ in groupby(_LINE.findall(walk))]
    assert len(rooms) >= 4
    assert len(rooms) == len(set(rooms))
