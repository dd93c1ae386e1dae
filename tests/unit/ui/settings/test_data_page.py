"""Paths of the data, and deleting all conversations on purpose only."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import StoreError
from neodeskpet.language import set_language
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.ui.settings.data_page import DataPage
from neodeskpet.ui.settings.settings_ports import UninstallInfo
from neodeskpet.ui.theme import LIGHT, apply_window_theme
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import Data, live_settings, section


@pytest.fixture
def data(tmp_path: Path) -> Data:
    made = Data(tmp_path / "data folder")
    made.folder.mkdir()
    return made


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def page(qtbot: QtBot, data: Data, opened: list[str], tmp_path: Path) -> DataPage:
    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    made = DataPage(section("data"), live_settings(tmp_path), data, LIGHT, open_url=open_url)
    qtbot.addWidget(made)
    made.retranslate()
    return made


def button(page: DataPage, text: str) -> QPushButton:
    return next(one for one in page.findChildren(QPushButton) if one.text() == text)


def wrong(page: DataPage) -> str:
    return " ".join(row.error_label.text() for row in page.rows)


def note(page: DataPage) -> str:
    return " ".join(row.note.text() for row in page.rows)


def test_it_opens_the_folder(page: DataPage, data: Data, opened: list[str]) -> None:
    button(page, "Open folder").click()
    assert opened == [str(data.folder)]
    assert wrong(page).strip() == ""


def test_a_missing_log_is_reported(page: DataPage, data: Data, opened: list[str]) -> None:
    button(page, "Open log").click()
    assert opened == []
    assert str(data.log) in wrong(page)
    data.log.write_text("x")
    button(page, "Open log").click()
    assert opened == [str(data.log)]
    assert wrong(page).strip() == ""


def test_the_steps_of_uninstalling_are_shown(page: DataPage, data: Data) -> None:
    row = next(row for row in page.rows if row.title.text() == "Uninstall")
    assert row.note.text() == "Then delete the folder /a/place. Switch “Start at login” off before."
    assert row.controls[0].property("text") == "remove it"
    assert row.search("uninstall")


def test_deleting_asks_first(page: DataPage) -> None:
    assert page.sure.isHidden()
    page.delete.click()
    assert "can't be brought back" in note(page)
    assert page.delete.isHidden()
    page.keep.click()
    assert page.sure.isHidden()
    assert "can't be brought back" not in note(page)


def test_it_deletes_and_reports_the_number(page: DataPage) -> None:
    async def scenario() -> None:
        page.delete.click()
        page.sure.click()
        await settle()
        assert "3 conversations were deleted." in note(page)
        assert not page.delete.isHidden()

    play(scenario())


def test_it_says_why_they_could_not_be_deleted(page: DataPage, data: Data) -> None:
    data.fails = StoreError("locked")

    async def scenario() -> None:
        page.delete.click()
        page.sure.click()
        await settle()
        assert "locked" in wrong(page)
        assert page.sure.isEnabled()
        assert not page.sure.isHidden()

    play(scenario())


def test_it_has_its_settings_too(page: DataPage) -> None:
    assert "detailed_log" in page.fields
    assert page.search("log") >= 2
    assert page.search("delete") >= 1


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (SecretPlace.KEYRING, "system's keyring"),
        (SecretPlace.FILE, "in a file"),
        (SecretPlace.MEMORY, "no keyring"),
    ],
)
def test_the_place_of_keys_is_shown_correctly(
    page: DataPage, data: Data, place: SecretPlace, said: str
) -> None:
    assert said not in texts(page)
    data.keys = place

    async def scene() -> None:
        page.show()
        await settle()
        page.hide()

    play(scene())
    assert said in texts(page)


def texts(page: DataPage) -> str:
    return " ".join(one.text() for one in page.findChildren(QLabel))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_long_path_fits_into_a_narrow_window(
    qtbot: QtBot, data: Data, tmp_path: Path, language: str
) -> None:
    set_language(language)
    place = "/home/somebody/" + "afolderwithaverylongnameindeed_of_it/" * 3 + "neodeskpet"
    data.removal = UninstallInfo(data.removal.words, f"{place}/.venv/bin/pip uninstall it", place)
    large = LIGHT.sized(27)
    page = DataPage(section("data"), live_settings(tmp_path), data, large)
    qtbot.addWidget(page)
    apply_window_theme(page, large)
    page.retranslate()
    named = [label for label in page.findChildren(QLabel) if place in label.text()]
    assert len(named) == 2
    assert all(label.minimumSizeHint().width() <= 370 for label in named)
