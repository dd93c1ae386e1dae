"""What hears keys on this desktop."""

from __future__ import annotations

import os

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.ui.hotkeys.nowhere import NoHotKeys
from neodeskpet.ui.hotkeys.port import HotKeys
from neodeskpet.ui.hotkeys.portal import PortalHotKeys
from neodeskpet.ui.hotkeys.x11 import X11HotKeys, open_x11


def find_hot_keys(parent: QObject) -> HotKeys:
    platform = QGuiApplication.platformName()
    if platform in ("xcb", "wayland") and os.environ.get("XDG_SESSION_TYPE") == "wayland":
        return PortalHotKeys(parent)  # what X11 grabs there, other programs' windows don't give
    x11 = open_x11() if platform == "xcb" else None
    return X11HotKeys(x11, parent) if x11 is not None else NoHotKeys(parent)
