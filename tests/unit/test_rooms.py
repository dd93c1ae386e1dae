"""The rooms stay small enough to be known: few files in each, short ways, and no circles."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MOST_FILES = 20
LONGEST_CHAIN = 8

Graph = Mapping[str, frozenset[str]]


def modules_of(root: Path, package: str) -> dict[str, Path]:
    """All modules below `root`/`package` by their dotted names; a folder's is its `__init__`."""
    found = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(modules: Mapping[str, Path]) -> Graph:
    """Which of `modules` each imports, also within functions; those for types alone don't run."""
    graph = {}
    for name, path in modules.items():
        names = set(_imported(ast.parse(path.read_text(encoding="utf-8"))))
        # "from a import b" may mean the module a.b or something in a.
        known = {one if one in modules else one.rpartition(".")[0] for one in names}
        graph[name] = frozenset((known & modules.keys()) - {name})
    return graph


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "imports are absolute"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imported(child)


def circle(graph: Graph) -> list[str]:
    """The modules of an import circle; [] if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def longest_chain(graph: Graph, room: frozenset[str]) -> tuple[str, ...]:
    """The longest way of imports that stays among the modules of `room`."""

    @cache
    def down(name: str) -> tuple[str, ...]:
        ways = [down(below) for below in sorted(graph[name] & room)]
        return (name, *max(ways, key=len, default=()))

    return max(map(down, sorted(room)), key=len)


def rooms_of(modules: Mapping[str, Path], root: Path) -> dict[str, frozenset[str]]:
    """The modules that lie in each folder, without its `__init__`."""
    folders: dict[str, set[str]] = {}
    for name, path in modules.items():
        if path.name != "__init__.py":
            folders.setdefault(path.parent.relative_to(root).as_posix(), set()).add(name)
    return {folder: frozenset(names) for folder, names in folders.items()}


def complaints(root: Path, package: str) -> list[str]:
    """What is wrong with the rooms of `package`."""
    modules = modules_of(root, package)
    graph = imports_of(modules)
    wrong = []
    if found := circle(graph):
        return ["a circle: " + " > ".join(found)]
    for folder, room in sorted(rooms_of(modules, root).items()):
        if len(room) > MOST_FILES:
            wrong.append(f"{folder}: {len(room)} files")
        chain = longest_chain(graph, room)
        if len(chain) > LONGEST_CHAIN:
            wrong.append(f"{folder}: " + " > ".join(one.rpartition(".")[2] for one in chain))
    return wrong


def test_the_rooms_are_small_and_their_ways_short() -> None:
    assert complaints(ROOT, "neodeskpet") == []


def test_a_room_with_too_many_files_is_told(tmp_path: Path) -> None:
    write(tmp_path, {f"m{number}.py": "" for number in range(21)})
    assert complaints(tmp_path, "house") == ["house: 21 files"]


def test_a_long_way_is_told(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"from house import m{number + 1}" for number in range(8)}
    write(tmp_path, {**files, "m8.py": "import os"})
    (found,) = complaints(tmp_path, "house")
    assert found == "house: m0 > m1 > m2 > m3 > m4 > m5 > m6 > m7 > m8"


def test_a_circle_is_told_also_through_a_function(tmp_path: Path) -> None:
    late = "def f():\n    from house.a import g\n    return g"
    write(tmp_path, {"a.py": "import house.b", "b.py": late})
    (found,) = complaints(tmp_path, "house")
    assert found.startswith("a circle: ")


def write(root: Path, files: Mapping[str, str]) -> None:
    (root / "house").mkdir()
    for name, text in files.items():
        (root / "house" / name).write_text(text, encoding="utf-8")
