"""Quiet for an hour or until tomorrow."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from PySide6.QtWidgets import QApplication

from neodeskpet.app.quiet_mode import UNTIL_KEY, QuietMode, next_morning
from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.theme import LIGHT


class House:
    """A setting, a store and a clock."""

    def __init__(self, kept: dict[str, str | None]) -> None:
        self.kept = kept
        self.now = datetime(2026, 11, 28, 16, 20)
        self.quiet = False
        self.menu = CompanionMenu(LIGHT)
        self.mode = QuietMode(self.menu, self.switch, self.load, self.save, now=lambda: self.now)

    def switch(self, on: bool) -> None:
        self.quiet = on
        self.mode.show(on)

    async def load(self, key: str) -> str | None:
        return self.kept.get(key)

    def save(self, key: str, value: str | None) -> None:
        self.kept[key] = value

    @property
    def row(self) -> str:
        action = self.menu.actions["quiet"]
        return action.text() if action.isVisible() else ""


def test_quiet_for_an_hour_ends_by_itself(qapp: QApplication) -> None:
    house = House({})
    house.mode.quiet_for_an_hour()
    assert house.quiet and house.row == "Quiet until 17:20"
    house.now += timedelta(minutes=59)
    house.mode.check()
    assert house.quiet
    house.now += timedelta(minutes=1)
    house.mode.check()
    assert not house.quiet and house.row == ""
    assert house.kept[UNTIL_KEY] is None


def test_it_continues_after_a_restart_and_ends_when_it_is_over(qapp: QApplication) -> None:
    kept: dict[str, str | None] = {}
    first = House(kept)
    first.mode.quiet_until_tomorrow()
    first.mode.stop()
    second = House(kept)
    second.switch(True)
    asyncio.run(second.mode.start())
    assert second.row == "Quiet until 08:00" and second.quiet
    late = House(kept)
    late.now += timedelta(days=2)
    late.switch(True)
    asyncio.run(late.mode.start())
    assert not late.quiet


def test_without_an_end_it_stays_quiet(qapp: QApplication) -> None:
    house = House({})
    house.switch(True)
    asyncio.run(house.mode.start())
    house.now += timedelta(days=9)
    house.mode.check()
    assert house.quiet and house.row == "Quiet"


def test_at_night_tomorrow_is_the_coming_morning() -> None:
    assert next_morning(datetime(2026, 11, 28, 23, 0)) == datetime(2026, 11, 29, 8, 0)
    assert next_morning(datetime(2026, 11, 29, 1, 30)) == datetime(2026, 11, 29, 8, 0)
