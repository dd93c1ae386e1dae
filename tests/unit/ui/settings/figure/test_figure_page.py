from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import ModelFileError
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.settings.figure.figure_page import FigurePage
from neodeskpet.ui.settings.figure.figure_ports import ModelChoice
from neodeskpet.ui.settings.settings_page import SettingsPageEntry
from neodeskpet.ui.settings.settings_window import SettingsWindow
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.doubles import live_settings, section
from tests.unit.ui.settings.model_doubles import Models, OnePersona


@pytest.fixture
def models(tmp_path: Path, qapp: QApplication) -> Models:
    return Models(tmp_path)


@pytest.fixture
def port(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


@pytest.fixture
def page(models: Models, port: SettingsStore) -> FigurePage:
    return FigurePage(section("companion"), port, models, OnePersona(), LIGHT, DialogFolders())


@pytest.fixture
def window(qtbot: QtBot, page: FigurePage, port: SettingsStore) -> SettingsWindow:
    made = SettingsWindow([SettingsPageEntry(page.section, lambda: page)], port, LIGHT)
    qtbot.addWidget(made)
    return made


async def kept(page: FigurePage) -> None:
    """Wait until the last change is saved."""
    await page._notes.flush()
    await settle()


def test_the_bundled_one_at_first(window: SettingsWindow, page: FigurePage) -> None:
    async def scenario() -> None:
        window.show()
        await settle()

    play(scenario())
    assert list(page.gallery._tiles) == ["", "/m/cat"]
    assert page.editor.isVisibleTo(page)
    assert not page.areas.isVisibleTo(page), "it has areas and keeps its own"
    assert not page.size_scale.isVisibleTo(page)
    assert "model" not in page.fields


def test_another_one_with_its_settings(
    window: SettingsWindow, page: FigurePage, port: SettingsStore, models: Models
) -> None:
    async def scenario() -> None:
        window.show()
        await settle()
        port.change("companion", "model", "/m/cat")
        await settle()
        assert page.areas.isVisible()
        page.size_scale.slider.setValue(page.size_scale.slider.maximum())
        page.right.slider.setValue(page.right.slider.maximum())
        await kept(page)
        page.editor.expressions.rows["smile"].play.click()
        await settle()
        page.editor.motions.rows["Nod:0"].play.click()
        await settle()

    play(scenario())
    side = models.sides["/m/cat"]
    assert (side.size, side.offset) == (2.0, (0.5, 0.0))
    assert models.asked.count(("note", "/m/cat")) == 1, "saved once, after the last movement"
    assert ("expression", "smile") in models.asked
    assert ("motion", "Nod", 0) in models.asked


def test_a_failed_save_is_reported(
    window: SettingsWindow, page: FigurePage, port: SettingsStore, models: Models
) -> None:
    port.change("companion", "model", "/m/cat")

    async def scenario() -> None:
        window.show()
        await settle()
        models.fails = ModelFileError("no room", file="cat.model3.json")
        page.size_scale.slider.setValue(0)
        await kept(page)

    play(scenario())
    assert "no room" in page.gallery.wrong.text()


def test_a_failed_load_is_reported_here(window: SettingsWindow, page: FigurePage) -> None:
    window.pages["companion"]
    window.show_error("companion", "model", "It is broken.")
    assert page.gallery.wrong.text() == "It is broken."


def test_it_can_be_searched_is_narrow_and_styled(window: SettingsWindow, page: FigurePage) -> None:
    async def scenario() -> None:
        window.show()
        await settle()
        window.search.setText("Live2D")
        await settle()
        assert page.gallery.isVisible()
        assert not page.editor.isVisible()
        window.search.setText("opacity")
        await settle()
        assert not page.gallery.isVisible()
        window.search.setText("")
        await settle()
        assert page.editor.isVisible()
        window.resize(360, 600)
        window.set_theme(DARK)
        window.retranslate()
        await settle()

    play(scenario())


def test_a_note_is_saved_although_another_figure_is_opened_or_the_app_ends(
    window: SettingsWindow, page: FigurePage, port: SettingsStore, models: Models
) -> None:
    models.list.append(ModelChoice("/m/dog", "Dog", removable=True))
    port.change("companion", "model", "/m/cat")

    async def scenario() -> None:
        window.show()
        await settle()
        page.size_scale.slider.setValue(0)
        port.change("companion", "model", "/m/dog")
        await settle()
        assert models.sides["/m/cat"].size == 0.5
        assert page.size_scale.value() == 1.0
        page.size_scale.slider.setValue(page.size_scale.slider.maximum())
        await window.aclose()

    play(scenario())
    assert models.sides["/m/cat"].size == 0.5
    assert models.sides["/m/dog"].size == 2.0


def test_a_preview_waits_for_a_new_name(
    window: SettingsWindow, page: FigurePage, port: SettingsStore, models: Models
) -> None:
    port.change("companion", "model", "/m/cat")

    async def scenario() -> None:
        window.show()
        await settle()
        row = page.editor.expressions.rows["smile"]
        row.title.setText("glad")
        row.title.editingFinished.emit()
        row.play.click()
        await kept(page)

    play(scenario())
    told = [what for what in models.asked if what[0] in ("note", "expression")]
    assert told == [("note", "/m/cat"), ("expression", "glad")]
