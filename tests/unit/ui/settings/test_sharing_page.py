"""The page of the server that several computers share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.memory.shared.faults import ServerRefused
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.ports import SharingState
from neodeskpet.ui.settings.sharing_page import SharingPage
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Service, live_settings, section

ADDRESS = "postgresql://me@home/pet"


@dataclass
class Sharing(Service):
    """It is its own password port."""

    shown: SharingState = field(default_factory=SharingState)
    hears: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.password = self.passphrase = self

    def state(self) -> SharingState:
        return self.shown

    def observe(self, hear: Callable[[], object]) -> Callable[[], None]:
        self.hears.append(hear)
        return lambda: self.hears.remove(hear) if hear in self.hears else None

    def put(self, state: SharingState) -> None:
        self.shown = state
        for hear in self.hears:
            hear()

    async def test(self) -> str:  # type: ignore[override]
        await self._asked("test")
        return "15.4"


@pytest.fixture
def settings(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def sharing() -> Sharing:
    return Sharing()


@pytest.fixture
def page(qtbot: QtBot, settings: SettingsStore, sharing: Sharing) -> SharingPage:
    made = SharingPage(section("sharing"), settings, sharing, LIGHT)
    settings.observe(lambda section, name, value: made.heard(section, name))
    qtbot.addWidget(made)
    made.retranslate()
    return made


def test_it_says_how_it_stands(page: SharingPage, sharing: Sharing) -> None:
    assert "Off" in page.state.text()
    sharing.put(SharingState(on=True))
    assert page.state.text() == "Connecting…"
    sharing.put(SharingState(on=True, met=True))
    assert page.state.text() == "Synced."
    sharing.put(SharingState(on=True, met=True, waiting=3))
    assert "3" in page.state.text()
    now = time.time()
    sharing.put(SharingState(on=True, fault="It is away.", since=now, waiting=2))
    assert time.strftime("%H:%M", time.localtime(now)) in page.state.text()
    assert "It is away." in page.state.text() and "2" in page.state.text()
    sharing.put(SharingState(on=True, fault="It is away.", since=0.0))
    assert "19" in page.state.text()
    sharing.put(SharingState(on=True, met=True, set_aside=4, sent=now, received=now))
    assert "could not be exchanged: 4" in page.state.text()
    assert page.state.text().count(time.strftime("%H:%M", time.localtime(now))) == 2
    assert "Not synced: timers" in page.scope.text()


def test_password_and_test_are_there_once_a_server_is_named(
    page: SharingPage, settings: SettingsStore
) -> None:
    assert page.key.isHidden() and page.test.isHidden()
    settings.change("sharing", "address", ADDRESS)
    assert not page.key.isHidden() and not page.test.isHidden()
    assert page.key.title.text() == "Password"
    assert "Passphrase" in page.passphrase.title.text()
    assert "lost" in page.passphrase.note.text()


def test_the_server_is_tried(page: SharingPage, settings: SettingsStore, sharing: Sharing) -> None:
    async def scene() -> None:
        settings.change("sharing", "address", ADDRESS)
        page.test.click()
        await settle()
        assert "15.4" in page.row.note.text()
        sharing.fails = ServerRefused()
        page.test.click()
        await settle()
        assert "password" in page.row.wrong.text()
        assert page.row.note.text() == ""
        await page.finish()
        assert sharing.hears == []

    play(scene())


def test_an_address_with_a_password_is_refused(page: SharingPage, settings: SettingsStore) -> None:
    field = page.fields["address"]
    field.control.edited.emit("postgresql://me:secret@home/pet")
    assert "password" in field.wrong.text()
    assert settings.settings.sharing.address == ""
