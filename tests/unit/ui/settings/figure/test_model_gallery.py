from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import ModelFileError
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.settings.figure.figure_ports import ModelChoice
from neodeskpet.ui.settings.figure.model_gallery import ModelGallery
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.scenario import play, settle
from tests.unit.ui.settings.model_doubles import Models


@pytest.fixture
def models(tmp_path: Path, qapp: QApplication) -> Models:
    return Models(tmp_path)


@pytest.fixture
def gallery(qtbot: QtBot, models: Models) -> Iterator[ModelGallery]:
    made = ModelGallery(models, LIGHT, DialogFolders(), before=models.before)
    qtbot.addWidget(made)
    made.show()
    yield made


def checked(gallery: ModelGallery) -> list[str]:
    return [path for path, tile in gallery._tiles.items() if tile.isChecked()]


def test_it_shows_the_models_with_their_pictures(gallery: ModelGallery, models: Models) -> None:
    models.list.append(ModelChoice("/m/bad", "Bad", removable=True, problem="broken"))
    looked: list[str] = []
    gallery.chosen.connect(looked.append)

    async def scenario() -> None:
        gallery.refresh("/m/cat")
        await settle()

    play(scenario())
    assert [tile.text() for tile in gallery._tiles.values()] == ["Neo", "Cat", "Bad"]
    assert checked(gallery) == ["/m/cat"]
    assert looked == ["/m/cat"]
    assert models.asked == [("picture", ""), ("picture", "/m/cat")]
    assert gallery._tiles["/m/bad"].toolTip() == "broken"
    gallery.set_theme(DARK)
    gallery.retranslate()


def test_a_press_chooses(gallery: ModelGallery, models: Models) -> None:
    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        assert gallery.remove.isHidden(), "the bundled one stays"
        gallery._tiles["/m/cat"].click()
        assert "Cat" in gallery.state.text()
        assert gallery.busy.isVisible()
        await settle()

    play(scenario())
    assert ("choose", "/m/cat") in models.asked
    assert checked(gallery) == ["/m/cat"]
    assert not gallery.busy.isVisible()


def test_a_refused_one_has_its_reason_and_the_present_one_stays(
    gallery: ModelGallery, models: Models
) -> None:
    models.fails = ModelFileError("cut short", file="cat.moc3")

    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        gallery._tiles["/m/cat"].click()
        await settle()

    play(scenario())
    assert checked(gallery) == [""]
    assert "cat.moc3" in gallery.wrong.text()
    assert "cut short" in gallery.wrong.text()


def test_a_dropped_file_is_imported_and_chosen(
    gallery: ModelGallery, models: Models, tmp_path: Path
) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "cat.zip"))])
    action, button, keys = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )

    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        enter = QDragEnterEvent(QPointF(5, 5).toPoint(), action, mime, button, keys)
        gallery.dragEnterEvent(enter)
        assert enter.isAccepted()
        gallery.dropEvent(QDropEvent(QPointF(5, 5), action, mime, button, keys))
        await settle()

    play(scenario())
    assert ("add", tmp_path / "cat.zip") in models.asked
    assert ("choose", "/m/new") in models.asked
    assert checked(gallery) == ["/m/new"]


def test_a_dropped_text_is_not_taken(gallery: ModelGallery) -> None:
    mime = QMimeData()
    mime.setText("hello")
    enter = QDragEnterEvent(
        QPointF(5, 5).toPoint(),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter.ignore()
    gallery.dragEnterEvent(enter)
    assert not enter.isAccepted()


def test_the_dialog_opens_without_blocking(
    gallery: ModelGallery, models: Models, tmp_path: Path
) -> None:
    async def scenario() -> None:
        for button, mode in (
            (gallery.bring, QFileDialog.FileMode.ExistingFile),
            (gallery.folder, QFileDialog.FileMode.Directory),
        ):
            button.click()
            dialog = gallery._dialog
            assert dialog is not None
            assert dialog.fileMode() is mode
            assert dialog.directory().path() == str(
                gallery._folders.start_folder(FolderKind.FIGURES)
            )
            dialog.fileSelected.emit(str(tmp_path / mode.name))
            dialog.close()
            await settle()

    play(scenario())
    added = [what[1] for what in models.asked if what[0] == "add"]
    assert added == [tmp_path / "ExistingFile", tmp_path / "Directory"]


def test_removing_asks_first(gallery: ModelGallery, models: Models) -> None:
    async def scenario() -> None:
        gallery.refresh("/m/cat")
        await settle()
        gallery.remove.click()
        assert "Cat" in gallery.state.text()
        assert gallery.sure.isVisible()
        gallery.keep.click()
        assert not gallery.sure.isVisible()
        assert ("remove", "/m/cat") not in models.asked
        gallery.remove.click()
        gallery.sure.setFocus()
        gallery.sure.click()
        await settle()
        assert gallery.focusWidget() is gallery._tiles[""]

    play(scenario())
    assert ("remove", "/m/cat") in models.asked
    assert list(gallery._tiles) == [""]
    assert checked(gallery) == [""]


def test_another_one_chosen_elsewhere_is_marked(gallery: ModelGallery, models: Models) -> None:
    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        gallery.set_current("/m/cat")
        assert checked(gallery) == ["/m/cat"]
        models.list.append(ModelChoice("/m/else", "Else"))
        gallery.set_current("/m/else")
        await settle()

    play(scenario())
    assert checked(gallery) == ["/m/else"]


def test_another_page_does_not_end_an_import(
    gallery: ModelGallery, models: Models, tmp_path: Path
) -> None:
    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        models.http_server = asyncio.Event()
        gallery.import_model(tmp_path / "cat.zip")
        await settle()
        gallery.refresh("")
        gallery._tiles["/m/cat"].click()
        gallery.import_model(tmp_path / "dog.zip")
        assert gallery.busy.isVisible()
        assert "cat.zip" in gallery.state.text()
        models.http_server.set()
        await settle()

    play(scenario())
    assert checked(gallery) == ["/m/new"]
    assert [what[0] for what in models.asked if what[0] != "picture"] == ["before", "add", "choose"]
    assert not gallery.busy.isVisible()


def test_an_import_can_be_stopped(gallery: ModelGallery, models: Models, tmp_path: Path) -> None:
    async def scenario() -> None:
        gallery.refresh("")
        await settle()
        models.http_server = asyncio.Event()
        gallery.import_model(tmp_path / "cat.zip")
        await settle()
        gallery.stop.click()
        await settle()
        assert not gallery.busy.isVisible()
        assert gallery.folder.isVisible()

    play(scenario())
    assert checked(gallery) == [""]
    assert ("choose", "/m/new") not in models.asked


def test_after_the_end_nothing_is_reported(
    gallery: ModelGallery, models: Models, tmp_path: Path
) -> None:
    async def scenario() -> None:
        gallery.refresh("")
        gallery.import_model(tmp_path / "cat.zip")  # ended before its first step
        await gallery.aclose()
        gallery.refresh("")
        gallery.import_model(tmp_path / "dog.zip")
        await settle()

    play(scenario())
    assert [what for what in models.asked if what[0] == "add"] == []
