"""Detects what the user does: typing, a full-screen window, a call.

`idle_time` tells the time since the last input. On X11 the window manager tells which window is
active and whether it is in full screen. The sound card tells whether a microphone is recorded, open
files whether a camera is used. `screen_sharing` tells whether the screen is shared. What can't be
detected stays unknown, and the settings say so.
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
from neodeskpet.ui.desktop.screen_sharing import ScreenSharing
from neodeskpet.ui.desktop.xcb_connection import XcbConnection

_log = logging.getLogger(__name__)

T = TypeVar("T")


class FullscreenDetector:
    """Detects whether the active window is in full screen. Raises OSError without an X server."""

    def __init__(self) -> None:
        self._server = XcbConnection()
        self._active = self._server.atom(b"_NET_ACTIVE_WINDOW")
        self._state = self._server.atom(b"_NET_WM_STATE")
        self._full = self._server.atom(b"_NET_WM_STATE_FULLSCREEN")

    def current(self) -> Detection:
        """Return the state; UNKNOWN if no window manager reports the active window."""
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
    """Return whether a microphone of a sound card is recorded; UNKNOWN without a sound card."""
    statuses = list(cards.glob("card*/pcm*c/sub*/status"))
    if not statuses:
        return Detection.UNKNOWN
    return Detection.YES if any("RUNNING" in _read(file) for file in statuses) else Detection.NO


def is_camera_in_use(
    processes: Path = Path("/proc"), cameras: Callable[[], Iterable[Path]] | None = None
) -> Detection:
    """Return whether a program of this user has a camera open; UNKNOWN without a camera."""
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
        return []  # it ended, or belongs to another user


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace")
    except OSError:
        return ""


def in_call(recorded: Detection, filmed: Detection) -> Detection:
    """Return whether there is a call: a microphone or a camera in use."""
    if Detection.YES in (recorded, filmed):
        return Detection.YES
    return Detection.UNKNOWN if recorded is filmed is Detection.UNKNOWN else Detection.NO


@dataclass(frozen=True, slots=True)
class AvailableSenses:
    """What can be detected on this computer."""

    idle: bool
    fullscreen: bool
    call: bool
    shared: bool = False


class ActivityDetector:
    """Detects the presence of the user. With `x11` it queries an X server. `find_idle` creates the
    source of the idle time on first use.
    """

    def __init__(
        self,
        *,
        x11: bool,
        find_idle: Callable[[], IdleTime | None],
        sharing: ScreenSharing | None = None,
    ) -> None:
        self._x11 = x11
        self._find_idle: Callable[[], IdleTime | None] | None = find_idle
        self._idle: IdleTime | None = None
        self._last: float | None = None
        self._full: FullscreenDetector | None = None
        self.sharing = sharing or ScreenSharing()
        self._asking = threading.Lock()

    def senses(self) -> AvailableSenses:
        """Return what can be detected on this computer."""
        with self._asking:
            self._meet()
        call = any(Path("/proc/asound").glob("card*")) or any(Path("/dev").glob("video*"))
        shared = self.sharing.can_detect
        return AvailableSenses(self._idle is not None, self._full is not None, call, shared)

    async def read_presence(self) -> UserPresence:
        return await asyncio.to_thread(self.notice_now)

    def notice_now(self) -> UserPresence:
        """Like `read_presence`, but in this thread: some milliseconds, with PipeWire some more."""
        with self._asking:
            self._meet()
            idle = self._measure()
            full = self._full.current() if self._full is not None else Detection.UNKNOWN
        call = in_call(is_microphone_in_use(), is_camera_in_use())
        return UserPresence(idle, full, call, self.sharing.read())

    def idle(self) -> float | None:
        """Return the seconds since the last input, None if unknown; immediately, in this thread.
        While another thread queries it, return the last value.
        """
        if not self._asking.acquire(blocking=False):
            return self._last
        try:
            self._meet_idle()
            return self._measure()
        finally:
            self._asking.release()

    def _meet(self) -> None:
        """Open two connections to the X server, which has 256 for all programs: only once and on
        demand.
        """
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
        """Close the connections to the X server; its values are unknown then."""
        with self._asking:  # an abandoned query may still use it
            for part in (self._idle, self._full):
                if part is not None:
                    part.close()
            self._idle = self._full = self._find_idle = None
            self._x11 = False


def _make(part: Callable[[], T]) -> T | None:
    try:
        return part()
    except (OSError, AttributeError) as error:
        _log.info("The activity of the user can't be detected: %s", error)
        return None
