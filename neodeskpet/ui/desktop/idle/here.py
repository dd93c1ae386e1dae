"""What tells the idle time on this desktop."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping

from neodeskpet.ui.desktop.idle.macos import MacIdleTime
from neodeskpet.ui.desktop.idle.port import IdleTime
from neodeskpet.ui.desktop.idle.wayland import open_wayland_idle_time
from neodeskpet.ui.desktop.idle.windows import WindowsIdleTime
from neodeskpet.ui.desktop.idle.x11 import X11IdleTime
from neodeskpet.ui.desktop.session_type import is_wayland

_log = logging.getLogger(__name__)

BACKENDS: Mapping[str, Callable[[], IdleTime]] = {
    "xcb": X11IdleTime,
    "wayland": open_wayland_idle_time,
    "windows": WindowsIdleTime,
    "cocoa": MacIdleTime,
}


def create_idle_time(
    platform: str,
    environ: Mapping[str, str] = os.environ,
    makers: Mapping[str, Callable[[], IdleTime]] = BACKENDS,
) -> IdleTime | None:
    """`platform` is Qt's name of it. None where nobody tells."""
    if platform == "xcb" and is_wayland(environ):
        platform = "wayland"  # the X server there knows only of what its own windows get
    maker = makers.get(platform)
    try:
        return maker() if maker is not None else None
    except (OSError, AttributeError) as error:
        _log.info("Whether the person is there can't be noticed: %s", error)
        return None
