"""The key: never shown completely, replaced and deleted only on purpose, its place shown."""

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from neodeskpet.settings.config_files import SettingsNotSaved
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.settings.services.key_row import KeyRow
from neodeskpet.ui.theme import LIGHT
from tests.support.scenario import play, settle, until
from tests.unit.ui.settings.doubles import Service

KEY = "sk-0123456789abcdef3f9a"


def press(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def row(qtbot: QtBot, service: Service) -> KeyRow:
    made = KeyRow(service, LIGHT)
    qtbot.addWidget(made)
    made.resize(500, 90)
    return made


def shown(row: KeyRow, then: Callable[[], Awaitable[None]]) -> None:
    """Show the row on a loop and let it load the key first."""

    async def scenario() -> None:
        row.show()
        await settle()
        await then()

    play(scenario())


def test_nothing_is_loaded_before_the_row_is_visible(row: KeyRow) -> None:
    assert row.entry.isReadOnly()
    assert row.note.text() == ""


def test_a_stored_key_shows_four_letters_at_most(row: KeyRow, service: Service) -> None:
    service.key_value = KEY

    async def then() -> None:
        assert row.entry.text().endswith("3f9a")
        assert "sk-" not in row.entry.text()
        assert row.entry.text().strip("•") == "3f9a"
        assert row.entry.isReadOnly()

    shown(row, then)


def test_a_new_key_is_typed_hidden_and_stored(row: KeyRow, service: Service) -> None:
    async def then() -> None:
        assert row.entry.echoMode() == QLineEdit.EchoMode.Password
        assert not row.first.isEnabled()
        row.entry.setText(f"  {KEY}\n ")
        assert row.first.isEnabled()
        press(row.first)
        await settle()
        assert service.key_value == KEY
        assert row.entry.text().endswith("3f9a")

    shown(row, then)


def test_enter_stores_it_too(row: KeyRow, service: Service) -> None:
    async def then() -> None:
        row.entry.setText(KEY)
        QTest.keyClick(row.entry, Qt.Key.Key_Return)
        await settle()
        assert service.asked == ["store key"]

    shown(row, then)


def test_leaving_the_field_stores_it_except_towards_cancel(row: KeyRow, service: Service) -> None:
    service.key_value = KEY

    async def then() -> None:
        row.activateWindow()
        await until(row.isActiveWindow)
        assert "go on" not in row.note.text()
        press(row.first)
        assert "or when you leave the field" in row.note.text()
        row.entry.setText("sk-unwanted")
        row.second.setFocus()
        await settle()
        assert service.key_value == KEY
        row.entry.setFocus()
        row.first.setFocus()
        await until(lambda: service.key_value == "sk-unwanted")

    shown(row, then)


def test_replacing_begins_empty_and_can_be_cancelled(row: KeyRow, service: Service) -> None:
    service.key_value = KEY

    async def then() -> None:
        press(row.first)
        assert row.entry.text() == ""
        assert not row.entry.isReadOnly()
        row.entry.setText("sk-new")
        press(row.second)
        assert row.entry.text().endswith("3f9a")
        assert service.key_value == KEY

    shown(row, then)


def test_deleting_asks_once_more(row: KeyRow, service: Service) -> None:
    service.key_value = KEY

    async def then() -> None:
        press(row.second)
        assert "Delete this key?" in row.note.text()
        press(row.second)
        assert service.asked == []
        press(row.second)
        press(row.first)
        await settle()
        assert service.key_value == ""
        assert not row.entry.isReadOnly()

    shown(row, then)


def test_an_error_is_shown_and_can_be_repeated(row: KeyRow, service: Service) -> None:
    service.fails = SettingsNotSaved("disk full", file="secrets.json")

    async def then() -> None:
        row.entry.setText(KEY)
        press(row.first)
        await settle()
        assert "disk full" in row.error_label.text()
        assert row.entry.text() == KEY
        assert row.first.isEnabled()

    shown(row, then)


def test_the_place_where_it_is_stored(row: KeyRow, service: Service) -> None:
    async def then() -> None:
        said: dict[SecretPlace, str] = {}
        for place in SecretPlace:
            service.place = place
            row.refresh()
            await settle()
            said[place] = row.note.text()
        assert "keyring" in said[SecretPlace.KEYRING]
        assert service.where in said[SecretPlace.FILE]
        assert "until NeoDeskPet ends" in said[SecretPlace.MEMORY]
        assert "environment variable" in said[SecretPlace.ENVIRONMENT]

    shown(row, then)


def test_without_a_keyring_a_file_is_offered(row: KeyRow, service: Service) -> None:
    service.place = SecretPlace.MEMORY

    async def then() -> None:
        assert not row.file.isHidden()
        press(row.file)
        await settle()
        assert service.asked == ["allow file"]
        assert row.file.isHidden()
        assert service.where in row.note.text()

    shown(row, then)


def test_a_key_of_the_environment_cant_be_deleted_here(row: KeyRow, service: Service) -> None:
    service.key_value, service.place = KEY, SecretPlace.ENVIRONMENT

    async def then() -> None:
        assert row.second.isHidden()
        assert not row.first.isHidden()

    shown(row, then)


def test_another_service_has_another_key(row: KeyRow, service: Service) -> None:
    service.key_value = KEY

    async def then() -> None:
        press(row.first)
        service.key_value = "other-1234"
        row.refresh()
        await settle()
        assert row.entry.text().endswith("1234")
        row.retranslate()
        assert row.entry.accessibleName() == "Key, ends in 1234"

    shown(row, then)


def test_a_hidden_row_loads_again_when_it_is_visible(row: KeyRow, service: Service) -> None:
    async def then() -> None:
        row.hide()
        service.key_value = KEY
        row.refresh()
        await settle()
        assert row.entry.text() == ""
        row.show()
        await settle()
        assert row.entry.text().endswith("3f9a")

    shown(row, then)


def test_before_a_key_is_sent_unencrypted_the_row_warns_and_asks(
    row: KeyRow, service: Service
) -> None:
    service.exposed = "box.example"

    async def then() -> None:
        assert "The way to box.example isn't encrypted" in row.note.text()
        assert row.plain.text() == "Send it unencrypted"
        service.fails = SettingsNotSaved(file="settings.json")
        press(row.plain)
        assert row.error_label.text()
        service.fails = None
        press(row.plain)
        await settle()
        assert row.plain.isHidden()
        assert "encrypted" not in row.note.text()
        assert row.error_label.isHidden()

    shown(row, then)


def test_an_encrypted_connection_is_not_asked_about(row: KeyRow) -> None:
    async def then() -> None:
        assert row.plain.isHidden()

    shown(row, then)
