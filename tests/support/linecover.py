"""Records which lines of the package ran, by SlipCover: a plugin of pytest, for processes that run
tests.

With coverage's tracer Python 3.11 runs all code slowly, also that of other packages. SlipCover puts
a probe before each line of the package's modules as they are loaded. At the end coverage gets the
lines, and reports as usual. Processes that tests start are traced by coverage itself.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from coverage import CoverageData
from slipcover import FileMatcher, ImportManager, Slipcover

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = _ROOT / "neodeskpet"
_DATA = os.environ.get("COVERAGE_FILE", str(_ROOT / ".coverage"))
# Probes stay: removing them searches all modules each time, which costs more than it saves.
_slip = Slipcover(d_miss_threshold=1 << 30)


def _works() -> bool:
    """Return whether this process runs tests, and doesn't just distribute them."""
    return "PYTEST_XDIST_WORKER" in os.environ


def pytest_load_initial_conftests() -> None:
    """Before anything of the package is loaded."""
    if not _works():
        return
    del os.environ["PYTEST_PLUGINS"]  # a pytest that a test starts must not record
    ImportManager(_slip, FileMatcher(sources=[_PACKAGE])).__enter__()
    os.environ["COVERAGE_PROCESS_START"] = str(_ROOT / "tests" / "children.coveragerc")
    os.environ["COVERAGE_PACKAGE"] = str(_PACKAGE)
    os.environ.setdefault("COVERAGE_FILE", _DATA)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Give coverage the lines, and the names of the files that were never loaded."""
    if not _works():
        return
    # new lines join the recorded ones; SlipCover's own count leaves annotations out
    _slip.get_coverage()
    data = CoverageData(_DATA, suffix=True)
    data.add_lines(_slip.all_seen)
    data.touch_files([str(file) for file in sorted(_PACKAGE.rglob("*.py"))])
    data.write()
