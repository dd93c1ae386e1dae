"""What tells on this desktop where the windows of other programs are."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping

from neodeskpet.ui.desktop.around.port import WindowWatcher
from neodeskpet.ui.desktop.around.x11 import X11WindowWatcher
from neodeskpet.ui.desktop.session_type import is_wayland

_log = logging.getLogger(__name__)

WATCHERS: Mapping[str, Callable[[], WindowWatcher]] = {"xcb": X11WindowWatcher}


def create_window_watcher(
    platform: str,
    environ: Mapping[str, str] = os.environ,
    makers: Mapping[str, Callable[[], WindowWatcher]] = WATCHERS,
) -> WindowWatcher | None:
    """`platform` is Qt's name of it. None where nobody tells: Wayland tells no program where the
    windows of others are, and an X server within it knows of a few alone.
    """
    maker = makers.get(platform)
    if maker is None or is_wayland(environ):
        return None
    try:
        return maker()
    except (OSError, AttributeError) as error:
        _log.info("Where other windows are can't be noticed: %s", error)
        return None
