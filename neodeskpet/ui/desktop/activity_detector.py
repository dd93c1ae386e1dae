"""What this computer tells of the person: whether they type, look at a full screen, are in a call.

How long there was no key and no movement tells `idle/`. On X11 the window manager tells which
window is active and whether it fills the screen. The sound card tells whether a microphone is
recorded, open files whether a camera is. Nobody tells whether the screen is shared. Where something
can't be told it is unknown, and stays so: the person reads that in the settings.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from neodeskpet.core.proactive import Detection, UserPresence
from neodeskpet.ui.desktop.idle_time import IdleTime
from neodeskpet.ui.desktop.xcb_connection import XcbConnection

_log = logging.getLogger(__name__)

T = TypeVar("T")


class FullscreenDetector:
    """Whether the active window fills the screen. Raises OSError where nobody can be asked."""

    def __init__(self) -> None:
        self._server = XcbConnection()
        self._active = self._server.atom(b"_NET_ACTIVE_WINDOW")
        self._state = self._server.atom(b"_NET_WM_STATE")
        self._full = self._server.atom(b"_NET_WM_STATE_FULLSCREEN")

    def current(self) -> Detection:
        """UNKNOWN where no window manager tells which window is active."""
        active = self._server.property_values(self._server.root, self._active)
        if active is None:
            return Detection.UNKNOWN
        if not active or not active[0]:
            return Detection.NO
        states = self._server.property_values(active[0], self._state) or []
        return Detection.YES if self._full in states else Detection.NO

    def close(self) -> None:
        self._server.close()


def is_microphone_in_use(cards: Path = Path("/proc/asound")) -> Detection:
    """Whether a microphone of a sound card is recorded; UNKNOWN where no card is told of."""
    statuses = list(cards.glob("card*/pcm*c/sub*/status"))
    if not statuses:
        return Detection.UNKNOWN
    return Detection.YES if any("RUNNING" in _read(file) for file in statuses) else Detection.NO


def is_camera_in_use(
    processes: Path = Path("/proc"), cameras: Callable[[], Iterable[Path]] | None = None
) -> Detection:
    """Whether a program of this person has a camera open; UNKNOWN where there is none."""
    found = cameras() if cameras is not None else Path("/dev").glob("video*")
    known = {str(camera) for camera in found}
    if not known:
        return Detection.UNKNOWN
    for process in processes.iterdir():
        if process.name.isdigit() and known & set(_open_files(process / "fd")):
            return Detection.YES
    return Detection.NO


def _open_files(folder: Path) -> list[str]:
    try:
        return [str(entry.readlink()) for entry in folder.iterdir()]
    except OSError:
        return []  # it ended, or is another person's


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace")
    except OSError:
        return ""


def in_call(recorded: Detection, filmed: Detection) -> Detection:
    """A microphone or a camera in use counts as a call."""
    if Detection.YES in (recorded, filmed):
        return Detection.YES
    return Detection.UNKNOWN if recorded is filmed is Detection.UNKNOWN else Detection.NO


@dataclass(frozen=True, slots=True)
class AvailableSenses:
    """What can be noticed here at all."""

    idle: bool
    fullscreen: bool
    call: bool
    shared: bool = False


class ActivityDetector:
    """A `conversation.proactive_remarks.Presence`. With `x11` there is an X server to be asked,
    and `find_idle` finds what tells the idle time: when somebody wants to know for the first time.
    """

    def __init__(self, *, x11: bool, find_idle: Callable[[], IdleTime | None]) -> None:
        self._x11 = x11
        self._find_idle: Callable[[], IdleTime | None] | None = find_idle
        self._idle: IdleTime | None = None
        self._last: float | None = None
        self._full: FullscreenDetector | None = None
        self._asking = threading.Lock()

    def senses(self) -> AvailableSenses:
        """What can be noticed here."""
        with self._asking:
            self._meet()
        call = any(Path("/proc/asound").glob("card*")) or any(Path("/dev").glob("video*"))
        return AvailableSenses(self._idle is not None, self._full is not None, call)

    async def read_presence(self) -> UserPresence:
        return await asyncio.to_thread(self.notice_now)

    def notice_now(self) -> UserPresence:
        """As `notice`, on this thread: some milliseconds."""
        with self._asking:
            self._meet()
            idle = self._measure()
            full = self._full.current() if self._full is not None else Detection.UNKNOWN
        return UserPresence(idle, full, in_call(is_microphone_in_use(), is_camera_in_use()))

    def idle(self) -> float | None:
        """Seconds since the last key or movement, None if nobody tells; at once, on this thread.
        While another thread asks it is what was told before.
        """
        if not self._asking.acquire(blocking=False):
            return self._last
        try:
            self._meet_idle()
            return self._measure()
        finally:
            self._asking.release()

    def _meet(self) -> None:
        """Two connections to the X server, which has 256 for all programs: once, and on demand."""
        self._meet_idle()
        if self._x11:
            self._x11 = False
            self._full = _make(FullscreenDetector)

    def _meet_idle(self) -> None:
        find, self._find_idle = self._find_idle, None
        if find is not None:
            self._idle = find()

    def _measure(self) -> float | None:
        self._last = self._idle.seconds() if self._idle is not None else None
        return self._last

    def close(self) -> None:
        """Leave the X server. What it told isn't known then."""
        with self._asking:  # a look that nobody awaits any more may still be at it
            for part in (self._idle, self._full):
                if part is not None:
                    part.close()
            self._idle = self._full = self._find_idle = None
            self._x11 = False


def _make(part: Callable[[], T]) -> T | None:
    try:
        return part()
    except (OSError, AttributeError) as error:
        _log.info("What the person does can't be noticed: %s", error)
        return None
