"""What the start must not do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from neodeskpet.ui.desktop.session import prevent_bus_autostart

ADDRESS = "DBUS_SESSION_BUS_ADDRESS"

_START = """
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QSystemTrayIcon
from neodeskpet.app.startup import make_application
app = make_application()
tray = QSystemTrayIcon(QPixmap(8, 8))
tray.show()
app.processEvents()
"""


def test_no_session_bus_is_started(tmp_path: Path) -> None:
    launcher = tmp_path / "dbus-launch"
    launcher.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\nexit 1\n")
    launcher.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if k not in (ADDRESS, "XDG_RUNTIME_DIR")}
    environment = {**kept, "PATH": f"{tmp_path}{os.pathsep}{kept['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", _START],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert not (tmp_path / "started").exists()


def test_a_session_bus_is_used_where_there_is_one(tmp_path: Path) -> None:
    named = {ADDRESS: "unix:path=/run/bus"}
    prevent_bus_autostart(named)
    assert named == {ADDRESS: "unix:path=/run/bus"}
    (tmp_path / "bus").touch()
    found = {"XDG_RUNTIME_DIR": str(tmp_path)}
    prevent_bus_autostart(found)
    assert ADDRESS not in found
