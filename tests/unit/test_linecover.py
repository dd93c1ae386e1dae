"""Lines that ran under SlipCover are reported to coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from coverage import CoverageData

from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_STORY = """
from neodeskpet.storage.database_schema import from_column

def test_it():
    assert from_column("x") == "x"
"""


def test_coverage_gets_the_lines_that_ran_and_the_files_that_were_never_loaded(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_it.py").write_text(_STORY)
    with unmeasured_children():
        told = {
            "PYTEST_PLUGINS": "tests.support.linecover",
            "PYTEST_XDIST_WORKER": "gw0",
            "COVERAGE_FILE": str(tmp_path / "data"),
        }
        words = ("--noconftest", "-p", "no:cacheprovider", "-q", str(tmp_path / "test_it.py"))
        subprocess.run(
            [sys.executable, "-m", "pytest", *words],
            cwd=_ROOT,
            env=os.environ | told,
            capture_output=True,
            check=True,
        )
    (file,) = tmp_path.glob("data.*")
    data = CoverageData(str(file))
    data.read()
    columns = _ROOT / "neodeskpet" / "storage" / "database_schema.py"
    lines = columns.read_text("utf-8").splitlines()
    ran = {lines[at - 1].strip() for at in data.lines(str(columns)) or ()}
    assert {"def to_column(text: str) -> StoredText:", "return value"} <= ran
    assert not {"text.encode()", 'return value.decode("utf-8", "surrogatepass")'} & ran
    assert data.lines(str(_ROOT / "neodeskpet" / "app" / "desktop_app.py")) == []
