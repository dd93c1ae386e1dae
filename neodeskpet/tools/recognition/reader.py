"""Reads the words in a picture, in a process of its own: recognising takes seconds and up to 420
megabytes, and is killed with the call that wants it.

It is done by RapidOCR (PyPI `rapidocr`, Apache-2.0) on onnxruntime (MIT), the optional extra `ocr`;
its models come with the package.
"""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import threading

from neodeskpet.children import child_command, child_environment
from neodeskpet.core.errors import ToolFailed
from neodeskpet.tools.recognition.child import MEMORY_ENVIRONMENT


def is_ocr_installed() -> bool:
    """Whether the extra is installed."""
    return all(importlib.util.find_spec(name) for name in ("rapidocr", "onnxruntime"))


async def recognize_text(picture: bytes) -> str:
    """The words in an encoded picture, line by line; "" if there are none. Raises ToolFailed."""
    child = _OcrProcess()
    try:
        code, said = await asyncio.to_thread(child.read, picture)
    finally:
        child.end()
    if code != 0:
        raise ToolFailed(f"The words could not be recognised (exit code {code}).")
    return said.decode("utf-8", "replace")


class _OcrProcess:
    """One thread waits for it; `end` may come from another, also before it has begun."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._lock = threading.Lock()

    def read(self, picture: bytes) -> tuple[int, bytes]:
        """Exit code and what it said."""
        with self._lock:
            if self._ended:
                return -1, b""
            self._process = subprocess.Popen(
                child_command("read"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment() | MEMORY_ENVIRONMENT,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        with self._process as process:
            said = process.communicate(picture)[0]
        return process.returncode, said

    def end(self) -> None:
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()
