"""Around the items: the frame of the column, portraits, placeholders, the empty state."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.view.decorations import (
    NARROW_WIDTH,
    ColumnFrame,
    Portraits,
    draw_message_focus,
    empty_hint,
    paint_empty,
    paint_placeholder,
)
from neodeskpet.ui.theme import LIGHT


@pytest.mark.parametrize("room", [240, 310, NARROW_WIDTH, 560, 1000, 3840])
def test_the_frame_fits(qtbot: QtBot, room: int) -> None:
    look = ItemStyle(LIGHT)
    frame = ColumnFrame.for_room(room, look)
    assert frame.left - frame.gutter >= 12
    assert frame.left + frame.width <= room - 12 or room < 300
    assert frame.width <= look.column_width
    assert (frame.portrait < LIGHT.portrait) == (room < NARROW_WIDTH)


def face(color: str) -> QPixmap:
    picture = QPixmap(20, 20)
    picture.fill(QColor(color))
    return picture


def painted(portraits: Portraits, *, newest: bool) -> str:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    portraits.paint(painter, QRectF(0, 0, 20, 20), ItemStyle(LIGHT), newest=newest)
    painter.end()
    return image.pixelColor(10, 10).name()


def test_portraits_of_messages_and_at_the_end(qtbot: QtBot) -> None:
    portraits = Portraits()
    assert painted(portraits, newest=True) == LIGHT.person.lower()
    portraits.set_pictures(face("#ff0000"), None)
    portraits.set_pictures(face("#00ff00"), None)
    assert painted(portraits, newest=True) == "#00ff00"
    assert painted(portraits, newest=False) == "#ff0000"
    portraits.set_pictures(face("#00ff00"), face("#0000ff"))
    assert painted(portraits, newest=False) == "#0000ff"


def test_placeholders_and_the_empty_state_can_be_painted(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    images = []
    for number in range(5):
        image = QImage(300, 200 + 200 * (number % 2), QImage.Format.Format_RGB32)
        image.fill(QColor(LIGHT.window))
        painter = QPainter(image)
        rect = QRectF(image.rect())
        if number < 2:
            paint_empty(painter, rect, look, Portraits())
        elif number < 4:
            paint_placeholder(painter, rect, look, person=number == 2)
        else:
            draw_message_focus(painter, rect, look)
        painter.end()
        images.append(image)
    assert all(a != b for n, a in enumerate(images) for b in images[n + 1 :])
    assert look.bold.pixelSize() == LIGHT.font_px
    assert empty_hint()


def test_another_speaker_has_its_own_portrait(qtbot: QtBot) -> None:
    portraits = Portraits()
    portraits.set_pictures(face("#ff0000"), None)
    for other in ("#00ff00", "#0000ff"):
        image = QImage(20, 20, QImage.Format.Format_ARGB32)
        painter = QPainter(image)
        place = QRectF(0, 0, 20, 20)
        portraits.paint(painter, place, ItemStyle(LIGHT), newest=True, other=face(other))
        painter.end()
        assert image.pixelColor(10, 10).name() == other
