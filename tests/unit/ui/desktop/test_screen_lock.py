"""The screen is locked and unlocked."""

import shutil
import subprocess
import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.desktop.screen_lock import ScreenLock

PROGRAM = """
import subprocess
from PySide6.QtCore import QCoreApplication, QTimer
from neodeskpet.ui.desktop.screen_lock import ScreenLock
app = QCoreApplication([])
lock = ScreenLock()
told = []
states = ["true", "false"]
def send():
    subprocess.run(["dbus-send", "--session", "/org/gnome/ScreenSaver",
        "org.gnome.ScreenSaver.ActiveChanged", "boolean:" + states[len(told)]], check=True)
def note(locked):
    told.append(locked)
    app.quit() if len(told) == len(states) else send()
lock.changed.connect(note)
QTimer.singleShot(0, send)
app.exec()
print(told)
"""


class Bus:
    """A session's bus."""

    def __init__(self, *, connected: bool) -> None:
        self._connected = connected
        self.interfaces: list[str] = []

    def isConnected(self) -> bool:
        return self._connected

    def connect(
        self, service: str, path: str, interface: str, name: str, receiver: QObject, slot: str, /
    ) -> bool:
        assert (name, slot[1:]) == ("ActiveChanged", "note(bool)")
        self.interfaces.append(interface)
        return True


def test_each_change_is_reported_once(qapp: QApplication) -> None:
    bus = Bus(connected=True)
    lock = ScreenLock(bus)
    assert "org.gnome.ScreenSaver" in bus.interfaces
    told: list[bool] = []
    lock.changed.connect(told.append)
    for locked in (True, True, False, False):
        lock.note(locked)
    assert told == [True, False]


def test_without_the_bus_it_is_unlocked(qapp: QApplication) -> None:
    bus = Bus(connected=False)
    assert not ScreenLock(bus).is_locked
    assert bus.interfaces == []


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="no D-Bus here")
def test_the_signal_of_a_real_bus() -> None:
    command = ["dbus-run-session", "--", sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[True, False]"
