"""No text of a model, a tool or a user blocks one of our readers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hostile import READERS
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
HUNG = 480
"""Seconds. All readers read all texts in about twenty."""


@pytest.mark.timeout(HUNG + 20)
def test_no_text_blocks_a_reader() -> None:
    """One process for all readers: starting it takes as long as most of them do."""
    readers = sorted(READERS)
    with (
        unmeasured_children(),
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.hostile", *readers],
            cwd=_ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        try:
            output, _ = process.communicate(timeout=HUNG)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
    # The first reader without its line is the one that hangs.
    assert output.splitlines() == [f"{reader}: through" for reader in readers]
