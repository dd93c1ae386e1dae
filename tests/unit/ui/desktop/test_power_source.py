"""On battery the companion is drawn less often; without UPower it counts as plugged in."""

from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusMessage, QDBusVariant
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.desktop.power_source import PowerSource


class UPower:
    """The system's bus with a UPower on it, or without one (`on_battery` is None)."""

    def __init__(self, on_battery: bool | None) -> None:
        self.on_battery = on_battery
        self.listener: QObject | None = None

    def isConnected(self) -> bool:
        return True

    def connect(
        self, service: str, path: str, interface: str, name: str, receiver: QObject, slot: str, /
    ) -> bool:
        assert (service, name) == ("org.freedesktop.UPower", "PropertiesChanged")
        self.listener, self.slot = receiver, slot
        return True

    def callWithCallback(
        self, message: QDBusMessage, receiver: QObject, slot: str, error: str, /
    ) -> bool:
        assert message.arguments() == ["org.freedesktop.UPower", "OnBattery"]
        if self.on_battery is None:
            _call(receiver, error)
        else:
            _call(receiver, slot, message.createReply(QDBusVariant(self.on_battery)))
        return True

    def change(self, on_battery: bool) -> None:
        self.on_battery = on_battery
        assert self.listener is not None
        _call(self.listener, self.slot)


def _call(receiver: QObject, slot: str, *values: object) -> None:
    """As Qt does it: "1name(types)"."""
    getattr(receiver, slot[1:].split("(")[0])(*values)


def test_unplugging_and_plugging_in(qapp: QApplication) -> None:
    bus = UPower(on_battery=False)
    power = PowerSource(bus)
    told: list[bool] = []
    power.changed.connect(told.append)
    assert not power.on_battery
    bus.change(True)
    bus.change(True)
    assert power.on_battery
    bus.change(False)
    assert told == [True, False]


def test_a_start_on_battery_is_noticed(qapp: QApplication) -> None:
    assert PowerSource(UPower(on_battery=True)).on_battery


def test_without_upower_it_is_plugged_in(qapp: QApplication) -> None:
    assert not PowerSource(UPower(on_battery=None)).on_battery
