"""Run a module of this package in a process of its own: what may die there doesn't die here."""

from __future__ import annotations

import asyncio
import subprocess

from neodeskpet.children import child_environment


async def run_isolated(command: list[str], timeout: float) -> tuple[int, bytes]:
    """Exit code (negative: the signal that ended it) and stdout. The loop is never blocked.

    Raises subprocess.TimeoutExpired after `timeout` seconds, and OSError if it can't start; in
    no case does the process outlive the call.
    """
    child = _IsolatedProcess(command, timeout)
    try:
        return await asyncio.to_thread(child.run)
    finally:
        child.end()


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # The software renderer: the driver of the day is not on trial.
        env=child_environment() | {"LIBGL_ALWAYS_SOFTWARE": "1"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


class _IsolatedProcess:
    """One thread starts it and reads it to its end; another may end it at any moment (each tells
    the other first and looks then, so one of them always sees it).
    """

    def __init__(self, command: list[str], timeout: float) -> None:
        self._command = command
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = False

    def run(self) -> tuple[int, bytes]:
        process = self._process = _start(self._command)
        if self._unwanted:
            process.kill()
        with process:
            try:
                output = process.communicate(timeout=self._timeout)[0]
            finally:
                process.kill()
        return process.returncode, output

    def end(self) -> None:
        self._unwanted = True
        process = self._process
        if process is not None:
            process.kill()
