"""No text from a model, a tool or a person keeps one of our readers busy for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hostile import READERS
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
HUNG = 240  # seconds; through all texts it takes a few


@pytest.mark.parametrize("reader", sorted(READERS))
def test_it_comes_through(reader: str) -> None:
    with unmeasured_children():
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.hostile", reader],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=HUNG,
            check=False,
        )
    assert done.stdout == "through\n", done.stderr
