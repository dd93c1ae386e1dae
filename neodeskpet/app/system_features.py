"""What this system can do, and the settings that need it. A setting that could do nothing here is
not shown; its value stays in the file.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from PySide6.QtGui import QGuiApplication

from neodeskpet.app.autostart import find_autostart
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.desktop.session import is_wayland


@dataclass(frozen=True, slots=True)
class SystemFeatures:
    """Each is True if it works on this system."""

    window_positions: bool = True
    """The positions of other programs' windows are known."""
    own_positions: bool = True
    """The app can move its own windows."""
    hot_keys: bool = True
    """Keys that work in every program can be registered."""
    keystrokes: bool = True
    """Key presses in other programs can be counted."""
    music_players: bool = True
    """The app can detect whether another program plays music."""
    autostart: bool = True
    """The app can be started at login."""
    sync: bool = True
    """The package for the sync server is installed."""


_HOT_KEYS = ("show_chat", "say", "talk", "mute", "answer", "toggle_pet", "take_clicks")
NEEDS: Mapping[str, str] = {
    "companion.perch": "window_positions",
    "companion.full_screen": "window_positions",
    "companion.always_on_top": "own_positions",
    "companion.fall": "own_positions",
    "companion.walk": "own_positions",
    "companion.peek": "own_positions",
    "companion.start_at_login": "autostart",
    "pastimes.typing": "keystrokes",
    "pastimes.music": "music_players",
    "pastimes.seek": "own_positions",
    "sharing.address": "sync",
    **{f"keys.{name}": "hot_keys" for name in _HOT_KEYS},
}
"""The feature, a field of `SystemFeatures`, by the path of the setting that does nothing without
it.
"""


def detect_features(
    platform: str,
    system: str,
    environ: Mapping[str, str],
    *,
    autostart: bool,
    sync: bool,
) -> SystemFeatures:
    """Return the features. `platform` is Qt's name of the window system, `system` that of
    `sys.platform`.
    """
    x11 = platform == "xcb"
    desktop = platform in ("windows", "cocoa")
    bus = environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    has_bus = system.startswith("linux") and bool(bus) and not bus.startswith("disabled")
    # In a Wayland session the portal registers hot keys, which needs the session bus.
    portal = platform in ("xcb", "wayland") and is_wayland(environ)
    return SystemFeatures(
        window_positions=x11,
        own_positions=platform != "wayland",
        hot_keys=has_bus if portal else x11 or desktop,
        keystrokes=x11,
        music_players=has_bus,
        autostart=autostart,
        sync=sync,
    )


def current_features() -> SystemFeatures:
    """Return the features of the system that the app runs on."""
    return detect_features(
        QGuiApplication.platformName(),
        sys.platform,
        os.environ,
        autostart=find_autostart() is not None,
        sync=importlib.util.find_spec("psycopg") is not None,
    )


def section_for(section: SectionInfo, features: SystemFeatures) -> SectionInfo | None:
    """Return the section without the settings that do nothing here; None if none is left."""
    missing = {one.name for one in fields(features) if not getattr(features, one.name)}
    shown = tuple(info for info in section.settings if NEEDS.get(info.path) not in missing)
    if section.settings and not shown:
        return None
    return replace(section, settings=shown)
