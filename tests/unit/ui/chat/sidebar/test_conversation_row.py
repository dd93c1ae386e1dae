"""How a row is painted: the time normally, icons at the pointer, the open one marked."""

from datetime import datetime

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.ui.chat.sidebar.conversation_list_model import ConversationListModel
from neodeskpet.ui.chat.sidebar.conversation_row import ROW_HEIGHT, ConversationDelegate
from neodeskpet.ui.theme import LIGHT

NOW = datetime(2026, 9, 21, 14, 13).timestamp()


def painted(
    qtbot: QtBot,
    *,
    state: QStyle.StateFlag = QStyle.StateFlag.State_Enabled,
    current: str = "",
    ratio: float = 1,
    face: QPixmap | None = None,
) -> QImage:
    view = QListView()
    qtbot.addWidget(view)
    model = ConversationListModel(view, now=lambda: NOW)
    model.set_conversations([ConversationInfo("a", "上海的天气 " * 9, NOW, NOW - 60, True)])
    model.face_of = lambda _id: face
    rows = ConversationDelegate(LIGHT, view)
    rows.current_id = current
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, 236, ROW_HEIGHT)
    option.state = state
    image = QImage(QSize(236, ROW_HEIGHT) * ratio, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(LIGHT.window))
    painter = QPainter(image)
    rows.paint(painter, option, model.index(0, 0))
    painter.end()
    return image


def colours(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name().upper()
        for x in range(image.width())
        for y in range(image.height())
    }


def test_without_the_pointer_there_is_no_background(qtbot: QtBot) -> None:
    found = colours(painted(qtbot, state=QStyle.StateFlag.State_Enabled))
    assert LIGHT.person not in found
    assert LIGHT.hover not in found
    assert LIGHT.text in found


def test_the_open_one_is_marked(qtbot: QtBot) -> None:
    image = painted(qtbot, state=QStyle.StateFlag.State_Enabled, current="a")
    assert LIGHT.person in colours(image)


def test_icons_appear_at_the_pointer(qtbot: QtBot) -> None:
    rest = painted(qtbot, state=QStyle.StateFlag.State_Enabled)
    over = painted(qtbot, state=QStyle.StateFlag.State_MouseOver)
    assert LIGHT.hover in colours(over)
    assert over != rest


def test_the_focus_is_visible(qtbot: QtBot) -> None:
    plain = painted(qtbot, state=QStyle.StateFlag.State_Enabled)
    focused = painted(qtbot, state=QStyle.StateFlag.State_HasFocus)
    assert focused != plain


def test_a_scaled_screen_gets_all_its_pixels(qtbot: QtBot) -> None:
    image = painted(qtbot, state=QStyle.StateFlag.State_MouseOver, ratio=2)
    assert image.width() == 472
    assert LIGHT.hover in colours(image)


def test_a_further_companion_has_its_face(qtbot: QtBot) -> None:
    red = QPixmap(80, 80)
    red.fill(QColor("#FF0000"))
    assert "#FF0000" in colours(painted(qtbot, face=red))
    assert painted(qtbot, face=QPixmap()) == painted(qtbot), "it isn't drawn yet"
