"""Text in pictures, by the real recogniser in its process."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import ToolFailed
from neodeskpet.tools.builtin.screen import is_ocr_installed, recognize_text
from neodeskpet.tools.ocr_child import TextPiece, as_lines
from tests.support.unmeasured import unmeasured_children


def picture(*lines: tuple[int, int, str]) -> bytes:
    """A bitmap with text at these places."""
    image = QImage(900, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    font = QFont()
    font.setPixelSize(28)
    with QPainter(image) as painter:
        painter.setFont(font)
        painter.setPen(QColor("black"))
        for left, top, words in lines:
            painter.drawText(left, top, words)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "BMP")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def test_english_and_chinese_are_read_line_by_line(qtbot: QtBot) -> None:
    shown = picture(
        (600, 60, "Platform 7"), (30, 60, "The train leaves at 14:25"), (30, 140, "上海")
    )
    assert is_ocr_installed()
    with unmeasured_children():  # All that it loads would be traced, too.
        first, second = asyncio.run(recognize_text(shown)).split("\n")
    assert first.split("  ") == ["The train leaves at 14:25", "Platform 7"]
    assert second == "上海"


def test_a_file_that_is_no_picture_is_a_known_error() -> None:
    with pytest.raises(ToolFailed, match="could not be recognised"):
        asyncio.run(recognize_text(b"no picture"))


def test_pieces_at_the_same_height_are_one_line() -> None:
    pieces = [TextPiece("c", 0, 30, 40), TextPiece("b", 50, 2, 12), TextPiece("a", 0, 0, 10)]
    assert as_lines(pieces) == ["a  b", "c"]
    assert as_lines([]) == []
