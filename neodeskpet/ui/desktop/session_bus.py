"""The session bus (D-Bus) is used where there is one, and never started."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from pathlib import Path


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
