"""The structure of calls and constructors in the package, read from its syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "neodeskpet"


def trees(having: str) -> Iterator[tuple[str, ast.AST]]:
    """Return the names and syntax trees of all files of the package whose text matches `having`:
    parsing takes much longer than searching.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if re.search(having, source):
            yield str(path.relative_to(ROOT)), ast.parse(source)


def unpacked_tuples(tree: ast.AST) -> Iterator[int]:
    """Return the lines with `*(a, b)`: such a tuple only hides how many values there are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple):
            yield node.lineno


def test_no_call_hides_its_arguments_in_an_unpacked_tuple() -> None:
    found = [f"{name}:{line}" for name, tree in trees(r"\*\s*\(") for line in unpacked_tuples(tree)]
    assert found == []


def test_an_unpacked_tuple_is_found() -> None:
    tree = ast.parse("f(*(a, b), c)\ng(*rest)\nh(*(x for x in y))")
    assert list(unpacked_tuples(tree)) == [1]


MOST_PARAMETERS = 8


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Return all statements, also those in functions, and none of their expressions."""
    for part in ("body", "handlers", "cases", "orelse", "finalbody"):
        for node in getattr(tree, part, ()):
            yield node
            yield from statements(node)


def constructors(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Return the classes with the number of values that their constructor takes: the parameters of
    `__init__`, or the fields without a default of a dataclass that is not frozen. A frozen
    dataclass is a record of named values: its fields are not counted.
    """
    for node in statements(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for one in node.body:
            if isinstance(one, ast.FunctionDef) and one.name == "__init__":
                given = one.args
                count = len([*given.posonlyargs, *given.args, *given.kwonlyargs]) - 1
                yield node.name, count + sum(x is not None for x in (given.vararg, given.kwarg))
        written = [ast.unparse(one) for one in node.decorator_list]
        if any(one.startswith("dataclass") and "frozen=True" not in one for one in written):
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
            yield node.name, sum(one.value is None for one in fields)


def test_no_constructor_takes_more_than_eight_parameters() -> None:
    found = [
        f"{file}: {name} ({count})"
        for file, tree in trees(r"def __init__|@dataclass")
        for name, count in constructors(tree)
        if count > MOST_PARAMETERS
    ]
    assert found == []


def test_parameters_and_fields_are_counted() -> None:
    tree = ast.parse(
        "class A:\n def __init__(self, a, *, b, **c): ...\n"
        "@dataclass(slots=True)\nclass B:\n a: int\n b: int = field(init=False)\n"
        "@dataclass(frozen=True)\nclass C:\n a: int\n"
        "def f():\n try:\n  pass\n except ValueError:\n  class D:\n   def __init__(self): ...\n"
    )
    assert list(constructors(tree)) == [("A", 3), ("B", 1), ("D", 0)]


def test_services_are_complete_after_construction() -> None:
    """The composition root sets no attribute of a service after its construction."""
    found = [
        f"{name}:{node.lineno}"
        for name in ("app/engine.py", "app/services.py")
        for node in ast.walk(ast.parse((PACKAGE / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute)
    ]
    assert found == []
