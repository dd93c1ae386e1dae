"""Pictures dragged over the chat: it shows the drop zone, and accepts them anywhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.chat.test_chat_window import View, never_opens

COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[ChatWindow]:
    made = ChatWindow(View(), LIGHT, open_url=never_opens)
    qtbot.addWidget(made)
    made.resize(560, 700)
    made.show()
    yield made


def dragged(*names: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(Path("/tmp") / name)) for name in names])
    return data


def enter(widget: QWidget, data: QMimeData) -> bool:
    event = QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_it_shows_the_drop_zone(window: ChatWindow) -> None:
    zone = window.drop_zone
    before = window.grab().toImage()
    assert zone.isHidden()
    assert enter(window, dragged("cat.png"))
    assert zone.isVisible()
    assert zone.geometry() == window.rect()
    assert "to your message" in zone.accessibleName()
    assert window.grab().toImage() != before
    assert enter(zone, dragged("cat.png"))
    QApplication.sendEvent(zone, QDragLeaveEvent())
    assert zone.isHidden()


def test_also_when_the_mouse_enters_over_the_field(window: ChatWindow) -> None:
    enter(window.composer.field, dragged("cat.png"))
    assert window.drop_zone.isVisible()


@pytest.mark.parametrize("moved", [True, False])
def test_dropped_files_are_attached(window: ChatWindow, moved: bool) -> None:
    offered: list[list[QUrl]] = []
    window.composer.content_dropped.connect(lambda data: offered.append(data.urls()))
    data = dragged("cat.png", "dog.jpg")
    enter(window, data)
    window.set_theme(DARK)
    if moved:
        enter(window.drop_zone, data)
    drop = QDropEvent(QPointF(200, 200), COPY, data, LEFT, NONE)
    QApplication.sendEvent(window.drop_zone if moved else window, drop)
    assert offered == [data.urls()]
    assert window.drop_zone.isHidden()


def test_text_is_left_to_the_field(window: ChatWindow) -> None:
    words = QMimeData()
    words.setText("hello")
    assert not enter(window, words)
    assert window.drop_zone.isHidden()
