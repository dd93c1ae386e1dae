"""A round picture of the companion."""

from PySide6.QtGui import QColor, QImage, QPixmap
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.widgets.portrait import Portrait


def test_it_is_a_disc_until_there_is_a_picture(qtbot: QtBot) -> None:
    portrait = Portrait(64)
    qtbot.addWidget(portrait)
    portrait.set_theme(LIGHT)
    image = portrait.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor(LIGHT.person)


def test_the_first_letter_stands_in_for_a_missing_picture(qtbot: QtBot) -> None:
    portrait = Portrait(64)
    qtbot.addWidget(portrait)
    portrait.set_theme(LIGHT)
    portrait.set_name("neo")
    image = portrait.grab().toImage()
    colours = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    assert QColor(LIGHT.accent).name() in colours


def test_it_shows_the_picture_round(qtbot: QtBot) -> None:
    portrait = Portrait(64)
    qtbot.addWidget(portrait)
    face = QPixmap(10, 10)
    face.fill(QColor("#ff0000"))
    portrait.set_picture(face)
    image = portrait.grab().toImage()
    assert image.pixelColor(image.width() // 2, image.height() // 2) == QColor("#ff0000")
    assert image.pixelColor(0, 0) != QColor("#ff0000")


def test_a_large_picture_is_scaled_down_from_all_of_its_pixels(qtbot: QtBot) -> None:
    portrait = Portrait(16)
    qtbot.addWidget(portrait)
    lines = QImage(96, 96, QImage.Format.Format_RGB32)
    lines.fill(QColor("white"))
    for x in range(0, 96, 6):
        for y in range(96):
            lines.setPixelColor(x, y, QColor("black"))
    portrait.set_picture(QPixmap.fromImage(lines))
    image = portrait.grab().toImage()
    middle = [image.pixelColor(x, image.height() // 2).lightness() for x in range(4, 12)]
    assert all(180 < one < 240 for one in middle), "a sixth of each pixel is black"
