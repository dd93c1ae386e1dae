"""A round picture of the companion."""

from PySide6.QtGui import QColor, QPixmap
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.portrait import Portrait
from neodeskpet.ui.theme import LIGHT


def test_is_a_disc_until_there_is_a_picture(qtbot: QtBot) -> None:
    portrait = Portrait(64)
    qtbot.addWidget(portrait)
    portrait.set_theme(LIGHT)
    image = portrait.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor(LIGHT.person)


def test_shows_the_picture_round(qtbot: QtBot) -> None:
    portrait = Portrait(64)
    qtbot.addWidget(portrait)
    face = QPixmap(10, 10)
    face.fill(QColor("#ff0000"))
    portrait.set_picture(face)
    image = portrait.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor("#ff0000")
    assert image.pixelColor(0, 0) != QColor("#ff0000")
