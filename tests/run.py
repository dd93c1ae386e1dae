"""`./run test`: all tests in three processes with coverage, or pytest with the given arguments.
`./run test --fast`: core, protocols, memory and tools, without Qt and coverage.

Some tests wait for windows, servers and processes, and three run at once on two cores. If only a
few tests fail beside the others, they are run a second time, alone: a test that fails again is
broken. A test that passes alone is named at the end: it depends on timing, or the app does. It has
to be repaired, but it says nothing about the last change.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from json import loads
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_PYTHON = sys.executable
# Three processes for two cores: a test waits longer (for paints, servers, child processes) than it
# works. Worksteal keeps most tests of a file together, which share expensive fixtures, and no
# process is idle at the end.
_SHARED_OUT = ("-n", "3", "--dist", "worksteal")
# Tests that take less time than it takes to start three processes.
_ALONE = ("-n", "0")

# A plain clone doesn't have the recordings: coverage must not depend on them.
_WIRE = "tests/wire"


def call(*words: str, **more: str) -> int:
    """Run a module of this Python in the project's folder, with `more` in its environment; return
    its exit code.
    """
    environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", **more}
    # Stories start the program some hundred times: it must not be compiled again each time.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run(
        [_PYTHON, "-m", *words], cwd=_ROOT, env=environment, check=False
    ).returncode


def drop_halves() -> None:
    """Remove the data of processes that were killed while they wrote it: it can't be read."""
    for file in _ROOT.glob(".coverage.*"):
        try:
            with closing(sqlite3.connect(file)) as data:
                data.execute("SELECT version FROM coverage_schema, (SELECT count(*) FROM tracer)")
        except sqlite3.DatabaseError:
            file.unlink()


_FAILED = _ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
_FEW = 3


def run_tests(*words: str, **more: str) -> tuple[int, list[str]]:
    """Run pytest. Return its exit code, and the tests that passed alone the second time."""
    _FAILED.unlink(missing_ok=True)
    code = call("pytest", "-q", *words, **more)
    failed = sorted(loads(_FAILED.read_text())) if code == 1 and _FAILED.exists() else []
    if not 0 < len(failed) <= _FEW:
        return code, []
    print(f"Once more, alone: {', '.join(failed)}", flush=True)
    return (code, []) if call("pytest", "-q", *failed) else (0, failed)


_FAST = ("core", "llm/protocols", "memory", "toolkit", "tools")
"""Folders of `tests/unit` whose tests need no window."""
_NOT_FAST = ("memory/knowledge/test_hostile.py", "tools/builtin/test_reader.py")
"""Tests there that start many processes, or that need Qt."""


def run_fast(*words: str) -> int:
    folders = [f"tests/unit/{folder}" for folder in _FAST]
    config = ("-c", "tests/fast.ini", f"--rootdir={_ROOT}")
    left_out = [f"--ignore=tests/unit/{file}" for file in _NOT_FAST]
    shared_out = ("-n", "2", "--dist", "worksteal", "--hypothesis-profile=fast")
    return call("pytest", *config, *shared_out, *left_out, "-q", *folders, *words)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--fast"]:
        return run_fast(*arguments[1:])
    if arguments:
        return call("pytest", *arguments)
    call("coverage", "erase")
    plugin = "tests.support.linecover"
    failed, by_chance = run_tests(
        *_SHARED_OUT, "--durations=30", f"--ignore={_WIRE}", PYTEST_PLUGINS=plugin
    )
    wire_failed, more_by_chance = run_tests(*_ALONE, _WIRE)
    failed = wire_failed or failed
    drop_halves()
    call("coverage", "combine", "--quiet")
    short = call("coverage", "report", "--fail-under=85")
    drop_halves()  # of one that was killed with the tests; each report searches for more
    core = call("coverage", "report", "--include=neodeskpet/core/*", "--fail-under=100")
    for test in (*by_chance, *more_by_chance):
        print(f"Failed beside the others and passed alone, so it counts on a moment: {test}")
    return failed or short or core


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
