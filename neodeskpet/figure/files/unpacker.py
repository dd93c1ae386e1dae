"""Unpacks figures in a process with limits of memory and time: untrusted archives may be
malicious.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neodeskpet.figure.files.model_reader import file_error
from neodeskpet.language import language, tr
from neodeskpet.platform.child_process import FrameWorker

_SECONDS = 180.0
_LOOK_SECONDS = 20.0


def unpack_in_child(source: Path, target: Path, seconds: float = _SECONDS) -> None:
    """Copy the folder, zip or settings file `source` into `target`, a new folder. Slow: call it in
    a thread. Raises ModelFileError; the caller removes the files that were written before the
    error.
    """
    reply = _ask(source, str(target), seconds)
    if reply is None:
        raise file_error(source.name, tr("Reading it took too long or too much memory."))
    if "refused" in reply:
        raise file_error(reply["file"], reply["refused"])


def find_settings_in_child(source: Path) -> tuple[str, ...]:
    """Return the names of the settings files by which it looks like a figure. Slow: call it in a
    thread.
    """
    reply = _ask(source, "", _LOOK_SECONDS)
    return tuple(reply["settings"]) if reply is not None else ()


def _ask(source: Path, target: str, seconds: float) -> dict[str, Any] | None:
    child = FrameWorker("unpack", seconds)
    question = {"source": str(source), "target": target, "language": language()}
    try:
        answer = child.ask(json.dumps(question).encode())
    finally:
        child.close()
    reply: dict[str, Any] | None = None if answer is None else json.loads(answer)
    return reply
