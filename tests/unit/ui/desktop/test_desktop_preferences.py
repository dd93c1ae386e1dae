"""The user's preferences for the whole desktop: read from a portal or from files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

from neodeskpet.ui.desktop.desktop_preferences import (
    DesktopPreferences,
    DesktopPreferencesWatcher,
    read_config_files,
    read_preferences,
)
from tests.support.notices import available, session_bus

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SETTINGS = "org.freedesktop.portal.Settings"
APPEARANCE = "org.freedesktop.appearance"


def test_the_values_of_the_settings() -> None:
    assert read_preferences({}) == DesktopPreferences()
    assert read_preferences({(APPEARANCE, "contrast"): 1}) == DesktopPreferences(contrast=True)
    assert read_preferences({(APPEARANCE, "reduced-motion"): 1}) == DesktopPreferences(
        reduced_motion=True
    )
    gnome = "org.gnome.desktop.interface"
    assert read_preferences({(gnome, "enable-animations"): False}) == DesktopPreferences(
        reduced_motion=True
    )
    assert read_preferences({(gnome, "enable-animations"): True}) == DesktopPreferences()
    kde = ("org.kde.kdeglobals.KDE", "AnimationDurationFactor")
    for value, calm in (("0", True), ("0.00", True), ("0.5", False), ("", False), (None, False)):
        assert read_preferences({kde: value}) == DesktopPreferences(reduced_motion=calm)


def test_the_files_of_gtk_and_kde(tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert read_config_files(home) == {}
    (tmp_path / "kdeglobals").write_text("[KDE]\nAnimationDurationFactor=0\n", encoding="utf-8")
    (tmp_path / "gtk-3.0").mkdir()
    ini = tmp_path / "gtk-3.0" / "settings.ini"
    ini.write_text("[Settings]\ngtk-enable-animations=0\n", encoding="utf-8")
    (tmp_path / "gtk-4.0").mkdir()
    (tmp_path / "gtk-4.0" / "settings.ini").write_text("no section", encoding="utf-8")
    found = read_config_files(home)
    assert len(found) == 2
    assert read_preferences(found) == DesktopPreferences(reduced_motion=True)
    (tmp_path / "kdeglobals").unlink()
    ini.write_text("[Settings]\ngtk-enable-animations=true\n", encoding="utf-8")
    assert read_preferences(read_config_files(home)) == DesktopPreferences()


async def serve(connection: DBusConnection, answered: asyncio.Event, *, knows: bool) -> None:
    while True:
        asked: Message = await connection.receive()
        if asked.header.message_type is not MessageType.method_call:
            continue
        member = asked.header.fields.get(HeaderFields.member)
        if member == "ReadAll" and knows:
            settings = {APPEARANCE: {"contrast": ("u", 1)}}
            await connection.send(new_method_return(asked, "a{sa{sv}}", (settings,)))
        else:
            await connection.send(new_error(asked, f"{NAME}.Error"))
        answered.set()


@pytest.mark.skipif(not available(), reason="no dbus-daemon")
@pytest.mark.parametrize("knows", [True, False])
def test_the_portal_reports_them_now_and_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, knows: bool
) -> None:
    told: list[DesktopPreferences] = []
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    async def until(count: int) -> None:
        async with asyncio.timeout(20):
            while len(told) < count:  # noqa: ASYNC110 - told by a signal of Qt
                await asyncio.sleep(0.005)

    async def story(bus: str) -> None:
        connection = await open_dbus_connection(bus)
        await connection.send(message_bus.RequestName(NAME))
        answered = asyncio.Event()
        serve_all = serve(connection, answered, knows=knows)
        serving = asyncio.ensure_future(serve_all)  # noqa: TID251 - ended below
        wishes = DesktopPreferencesWatcher()
        wishes.changed.connect(told.append)
        wishes.start()
        if knows:
            await until(2)
            place = DBusAddress(PATH, interface=SETTINGS)
            body = (APPEARANCE, "reduced-motion", ("u", 1))
            await connection.send(new_signal(place, "SettingChanged", "ssv", body))
            await until(3)
        else:
            await until(1)
            await asyncio.wait_for(answered.wait(), 20)  # not while it connects
        await wishes.aclose()
        serving.cancel()
        await asyncio.wait({serving})
        await connection.close()

    with session_bus() as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
        asyncio.run(story(bus))
    after = (
        [DesktopPreferences(contrast=True), DesktopPreferences(contrast=True, reduced_motion=True)]
        if knows
        else []
    )
    assert told == [DesktopPreferences(), *after]
