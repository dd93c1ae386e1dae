"""Which lines of the package ran, at a fraction of what it costs to trace them: a plugin of pytest.

Under coverage's tracer Python 3.11 runs all code slowly, other packages' too, our own up to four
times. Here the package's modules are compiled with a mark before each statement, which costs a few
nanoseconds; at the end coverage gets the marks, and reports as ever. Processes that the tests
start are traced by coverage itself: they end in many ways, and short ones are most of them.

`python -m tests.support.marks` compiles the package before, for the workers do the same at once.
"""

from __future__ import annotations

import ast
import builtins
import marshal
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from coverage import CoverageData

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = _ROOT / "neodeskpet"
_DATA = _ROOT / ".coverage"
_marked: dict[str, list[int]] = {}
"""By file: at the index of each line whether it ran."""


def compile_marked(source: bytes, file: str, name: str) -> CodeType:
    """The module's code, which says of each statement that it ran: `name[line] = 1`, before it."""
    tree = ast.parse(source, file)
    _Marker(name, source.splitlines()).visit(tree)
    return compile(tree, file, "exec", dont_inherit=True)


class _Marker(ast.NodeTransformer):
    def __init__(self, name: str, source: Sequence[bytes]) -> None:
        self._name, self._source = name, source

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements:
                setattr(node, field, self._mark_all(statements))
        if isinstance(node, ast.ExceptHandler):
            node.body.insert(0, self._mark(node, node.lineno))
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        lines: list[int] = []
        for case in node.cases:  # who comes to a case has looked at those before it
            lines.append(self._line_of(case))
            case.body[:0] = [self._mark(case.body[0], line) for line in lines]
        return node

    def _line_of(self, case: ast.match_case) -> int:
        line = case.pattern.lineno  # a bracket before it may be lines above
        while not self._source[line - 1].lstrip().startswith(b"case"):
            line -= 1
        return line

    def _mark_all(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        marked: list[ast.stmt] = []
        early: list[ast.stmt] = []  # what must stay first, and is marked after
        for place, statement in enumerate(statements):
            lines = [one.lineno for one in getattr(statement, "decorator_list", ())]
            marks = [self._mark(statement, line) for line in (*lines, statement.lineno)]
            if _stays_first(place, statement):
                marked.append(statement)
                early += marks
            else:
                marked += [*early, *marks, statement]
                early = []
        return marked + early

    def _mark(self, at: ast.AST, line: int) -> ast.stmt:
        target = ast.Subscript(ast.Name(self._name, ast.Load()), ast.Constant(line), ast.Store())
        mark = ast.Assign([target], ast.Constant(1))
        for node in ast.walk(mark):
            ast.copy_location(node, at)
        return mark


def _stays_first(place: int, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return place == 0 and is_text


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        file = self.get_filename(fullname)
        name = f"ran {file}"  # no source can say that name
        kept = Path(cache_from_source(file, optimization="marked"))
        about, ours = Path(file).stat(), Path(__file__).stat()
        stamp = f"{about.st_mtime_ns} {about.st_size} {ours.st_mtime_ns} {file}\n".encode()
        code = _read_code(kept, stamp)
        source = self.get_data(file)
        if code is None:
            code = compile_marked(source, file, name)
            _keep_code(kept, stamp + marshal.dumps(code))
        marks = _marked.setdefault(file, [0] * (source.count(b"\n") + 2))
        setattr(builtins, name, marks)
        return code


def _read_code(kept: Path, stamp: bytes) -> CodeType | None:
    try:
        held = kept.read_bytes()
    except FileNotFoundError:
        return None
    return marshal.loads(held[len(stamp) :]) if held.startswith(stamp) else None


def _keep_code(kept: Path, held: bytes) -> None:
    """Whole or not at all: several processes may do it at once."""
    kept.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as half:
        half.write(held)
    Path(half.name).replace(kept)


class _Finder:
    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _PACKAGE.name:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found and found.origin and Path(found.origin).is_relative_to(_PACKAGE):
            found.loader = _Loader(fullname, found.origin)
        return found


def pytest_load_initial_conftests() -> None:
    """From now on the package's modules are loaded with marks, where tests run."""
    if not _works():
        return
    del os.environ["PYTEST_PLUGINS"]  # of a pytest that a test starts nothing is wanted
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
    os.environ["COVERAGE_PROCESS_START"] = str(_ROOT / "tests" / "children.coveragerc")
    os.environ["COVERAGE_PACKAGE"] = str(_PACKAGE)
    os.environ.setdefault("COVERAGE_FILE", str(_DATA))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Give what was marked to coverage, and the names of the files that nobody loaded."""
    if not _works():
        return
    data = CoverageData(str(_DATA), suffix=True)
    data.add_lines({file: [at for at, ran in enumerate(m) if ran] for file, m in _marked.items()})
    data.touch_files(str(file) for file in _sources())
    data.write()


def _works() -> bool:
    """Whether this process runs tests, and doesn't just share them out."""
    return "PYTEST_XDIST_WORKER" in os.environ


@contextmanager
def unmarked() -> Iterator[None]:
    """What runs meanwhile doesn't count."""
    before = {file: list(marks) for file, marks in _marked.items()}
    try:
        yield
    finally:
        for file, marks in _marked.items():
            marks[:] = before.get(file) or [0] * len(marks)


def _sources() -> list[Path]:
    return sorted(_PACKAGE.rglob("*.py"))


def _prepare(file: Path) -> None:
    _Loader(_PACKAGE.name, str(file)).get_code(_PACKAGE.name)


if __name__ == "__main__":
    with ProcessPoolExecutor() as lanes:
        list(lanes.map(_prepare, _sources(), chunksize=20))
