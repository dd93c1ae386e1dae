"""Run a module of this package in a process of its own: what may die there doesn't die here."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


async def run_apart(command: list[str], timeout: float) -> tuple[int, bytes]:
    """Exit code (negative: the signal that ended it) and stdout. The loop is never blocked.

    Raises subprocess.TimeoutExpired after `timeout` seconds, and OSError if it can't start; in
    no case does the process outlive the call.
    """
    process = await asyncio.to_thread(_start, command)
    try:
        output = await asyncio.to_thread(_communicate, process, timeout)
    finally:
        if process.poll() is None:
            process.kill()
    return process.returncode, output


def module_command(module: str, word: str) -> list[str]:
    """The command that runs `module`; a bundle has no modules, its program is told `model WORD`."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "model", word]
    return [sys.executable, "-m", module]


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(filter(None, (str(_PACKAGE), os.environ.get("PYTHONPATH", ""))))
    # The software renderer: the driver of the day is not on trial.
    environment = os.environ | {"PYTHONPATH": path, "LIBGL_ALWAYS_SOFTWARE": "1"}
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _communicate(process: subprocess.Popen[bytes], timeout: float) -> bytes:
    """All it wrote. Kills it when the time is over, and raises TimeoutExpired."""
    try:
        return process.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
