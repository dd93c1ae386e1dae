"""The demo's picture: chat, figure and bubble side by side, also without a figure."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from neodeskpet.ui.demo_screenshot import compose_demo_screenshot
from neodeskpet.ui.theme import theme_for


class Pet:
    def __init__(self, size: QSize) -> None:
        self._image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        self._image.fill(QColor("#ff0000"))

    def snapshot(self) -> QImage:
        return self._image


def coloured(qtbot: QtBot, colour: str, width: int, height: int) -> QLabel:
    label = QLabel()
    label.setStyleSheet(f"background: {colour}")
    label.resize(width, height)
    qtbot.addWidget(label)
    return label


def colours(image: QImage) -> set[str]:
    every = 5
    return {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), every)
        for y in range(0, image.height(), every)
    }


def test_all_three_are_in_it(qtbot: QtBot) -> None:
    chat, bubble = coloured(qtbot, "#00ff00", 300, 400), coloured(qtbot, "#0000ff", 120, 60)
    bubble.show()
    image = compose_demo_screenshot(chat, Pet(QSize(100, 200)), bubble, theme_for("light"))  # type: ignore[arg-type]
    assert {"#ff0000", "#00ff00", "#0000ff"} <= colours(image)


def test_without_a_figure_the_chat_is_in_it(qtbot: QtBot) -> None:
    chat, bubble = coloured(qtbot, "#00ff00", 300, 400), coloured(qtbot, "#0000ff", 120, 60)
    image = compose_demo_screenshot(chat, Pet(QSize(0, 0)), bubble, theme_for("dark"))  # type: ignore[arg-type]
    assert "#00ff00" in colours(image)
    assert "#ff0000" not in colours(image)
