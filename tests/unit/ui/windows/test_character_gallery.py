"""The window of the gallery: one press changes the character, by mouse and by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.language import set_language
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.character_gallery import (
    CharacterGallery,
    CharacterPage,
    CharacterPreview,
    GalleryEntry,
    ShareResult,
)


class Port:
    """A gallery of three."""

    def __init__(self) -> None:
        self.shown = [
            GalleryEntry("neo", "Neo", "Curious", current=True),
            GalleryEntry("ready mochi", "Mochi", "Soft, shy, very patient.", language="en"),
            GalleryEntry("own fox", "狐狸", "Quick", own=True, language="zh_CN", ready=False),
        ]
        self.calls: list[tuple[str, str]] = []
        self.withheld = False
        self._changed: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._changed.subscribe(observer)

    async def entries(self) -> Sequence[GalleryEntry]:
        return list(self.shown)

    async def face(self, entry: str) -> QImage:
        if entry == "own fox":
            return QImage()
        image = QImage(400, 400, QImage.Format.Format_ARGB32)
        image.fill(QColor("teal"))
        return image

    async def preview(self, entry: str) -> CharacterPreview:
        self.calls.append(("preview", entry))
        return CharacterPreview("Hello, there is a warm spot here.", "CC BY 4.0", "Ana")

    async def create(self) -> str:
        self.calls.append(("create", ""))
        self.shown.append(GalleryEntry("own new", "New", "", own=True, ready=False))
        return "own new"

    async def choose(self, entry: str) -> None:
        self.calls.append(("choose", entry))
        self.shown = [replace(one, current=one.id == entry) for one in self.shown]
        self._changed.notify()

    async def import_file(self, file: Path) -> str:
        if file.suffix == ".txt":
            raise SettingsError("no card")
        self.calls.append(("import", file.name))
        self.shown.append(GalleryEntry("own new", "New", "", own=True))
        return "own new"

    async def share(self, entry: str, file: Path) -> ShareResult:
        self.calls.append(("share", entry))
        return ShareResult(figure=not self.withheld, withheld=self.withheld)

    def edit(self, entry: str) -> None:
        self.calls.append(("edit", entry))

    def invite(self) -> None:
        self.calls.append(("invite", ""))


@asynccontextmanager
async def opened(qtbot: QtBot) -> AsyncIterator[tuple[CharacterGallery, Port]]:
    set_language("en")
    port = Port()
    window = CharacterGallery(LIGHT, port)
    qtbot.addWidget(window)
    window.present()
    await until(lambda: len(window.tiles) == 3, "nothing is shown")
    yield window, port
    await window.aclose()
    window.close()


async def until(there: Callable[[], bool], why: str) -> None:
    for _ in range(4_000):
        if there():
            return
        QApplication.processEvents()
        await asyncio.sleep(0.005)
    raise AssertionError(why)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_one_press_changes_the_character(qtbot: QtBot, by: str) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, port):
            assert window.tiles["neo"].isChecked()
            mochi = window.tiles["ready mochi"]
            assert mochi.accessibleDescription() == "Soft, shy, very patient."
            if by == "mouse":
                QTest.mouseClick(mochi, Qt.MouseButton.LeftButton)
            else:
                window.activateWindow()
                await until(window.tiles["neo"].hasFocus, "the current card isn't focused")
                await until(lambda: mochi.x() > window.tiles["neo"].x(), "they aren't in a row")
                QTest.keyClick(window.tiles["neo"], Qt.Key.Key_Right)
                assert mochi.hasFocus()
                QTest.keyClick(mochi, Qt.Key.Key_Space)
            await until(mochi.isChecked, "it isn't chosen")
            assert port.calls == [("choose", "ready mochi")]
            await until(lambda: not window._work.busy(), "it isn't done")
            assert window.focusWidget() is mochi
            assert not window.tiles["neo"].isChecked()
            assert not window.share_button.isEnabled()

    asyncio.run(story())


def test_an_own_character_is_shared_and_edited(qtbot: QtBot, tmp_path: Path) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, port):
            window.tiles["own fox"].click()
            await until(window.share_button.isEnabled, "it isn't chosen")
            assert window.share_button.text() == "Share 狐狸…"
            await until(lambda: not window._work.busy(), "it isn't done")
            window.share_to(tmp_path / "fox.charx")
            await until(window.bar.isVisible, "nothing is said")
            assert window.bar.text.text() == "Saved as “fox.charx”."
            port.withheld = True
            window.share_to(tmp_path / "fox.charx")
            await until(lambda: "left out" in window.bar.text.text(), "it isn't said")
            window.edit_button.click()
            window.invite_button.click()
            assert port.calls[-2:] == [("edit", "own fox"), ("invite", "")]

    asyncio.run(story())


def test_a_dropped_file_is_imported(qtbot: QtBot, tmp_path: Path) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, port):
            for name in ("new.charx", "wrong.txt"):
                mime = QMimeData()
                mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name))])
                action, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
                none = Qt.KeyboardModifier.NoModifier
                enter = QDragEnterEvent(QPoint(9, 9), action, mime, left, none)
                QApplication.sendEvent(window, enter)
                assert enter.isAccepted()
                drop = QDropEvent(QPointF(9, 9), action, mime, left, none)
                QApplication.sendEvent(window, drop)
                await until(window.bar.isVisible, "nothing is said")
                if name == "new.charx":
                    assert "own new" in window.tiles and "“New”" in window.bar.text.text()
                    window.bar.clear()
            assert port.calls == [("import", "new.charx")]

    asyncio.run(story())


def test_the_columns_follow_the_width(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, _port):
            tiles = list(window.tiles.values())
            window.resize(900, 600)
            await until(lambda: tiles[0].y() == tiles[2].y(), "they aren't in a row")
            window.resize(360, 600)
            await until(lambda: tiles[0].x() == tiles[1].x() == tiles[2].x(), "they are beside")
            window.set_theme(DARK)
            set_language("zh_CN")
            window.retranslate()
            assert window.share_button.text() == "分享…"
            set_language("en")

    asyncio.run(story())


def test_a_small_face_is_not_enlarged(qtbot: QtBot) -> None:
    page = CharacterPage(LIGHT)
    qtbot.addWidget(page)
    face = QPixmap(64, 64)
    face.fill("red")
    entry = GalleryEntry("own x", "Ana", "", current=False)
    page.show_character(entry, CharacterPreview("", "", ""), face)
    assert page.face.pixmap().height() == 64


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_character_is_previewed_before_it_is_chosen(qtbot: QtBot, by: str) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, port):
            mochi, page = window.tiles["ready mochi"], window.page
            await until(lambda: not mochi.face.isNull(), "it has no face")
            if by == "mouse":
                QTest.mouseClick(mochi.preview, Qt.MouseButton.LeftButton)
            else:
                mochi.setFocus()
                QTest.keyClick(mochi, Qt.Key.Key_Tab)
                assert window.focusWidget() is mochi.preview
                QTest.keyClick(mochi.preview, Qt.Key.Key_Space)
            await until(page.isVisible, "it isn't shown")
            assert (page.name.text(), page.line.text()) == ("Mochi", "Soft, shy, very patient.")
            assert "warm spot" in page.greeting.text()
            assert page.licence.text() == "Licence of the figure: CC BY 4.0 · Made by Ana"
            assert page.face.pixmap().height() > 118, "the face is larger than in the grid"
            assert not window.import_button.isVisible()
            QTest.keyClick(window, Qt.Key.Key_Escape)
            assert mochi.isVisible() and window.isVisible()
            assert window.focusWidget() is mochi.preview
            assert port.calls == [("preview", "ready mochi")], "none was chosen"
            mochi.preview.click()
            await until(page.isVisible, "it isn't shown again")
            assert page.take.text() == "Talk with Mochi"
            if by == "mouse":
                QTest.mouseClick(page.take, Qt.MouseButton.LeftButton)
            else:
                assert window.focusWidget() is page.take
                QTest.keyClick(page.take, Qt.Key.Key_Space)
            await until(mochi.isChecked, "it isn't chosen")

    asyncio.run(story())


def test_the_grid_is_filtered_and_ends_with_a_new_character(qtbot: QtBot) -> None:
    async def story() -> None:
        async with opened(qtbot) as (window, port):

            def shown() -> list[str]:
                return [one for one, tile in window.tiles.items() if tile.isVisible()]

            await until(lambda: len(shown()) == 3, "not all are shown")
            window.languages.button("en").click()
            assert shown() == ["neo", "ready mochi"]
            window.languages.button("zh_CN").click()
            assert shown() == ["neo", "own fox"]
            window.kinds.button("own").click()
            assert shown() == ["own fox"]
            window.languages.button("").click()
            window.kinds.button("ready").click()
            assert shown() == ["neo", "ready mochi"]
            window.kinds.button("").click()
            assert window.new_tile.isVisible()
            assert window.new_tile.text() == "New character…"
            QTest.mouseClick(window.new_tile, Qt.MouseButton.LeftButton)
            await until(lambda: "own new" in window.tiles, "it isn't made")
            assert port.calls == [("create", "")]

    asyncio.run(story())
