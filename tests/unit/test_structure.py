"""The shape of calls and constructors in the package, read from its syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "neodeskpet"


def unpacked_tuples(tree: ast.AST) -> Iterator[int]:
    """The lines of `*(a, b)`: written out, it only hides how many values there are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple):
            yield node.lineno


def test_no_call_hides_its_arguments_in_an_unpacked_tuple() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in unpacked_tuples(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_an_unpacked_tuple_is_found() -> None:
    tree = ast.parse("f(*(a, b), c)\ng(*rest)\nh(*(x for x in y))")
    assert list(unpacked_tuples(tree)) == [1]
