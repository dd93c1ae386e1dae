"""The process that watches the app, with a program that a C function blocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neodeskpet.app.crash_reports import CrashReports
from tests.support.atspi import Reader, private_bus
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[3]
_TIMEOUT = 60.0  # seconds


@pytest.fixture
def bus() -> Iterator[dict[str, str]]:
    with private_bus() as environment:
        yield environment


@pytest.fixture(params=["signal", "timer"])
def hung(
    tmp_path: Path, bus: dict[str, str], request: pytest.FixtureRequest
) -> Iterator[subprocess.Popen[str]]:
    """Its stacks are requested by a signal, or written by a timer, as on Windows."""
    command = [sys.executable, "-m", "tests.support.hungapp", str(tmp_path)]
    command += [str(again(tmp_path)), "1", request.param]
    with (
        unmeasured_children(),
        subprocess.Popen(command, cwd=_ROOT, env=bus, stdout=subprocess.PIPE, text=True) as app,
    ):
        try:
            assert app.stdout is not None
            assert app.stdout.readline() == "hangs\n"
            yield app
        finally:
            app.kill()


def again(home: Path) -> Path:
    return home / "again"


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + _TIMEOUT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def record(home: Path) -> str:
    (found,) = (home / "crashes" / "running").glob("*.txt")
    return found.read_text("utf-8")


def test_a_second_sigterm_kills_it(hung: subprocess.Popen[str]) -> None:
    hung.send_signal(signal.SIGTERM)
    hung.send_signal(signal.SIGTERM)
    assert hung.wait(_TIMEOUT) == -signal.SIGKILL


def test_one_sigterm_kills_it_after_a_while(hung: subprocess.Popen[str]) -> None:
    os.kill(hung.pid, signal.SIGTERM)
    assert hung.wait(_TIMEOUT) == -signal.SIGKILL


def test_restart_ends_it_and_starts_it_again(
    tmp_path: Path, hung: subprocess.Popen[str], bus: dict[str, str]
) -> None:
    until(lambda: "in keep_lock" in record(tmp_path))
    with Reader(bus) as reader:
        root = reader.application("neodeskpet")
        restart = next(node for node in reader.walk(root) if node.name == "Restart")
        reader.act(restart)
    assert hung.wait(_TIMEOUT) == -signal.SIGKILL
    until(again(tmp_path).exists)
    last = CrashReports(tmp_path).collect_reports()
    assert (last.consecutive_crashes, last.ended_silently) == (1, False)
    assert last.report is not None
    assert "in keep_lock" in last.report.read_text("utf-8")
