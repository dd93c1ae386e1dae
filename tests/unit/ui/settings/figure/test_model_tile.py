from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.figure.model_tile import (
    ModelTileButton,
    import_tile,
)
from neodeskpet.ui.theme import DARK, LIGHT


def colours(tile: ModelTileButton) -> set[str]:
    image = tile.grab().toImage()
    return {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    }


def test_it_shows_its_picture_whether_it_is_chosen_and_errors(qtbot: QtBot) -> None:
    tile = ModelTileButton(LIGHT, "Cat")
    qtbot.addWidget(tile)
    plain = tile.grab().toImage()
    picture = QPixmap(30, 60)
    picture.fill(QColor("#ff0000"))
    tile.set_picture(picture)
    assert "#ff0000" in colours(tile)
    tile.setChecked(True)
    assert LIGHT.person.lower() in colours(tile)
    tile.set_error("broken")
    assert (tile.toolTip(), tile.accessibleDescription()) == ("broken", "broken")
    assert "#ff0000" not in colours(tile), "faded"
    tile.set_theme(DARK)
    assert tile.grab().toImage() != plain
    tile.set_title("Dog")
    assert tile.accessibleName() == "Dog"


def test_a_press_asks_and_does_not_choose(qtbot: QtBot) -> None:
    tile = ModelTileButton(LIGHT, "Cat")
    qtbot.addWidget(tile)
    with qtbot.waitSignal(tile.clicked):
        QTest.mouseClick(tile, Qt.MouseButton.LeftButton)
    assert not tile.isChecked()
    assert not import_tile(LIGHT).isCheckable()
