"""No import cycles, neither at the top level nor inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

Graph = Mapping[str, frozenset[str]]


def modules_of(root: Path, package: str) -> dict[str, Path]:
    """Return all modules below `root`/`package` by their dotted names; a folder's is its
    `__init__`.
    """
    found = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(modules: Mapping[str, Path]) -> Graph:
    """Return which of `modules` each one imports, also within functions; imports for types only
    don't run.
    """
    graph = {}
    for name, path in modules.items():
        names = set(_imported(ast.parse(path.read_text(encoding="utf-8"))))
        # "from a import b" may mean the module a.b or a name in a.
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


def cycle(graph: Graph) -> list[str]:
    """Return the modules of an import cycle; [] if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_the_package_has_no_import_cycle() -> None:
    assert cycle(imports_of(modules_of(ROOT, "neodeskpet"))) == []


def test_a_cycle_through_a_function_is_found(tmp_path: Path) -> None:
    late = "def f():\n    from house.a import g\n    return g"
    write(tmp_path, {"a.py": "import house.b", "b.py": late})
    assert cycle(imports_of(modules_of(tmp_path, "house"))) != []


def write(root: Path, files: Mapping[str, str]) -> None:
    (root / "house").mkdir()
    for name, text in files.items():
        (root / "house" / name).write_text(text, encoding="utf-8")
