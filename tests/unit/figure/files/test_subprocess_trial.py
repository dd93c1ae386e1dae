from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from neodeskpet.figure.files.isolated_check import run_isolated
from neodeskpet.platform.async_tasks import spawn_task


def test_it_returns_the_output_and_the_exit_code() -> None:
    code, output = asyncio.run(run_isolated([sys.executable, "-c", "print('hi'); exit(3)"], 60.0))
    assert (code, output.strip()) == (3, b"hi")


def test_a_crash_is_a_negative_code() -> None:
    code, _ = asyncio.run(run_isolated([sys.executable, "-c", "import os; os.abort()"], 60.0))
    assert code not in (0, 1)


def test_it_finds_the_package_and_can_import_it() -> None:
    command = [sys.executable, "-c", "import neodeskpet.figure.files.isolated_check"]
    assert asyncio.run(run_isolated(command, 60.0))[0] == 0


def test_a_trial_that_takes_too_long_is_killed() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        asyncio.run(run_isolated([sys.executable, "-c", "import time; time.sleep(60)"], 0.2))


@pytest.mark.parametrize("ticks", [0, 1, 2, 40])
def test_a_cancelled_trial_leaves_nothing(ticks: int, tmp_path: Path) -> None:
    """Whenever it is cancelled, the process is ended (an open pipe would warn)."""
    script = f"import pathlib, time; time.sleep(20); pathlib.Path({str(tmp_path / 'x')!r}).touch()"

    async def story() -> None:
        running = spawn_task(run_isolated([sys.executable, "-c", script], 60.0), name="apart")
        for _ in range(ticks):
            await asyncio.sleep(0.005)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    asyncio.run(story())  # its end waits for the thread
    gc.collect()
    assert not (tmp_path / "x").exists()


def test_a_missing_program_raises() -> None:
    with pytest.raises(OSError, match="nowhere"):
        asyncio.run(run_isolated(["/nowhere/at/all"], 1.0))
