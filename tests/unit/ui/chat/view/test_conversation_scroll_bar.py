"""The scroll bar while a reply grows: it is painted correctly and rarely."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT, style_sheet
from tests.support.paints import Paints
from tests.unit.ui.chat.doubles import open_view, stream

LINES = [f"- Line number {n} of the reply\n" for n in range(120)]


def opened(qtbot: QtBot) -> ChatView:
    view = open_view(qtbot, size=(320, 300))
    view.setStyleSheet(style_sheet(LIGHT))
    stream(view, "a", *LINES[:40])
    QApplication.processEvents()
    assert view.verticalScrollBar().isVisible()
    return view


def test_nothing_below_it_is_painted_when_a_line_comes(qtbot: QtBot) -> None:
    view = opened(qtbot)
    below, bar = Paints(view).areas, Paints(view.verticalScrollBar()).areas
    for line in LINES[40:]:
        stream(view, "a", line)
        QApplication.processEvents()
    assert not below
    assert 0 < len(bar) < len(LINES[40:]) * 2 / 3


def test_its_handle_is_in_the_right_place(qtbot: QtBot) -> None:
    view = opened(qtbot)
    bar = view.verticalScrollBar()
    for at in range(40, 120, 10):
        stream(view, "a", *LINES[at : at + 10])
        QApplication.processEvents()
        seen = view.screen().grabWindow(view.winId()).toImage()
        bar.repaint()
        again = view.screen().grabWindow(view.winId()).toImage()
        assert again == seen, at


def test_the_end_of_the_range_is_the_end_of_the_conversation(qtbot: QtBot) -> None:
    view = opened(qtbot)
    bar = view.verticalScrollBar()
    stream(view, "a", *LINES[40:])
    assert bar.value() == bar.maximum() == view.column.total - view.scroller.viewport_height


@pytest.mark.parametrize("down", [True, False])
def test_it_is_painted_when_the_user_drags_it(qtbot: QtBot, down: bool) -> None:
    view = opened(qtbot)
    bar = view.verticalScrollBar()
    painted = Paints(bar).areas
    if down:
        foot = QPoint(bar.width() // 2, bar.height() - 12)
        qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=foot)
        qtbot.mouseMove(bar, foot - QPoint(0, 60))
        qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=foot - QPoint(0, 60))
    else:
        view.scroller.scroll_by(-200)
    QApplication.processEvents()
    assert painted
    assert bar.value() < bar.maximum()
    assert not view.scroller.follows_end


def test_it_is_hidden_when_everything_fits(qtbot: QtBot) -> None:
    view = opened(qtbot)
    view.open_conversation([])
    QApplication.processEvents()
    assert not view.verticalScrollBar().isVisible()
