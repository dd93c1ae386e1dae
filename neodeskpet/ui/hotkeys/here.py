"""What hears keys on this desktop."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.ui.desktop.session_type import is_wayland
from neodeskpet.ui.hotkeys.macos import MacHotKeyRegistry
from neodeskpet.ui.hotkeys.nowhere import NoHotKeys
from neodeskpet.ui.hotkeys.port import HotKeys
from neodeskpet.ui.hotkeys.portal import PortalHotKeys
from neodeskpet.ui.hotkeys.registered import HotKeyRegistry, RegisteredHotKeys
from neodeskpet.ui.hotkeys.windows import WindowsHotKeyRegistry
from neodeskpet.ui.hotkeys.x11 import X11HotKeys, open_x11

_log = logging.getLogger(__name__)

REGISTRIES: Mapping[str, Callable[[], HotKeyRegistry]] = {
    "windows": WindowsHotKeyRegistry,
    "cocoa": MacHotKeyRegistry,
}


def create_hot_keys(parent: QObject) -> HotKeys:
    platform = QGuiApplication.platformName()
    if platform in ("xcb", "wayland") and is_wayland():
        return PortalHotKeys(parent)  # what X11 grabs there, other programs' windows don't give
    x11 = open_x11() if platform == "xcb" else None
    if x11 is not None:
        return X11HotKeys(x11, parent)
    register = create_registry(platform)
    return RegisteredHotKeys(register, parent) if register is not None else NoHotKeys(parent)


def create_registry(
    platform: str, makers: Mapping[str, Callable[[], HotKeyRegistry]] = REGISTRIES
) -> HotKeyRegistry | None:
    """`platform` is Qt's name of it. None where keys aren't registered one by one."""
    maker = makers.get(platform)
    try:
        return maker() if maker is not None else None
    except (OSError, AttributeError) as error:
        _log.info("No hot keys here: %s", error)
        return None
