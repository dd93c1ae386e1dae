"""Detects whether the screen is shared or recorded.

On Linux the desktop's portal sends the picture of a shared screen through PipeWire, and `pw-dump`
(it comes with PipeWire) lists what is sent. A program that copies the screen of an X server itself
can't be detected. Windows and macOS don't tell it to other programs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping

from neodeskpet.core.proactive import Detection
from neodeskpet.platform.child_process import allowed_environment

_COMMAND = "pw-dump"
_PIPEWIRE_NAMES = ("PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR")
_TIMEOUT_SECONDS = 2.0
_VALID_SECONDS = 3.0
_PICTURES = ("Stream/Output/Video", "Video/Source")
"""The classes of nodes that send pictures."""


def find_command() -> str | None:
    """Return the program that lists what PipeWire sends, None if it isn't installed."""
    return shutil.which(_COMMAND)


def run_command(command: str) -> str:
    """Return what the program prints. Raises OSError, subprocess.SubprocessError."""
    environment = allowed_environment(os.environ, _PIPEWIRE_NAMES)
    done = subprocess.run(
        [command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        timeout=_TIMEOUT_SECONDS,
        check=True,
    )
    return done.stdout.decode("utf-8", "replace")


def sends_screen(dump: str) -> bool:
    """Return whether a picture of the screen is sent, by the output of `pw-dump`. Raises
    ValueError.
    """
    objects = json.loads(dump)
    if not isinstance(objects, list):
        raise ValueError("no list of objects")
    return any(_is_screen(_mapping(_mapping(one).get("info"))) for one in objects)


def _is_screen(info: Mapping[str, object]) -> bool:
    """Whether a node sends the screen now. Cameras have a device, or the role of a camera."""
    properties = _mapping(info.get("props"))
    return (
        info.get("state") == "running"
        and properties.get("media.class") in _PICTURES
        and "device.api" not in properties
        and properties.get("media.role") != "Camera"
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


class ScreenSharing:
    """Remembers the answer for some seconds. `find` returns the program, `run` its output."""

    def __init__(
        self,
        find: Callable[[], str | None] = find_command,
        run: Callable[[str], str] = run_command,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find = find
        self._run = run
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at: float | None = None
        self._last = Detection.UNKNOWN

    @property
    def can_detect(self) -> bool:
        return self._find() is not None

    @property
    def last(self) -> Detection:
        """The last answer; it may be old."""
        return self._last

    def read(self) -> Detection:
        """Return whether the screen is shared; it may take some 10 ms. Any thread may call it."""
        with self._lock:
            if self._read_at is None or self._clock() - self._read_at >= _VALID_SECONDS:
                self._last = self._detect()
                self._read_at = self._clock()
            return self._last

    def _detect(self) -> Detection:
        command = self._find()
        if command is None:
            return Detection.UNKNOWN
        try:
            return Detection.YES if sends_screen(self._run(command)) else Detection.NO
        except (OSError, ValueError, subprocess.SubprocessError):
            return Detection.UNKNOWN
