"""Detects whether the screen is locked, or the screen saver is shown: the desktop reports it over
the session's D-Bus. Without the bus (Windows, macOS) the screen always counts as unlocked.
"""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection

_INTERFACES = (
    "org.freedesktop.ScreenSaver",
    "org.gnome.ScreenSaver",
    "org.cinnamon.ScreenSaver",
    "org.mate.ScreenSaver",
    "org.xfce.ScreenSaver",
)


class SignalBus(Protocol):
    """The used part of QDBusConnection. Slots are called in the UI thread."""

    def isConnected(self) -> bool: ...

    def connect(
        self, service: str, path: str, interface: str, name: str, receiver: QObject, slot: str, /
    ) -> bool: ...


class ScreenLock(QObject):
    """Emits `changed(is_locked)`."""

    changed = Signal(bool)

    def __init__(self, bus: SignalBus | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_locked = False
        bus = bus or cast(SignalBus, QDBusConnection.sessionBus())
        if bus.isConnected():
            for interface in _INTERFACES:
                bus.connect("", "", interface, "ActiveChanged", self, SLOT("note(bool)"))

    @Slot(bool)
    def note(self, is_locked: bool) -> None:
        """Handle the desktop's signal. A desktop may send it under two names."""
        if is_locked is not self.is_locked:
            self.is_locked = is_locked
            self.changed.emit(is_locked)
