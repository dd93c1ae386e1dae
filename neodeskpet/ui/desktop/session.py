"""The type of the login session (X11 or Wayland), and its session bus (D-Bus), which is never
started by the app.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path


def session_type(environ: Mapping[str, str] = os.environ) -> str:
    """Return "x11", "wayland", …; "" if unknown."""
    return environ.get("XDG_SESSION_TYPE", "").lower()


def is_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    return session_type(environ) == "wayland"


def prevent_bus_autostart(environment: MutableMapping[str, str]) -> None:
    """Keep Qt's D-Bus library from starting a session bus (`dbus-launch`) that would never end, by
    an unreachable address. The tray and screen readers, which need the bus, don't work without a
    running one anyway.
    """
    if sys.platform != "linux" or environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return
    runtime = environment.get("XDG_RUNTIME_DIR")
    if not runtime or not Path(runtime, "bus").exists():
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
