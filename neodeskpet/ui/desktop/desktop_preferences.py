"""The user's preferences for the whole desktop: more contrast, less motion.

The desktop's portal reports them (org.freedesktop.portal.Settings), now and after changes; without
a portal the files of GTK and KDE are read once.
"""

from __future__ import annotations

import asyncio
import configparser
import logging
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)
_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings"
_TIMEOUT = 10.0

SettingValues = Mapping[tuple[str, str], object]

CONTRAST: SettingValues = {
    ("org.freedesktop.appearance", "contrast"): 1,
    ("org.gnome.desktop.a11y.interface", "high-contrast"): True,
}
REDUCED_MOTION: SettingValues = {
    ("org.freedesktop.appearance", "reduced-motion"): 1,
    ("org.gnome.desktop.interface", "enable-animations"): False,
    ("org.kde.kdeglobals.KDE", "AnimationDurationFactor"): 0.0,
}
_NAMESPACES = sorted({space for space, _ in (*CONTRAST, *REDUCED_MOTION)})


@dataclass(frozen=True, slots=True)
class DesktopPreferences:
    contrast: bool = False
    reduced_motion: bool = False


def read_preferences(values: SettingValues) -> DesktopPreferences:
    """Return the preferences of these desktop settings; numbers may be given as texts."""

    def any_is(wanted: SettingValues) -> bool:
        return any(_same(values.get(key), value) for key, value in wanted.items())

    return DesktopPreferences(any_is(CONTRAST), any_is(REDUCED_MOTION))


def _same(value: object, wanted: object) -> bool:
    if isinstance(wanted, float) and isinstance(value, str | float | int):
        try:
            return float(value) == wanted
        except ValueError:
            return False
    return value == wanted


class DesktopPreferencesWatcher(QObject):
    """Emits `changed(DesktopPreferences)`; nothing is emitted if nothing is known."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values: dict[tuple[str, str], object] = {}
        self._work = TaskRunner("wishes", failed=lambda error: None)

    def start(self) -> None:
        self._work.start("listen", self._listen)

    async def aclose(self) -> None:
        await self._work.aclose()

    async def _listen(self) -> None:
        self._values |= await asyncio.to_thread(read_config_files, os.environ)
        self._tell()
        try:
            async with AsyncExitStack() as stack:
                await self._hear(stack)
        except Exception as error:  # noqa: BLE001 - no bus, no portal, a strange answer
            _log.info("The desktop reports no preferences: %r", error)

    async def _hear(self, stack: AsyncExitStack) -> None:
        from jeepney import DBusAddress, MatchRule, message_bus, new_method_call
        from jeepney.io.asyncio import open_dbus_router  # only available on Linux

        place = DBusAddress(_PATH, bus_name=_NAME, interface=_SETTINGS)
        rule = MatchRule(
            type="signal", interface=_SETTINGS, member="SettingChanged", path=_PATH, sender=_NAME
        )
        same = MatchRule(type="signal", interface=_SETTINGS, member="SettingChanged", path=_PATH)
        async with asyncio.timeout(_TIMEOUT):
            router = await stack.enter_async_context(open_dbus_router(bus="SESSION"))
            await router.send_and_get_reply(message_bus.AddMatch(rule))
            heard: asyncio.Queue[Any] = asyncio.Queue()
            stack.enter_context(router.filter(same, queue=heard))
            call = new_method_call(place, "ReadAll", "as", (_NAMESPACES,))
            reply = await router.send_and_get_reply(call)
        if reply.header.message_type.name != "method_return":
            return
        for space, settings in reply.body[0].items():
            for key, (_, value) in settings.items():
                self._values[space, key] = value
        self._tell()
        while True:
            space, key, (_, value) = (await heard.get()).body
            self._values[space, key] = value
            self._tell()

    def _tell(self) -> None:
        self.changed.emit(read_preferences(self._values))


def read_config_files(environ: Mapping[str, str]) -> dict[tuple[str, str], object]:
    """Return the settings in GTK's and KDE's own files, with the names of the portal."""
    home = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "~"), ".config")
    found: dict[tuple[str, str], object] = {}
    for file, section, key in (
        ("kdeglobals", "KDE", "AnimationDurationFactor"),
        ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations"),
        ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations"),
    ):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(Path(home, file), encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError, OSError):
            continue
        value = parser.get(section, key, fallback=None)
        if value is None:
            continue
        if section == "KDE":
            found["org.kde.kdeglobals.KDE", "AnimationDurationFactor"] = value
        else:
            on = value.strip().lower() not in ("0", "false")
            found["org.gnome.desktop.interface", "enable-animations"] = on
    return found
