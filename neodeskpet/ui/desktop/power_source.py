"""Detects whether the computer runs on battery: UPower reports it over the system's D-Bus. Without
the bus (a container, Windows, macOS) it always counts as plugged in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant

_SERVICE = "org.freedesktop.UPower"
_PATH = "/org/freedesktop/UPower"
_PROPERTIES = "org.freedesktop.DBus.Properties"


class DBusConnection(Protocol):
    """The used part of QDBusConnection. Slots are called in the UI thread."""

    def isConnected(self) -> bool: ...

    def connect(
        self, service: str, path: str, interface: str, name: str, receiver: QObject, slot: str, /
    ) -> bool: ...

    def callWithCallback(
        self, message: QDBusMessage, receiver: QObject, slot: str, error: str, /
    ) -> bool: ...


class PowerSource(QObject):
    """Emits `changed(on_battery)` when the computer is plugged in or unplugged."""

    changed = Signal(bool)

    def __init__(self, bus: DBusConnection | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.on_battery = False
        self._bus = bus or cast(DBusConnection, QDBusConnection.systemBus())
        if self._bus.isConnected():
            slot = SLOT("ask()")
            self._bus.connect(_SERVICE, _PATH, _PROPERTIES, "PropertiesChanged", self, slot)
            self.ask()

    @Slot()
    def ask(self) -> None:
        """Query the state: the values in a change signal can't be read in Python. The answer comes
        later; a computer without UPower gives none.
        """
        question = QDBusMessage.createMethodCall(_SERVICE, _PATH, _PROPERTIES, "Get")
        question.setArguments([_SERVICE, "OnBattery"])
        self._bus.callWithCallback(question, self, SLOT("read(QDBusMessage)"), SLOT("miss()"))

    @Slot(QDBusMessage)
    def read(self, answer: QDBusMessage) -> None:
        """Handle UPower's answer."""
        values: Sequence[object] = answer.arguments()
        value = values[0] if values else None
        on_battery = isinstance(value, QDBusVariant) and bool(value.variant())
        if on_battery != self.on_battery:
            self.on_battery = on_battery
            self.changed.emit(on_battery)

    @Slot()
    def miss(self) -> None:
        """Ignore a missing UPower."""
