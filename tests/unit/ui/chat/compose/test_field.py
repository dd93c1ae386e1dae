"""The field takes words itself and hands pictures on; the rest is in test_composer.py."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.compose.field import Field


def test_a_picture_is_handed_on_and_words_are_written(qtbot: QtBot) -> None:
    field = Field()
    qtbot.addWidget(field)
    offered: list[QMimeData] = []
    field.offered.connect(offered.append)
    words, picture = QMimeData(), QMimeData()
    words.setText("a\r\nb")
    picture.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    for source in (words, picture):
        assert field.canInsertFromMimeData(source)
        field.insertFromMimeData(source)
    assert field.text() == "a\nb"
    assert len(offered) == 1
