"""The page of the sync server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.settings.store import SettingsStore
from neodeskpet.sync.sync_errors import ServerRefused
from neodeskpet.ui.settings.settings_ports import SyncState
from neodeskpet.ui.settings.sync_page import SyncPage
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Service, live_settings, section

ADDRESS = "postgresql://me@home/pet"


@dataclass
class Sharing(Service):
    """It is its own password port."""

    shown: SyncState = field(default_factory=SyncState)
    is_notified: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.password = self.passphrase = self

    def state(self) -> SyncState:
        return self.shown

    def subscribe(self, hear: Callable[[], object]) -> Callable[[], None]:
        self.is_notified.append(hear)
        return lambda: self.is_notified.remove(hear) if hear in self.is_notified else None

    def put(self, state: SyncState) -> None:
        self.shown = state
        for hear in self.is_notified:
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
def page(qtbot: QtBot, settings: SettingsStore, sharing: Sharing) -> SyncPage:
    made = SyncPage(section("sharing"), settings, sharing, LIGHT)
    settings.subscribe(lambda section, name, value: made.setting_changed(section, name))
    qtbot.addWidget(made)
    made.retranslate()
    return made


def test_it_shows_the_state(page: SyncPage, sharing: Sharing) -> None:
    assert "Off" in page.state.text()
    sharing.put(SyncState(on=True))
    assert page.state.text() == "Connecting…"
    sharing.put(SyncState(on=True, has_synced=True))
    assert page.state.text() == "Synced."
    sharing.put(SyncState(on=True, has_synced=True, waiting=3))
    assert "3" in page.state.text()
    now = time.time()
    sharing.put(SyncState(on=True, fault="It is away.", since=now, waiting=2))
    assert time.strftime("%H:%M", time.localtime(now)) in page.state.text()
    assert "It is away." in page.state.text() and "2" in page.state.text()
    sharing.put(SyncState(on=True, fault="It is away.", since=0.0))
    assert "19" in page.state.text()
    sharing.put(SyncState(on=True, has_synced=True, set_aside=4, sent=now, received=now))
    assert "could not be exchanged: 4" in page.state.text()
    assert page.state.text().count(time.strftime("%H:%M", time.localtime(now))) == 2
    assert "Not synced: timers" in page.scope.text()


def test_password_and_test_appear_once_a_server_is_named(
    page: SyncPage, settings: SettingsStore
) -> None:
    assert page.key.isHidden() and page.test.isHidden()
    settings.change("sharing", "address", ADDRESS)
    assert not page.key.isHidden() and not page.test.isHidden()
    assert page.key.title.text() == "Password"
    assert "Passphrase" in page.passphrase.title.text()
    assert "lost" in page.passphrase.note.text()


def test_the_server_is_tested(page: SyncPage, settings: SettingsStore, sharing: Sharing) -> None:
    async def scene() -> None:
        settings.change("sharing", "address", ADDRESS)
        page.test.click()
        await settle()
        assert "15.4" in page.row.note.text()
        sharing.fails = ServerRefused()
        page.test.click()
        await settle()
        assert "password" in page.row.error_label.text()
        assert page.row.note.text() == ""
        await page.aclose()
        assert sharing.is_notified == []

    play(scene())


def test_an_address_with_a_password_is_refused(page: SyncPage, settings: SettingsStore) -> None:
    field = page.fields["address"]
    field.control.edited.emit("postgresql://me:secret@home/pet")
    assert "password" in field.error_label.text()
    assert settings.settings.sharing.address == ""
