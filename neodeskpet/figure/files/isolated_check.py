"""Runs a module in a separate process, and stores the verdict of a check by the hash of the model's
content.
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
    """Run a command; return the exit code (negative: the signal that ended it) and stdout. The
    event loop is not blocked.

    Raises subprocess.TimeoutExpired after `timeout` seconds, and OSError if the process can't
    start; the process never outlives the call.
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
        # The software renderer: the graphics driver is not part of the check.
        env=child_environment() | {"LIBGL_ALWAYS_SOFTWARE": "1"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


class _IsolatedProcess:
    """A process that one thread starts and reads; another thread may end it at any time. Each
    thread sets its own mark before it looks at the other's, so at least one of them sees both.
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
    """The result of a check. `reason` is "" if the model may be used; `reach` is
    `ModelDescription.reach`; `seal` is the hash of the checked copy.
    """

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    reach: tuple[Number, Number, Number, Number] | None = None
    seal: str = ""


class ShippedVerdicts(RootModel[dict[str, CheckVerdict]]):
    """Verdicts by the digest of the checked content."""


def known_verdict(folder: Path) -> CheckVerdict | None:
    """Return the stored verdict; None if there is none or the copy has changed."""
    try:
        verdict = CheckVerdict.model_validate_json((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return verdict if verdict.seal == _seal(folder) else None


def shipped_verdict(digest: str, file: Path = SHIPPED_VERDICTS) -> CheckVerdict | None:
    """Return the verdict from the build of the app; None for models that don't come with
    the app.
    """
    try:
        return ShippedVerdicts.model_validate_json(file.read_bytes()).root.get(digest)
    except (OSError, ValueError):
        _log.warning("The shipped verdicts can't be read", exc_info=True)
        return None


def store_verdict(folder: Path, verdict: CheckVerdict) -> None:
    """Store the verdict beside the copy; if that fails, the model is checked again the
    next time.
    """
    try:
        sealed = verdict.model_copy(update={"seal": _seal(folder)})
        (folder / _FILE).write_text(sealed.model_dump_json(), encoding="utf-8")
    except OSError:
        _log.warning("The verdict about %s could not be stored", folder, exc_info=True)


def _seal(folder: Path) -> str:
    """Return the hash of the copy's files, which may have been changed or damaged."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.name != _FILE):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
