"""Icons: every one paints something, and frames end in the right place."""

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.ui.chat.items import paint_primitives
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.theme import DARK, LIGHT, Theme

CENTER = QPointF(20, 20)
RED, BLUE = QColor("#FF0000"), QColor("#0000FF")


def canvas() -> QImage:
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    return image


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_icon_is_different(qtbot: QtBot, theme: Theme) -> None:
    look = ItemStyle(theme)
    images = []
    for status in ToolStatus:
        image = canvas()
        painter = QPainter(image)
        paint_primitives.draw_status_icon(painter, CENTER, status, look, 0.5)
        painter.end()
        images.append(image)
    color = QColor("#000000")
    strokes = [
        paint_primitives.draw_copy_icon,
        paint_primitives.draw_retry_icon,
        paint_primitives.draw_edit_icon,
        paint_primitives.draw_check_icon,
    ]
    for stroke in strokes:
        image = canvas()
        painter = QPainter(image)
        stroke(painter, CENTER, color)
        painter.end()
        images.append(image)
    for sign in (paint_primitives.draw_warning_icon, paint_primitives.draw_picture_icon):
        image = canvas()
        painter = QPainter(image)
        sign(painter, CENTER, look)
        painter.end()
        images.append(image)
    for opened in (True, False):
        image = canvas()
        painter = QPainter(image)
        paint_primitives.draw_chevron(painter, CENTER, color, opened=opened)
        painter.end()
        images.append(image)
    images.append(canvas())
    assert all(a != b for n, a in enumerate(images) for b in images[n + 1 :])


@pytest.mark.parametrize(("top", "bottom"), [(True, True), (True, False), (False, False)])
def test_a_slice_has_edges_only_where_the_box_ends(qtbot: QtBot, top: bool, bottom: bool) -> None:
    image = canvas()
    painter = QPainter(image)
    paint_primitives.draw_frame(painter, QRectF(0, 0, 40, 40), RED, BLUE, 8, top=top, bottom=bottom)
    painter.end()
    assert (image.pixelColor(20, 0) == BLUE) == top
    assert (image.pixelColor(20, 39) == BLUE) == bottom
    assert image.pixelColor(0, 20) == image.pixelColor(39, 20) == BLUE
    assert image.pixelColor(20, 20) == RED
    assert (image.pixelColor(0, 0) == QColor("#FFFFFF")) == top


def test_without_a_border_it_is_filled_to_the_edge(qtbot: QtBot) -> None:
    image = canvas()
    painter = QPainter(image)
    paint_primitives.draw_frame(painter, QRectF(0, 0, 40, 40), RED, None, 8)
    painter.end()
    assert image.pixelColor(20, 0) == RED
    assert image.pixelColor(0, 0) == QColor("#FFFFFF")


def test_buttons(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    images = []
    for primary, hovered, focused in (
        (False, False, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ):
        image = canvas()
        painter = QPainter(image)
        rect = QRectF(6, 6, 28, 28)
        paint_primitives.draw_button(
            painter, rect, "x", look, primary=primary, hovered=hovered, focused=focused
        )
        painter.end()
        images.append(image)
    assert all(a != b for n, a in enumerate(images) for b in images[n + 1 :])
    assert (
        paint_primitives.button_width("Allow once", look)
        > paint_primitives.button_width("x", look)
        > 24
    )
