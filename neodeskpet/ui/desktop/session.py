"""The type of the login session (X11 or Wayland), and whether it has a session bus (D-Bus), which
is never started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path


def session_type(environ: Mapping[str, str] = os.environ) -> str:
    """ "x11", "wayland", …; "" where nobody said."""
    return environ.get("XDG_SESSION_TYPE", "").lower()


def is_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    return session_type(environ) == "wayland"


def prevent_bus_autostart(environment: MutableMapping[str, str]) -> None:
    """Where no session bus runs, Qt's D-Bus library would start one (`dbus-launch`), which nobody
    ends. An address that can't be reached keeps it from that; the tray and screen readers, which
    are what needs the bus, have nobody there anyway.
    """
    if sys.platform != "linux" or environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return
    runtime = environment.get("XDG_RUNTIME_DIR")
    if not runtime or not Path(runtime, "bus").exists():
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
