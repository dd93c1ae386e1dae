"""Runs a module in a process of its own, and stores what a check found about a model by the hash of
its content.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import subprocess
from pathlib import Path

from pydantic import BaseModel, ConfigDict, RootModel

from neodeskpet.figure.files.live2d_formats import Number
from neodeskpet.platform.child_process import child_environment
from neodeskpet.platform.installation import assets_dir


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


_log = logging.getLogger(__name__)

_FILE = "verdict.json"
SHIPPED_VERDICTS = assets_dir() / "companion" / "verdicts.json"


class CheckVerdict(BaseModel):
    """`reason` is "" when the model may be used; `reach` is `ModelDescription.reach`; `seal` the
    hash of the copy it is about.
    """

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    reach: tuple[Number, Number, Number, Number] | None = None
    seal: str = ""


class ShippedVerdicts(RootModel[dict[str, CheckVerdict]]):
    """Verdicts by the digest of what was tried."""


def known_verdict(folder: Path) -> CheckVerdict | None:
    """What was found before; None if nothing, or if the copy isn't what it was then."""
    try:
        verdict = CheckVerdict.model_validate_json((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return verdict if verdict.seal == _seal(folder) else None


def shipped_verdict(digest: str, file: Path = SHIPPED_VERDICTS) -> CheckVerdict | None:
    """What was found when the app was built; None for all that isn't the app's own."""
    try:
        return ShippedVerdicts.model_validate_json(file.read_bytes()).root.get(digest)
    except (OSError, ValueError):
        _log.warning("The shipped verdicts can't be read", exc_info=True)
        return None


def store_verdict(folder: Path, verdict: CheckVerdict) -> None:
    """Keep it beside the copy; where that fails the model is tried again the next time."""
    try:
        sealed = verdict.model_copy(update={"seal": _seal(folder)})
        (folder / _FILE).write_text(sealed.model_dump_json(), encoding="utf-8")
    except OSError:
        _log.warning("The verdict about %s could not be stored", folder, exc_info=True)


def _seal(folder: Path) -> str:
    """The hash of the copy's files, which a disk or a person may have changed."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.name != _FILE):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
