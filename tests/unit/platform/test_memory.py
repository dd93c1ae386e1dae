"""The memory use of a process."""

from __future__ import annotations

import os
from pathlib import Path

from neodeskpet.platform.process_memory import process_memory


def fake_proc(folder: Path) -> Path:
    (folder / "7").mkdir()
    (folder / "7" / "status").write_text("Name:\tx\nVmPeak:\t 9 kB\nVmRSS:\t  2048 kB\n")
    return folder


def test_values_of_proc(tmp_path: Path) -> None:
    proc = fake_proc(tmp_path)
    assert process_memory(7, proc) == 2048 * 1024


def test_an_ended_process_has_no_value(tmp_path: Path) -> None:
    assert process_memory(8, fake_proc(tmp_path)) is None
    (tmp_path / "7" / "status").write_text("State: Z (zombie)\n")
    assert process_memory(7, tmp_path) is None


def test_this_process_has_a_value() -> None:
    assert (process_memory(os.getpid()) or 0) > 1_000_000


def test_without_proc_there_is_no_value(tmp_path: Path) -> None:
    assert process_memory(-1, tmp_path / "none") is None
