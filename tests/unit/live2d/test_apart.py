from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from neodeskpet.live2d.apart import module_command, run_apart


def test_it_tells_the_output_and_how_it_ended() -> None:
    code, output = asyncio.run(run_apart([sys.executable, "-c", "print('hi'); exit(3)"], 60.0))
    assert (code, output.strip()) == (3, b"hi")


def test_a_death_is_told_as_a_negative_code() -> None:
    code, _ = asyncio.run(run_apart([sys.executable, "-c", "import os; os.abort()"], 60.0))
    assert code not in (0, 1)


def test_it_finds_the_package_and_can_import_it() -> None:
    command = [sys.executable, "-c", "import neodeskpet.live2d.apart"]
    assert asyncio.run(run_apart(command, 60.0))[0] == 0


def test_what_takes_too_long_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        asyncio.run(run_apart([sys.executable, "-c", "import time; time.sleep(60)"], 0.2))


def test_what_isnt_there_raises() -> None:
    with pytest.raises(OSError, match="nowhere"):
        asyncio.run(run_apart(["/nowhere/at/all"], 1.0))


def test_the_command_runs_the_module() -> None:
    assert module_command("a.b", "word") == [sys.executable, "-m", "a.b"]
