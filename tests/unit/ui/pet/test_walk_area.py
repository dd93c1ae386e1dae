"""The walking area is drawn with the mouse or the keyboard, and reported when it is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from neodeskpet.ui.pet.walk_area import WalkAreaWindow
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.pet.conftest import heard

LEFT = Qt.MouseButton.LeftButton
Draw = Callable[..., WalkAreaWindow]


@pytest.fixture
def draw(qtbot: QtBot) -> Draw:
    def make(span: tuple[int, int] | None = None, *, cut_out: bool = False) -> WalkAreaWindow:
        screen = QGuiApplication.primaryScreen()
        sheet = WalkAreaWindow(LIGHT, screen, span, 300, name="Mimi", cut_out=cut_out)
        qtbot.addWidget(sheet)
        sheet.present()
        return sheet

    return make


def width() -> int:
    return QGuiApplication.primaryScreen().availableGeometry().width()


def drag(sheet: WalkAreaWindow, handle: int, by: int) -> None:
    held = sheet.handles[handle]
    grip = held.rect().center()
    QTest.mousePress(held, LEFT, pos=grip)
    QTest.mouseMove(held, grip + QPoint(by, 0))
    QTest.mouseRelease(held, LEFT, pos=held.rect().center())


def press(sheet: WalkAreaWindow, name: str) -> None:
    (button,) = [one for one in sheet.findChildren(QPushButton) if one.text() == name]
    QTest.mouseClick(button, LEFT)


def test_edges_are_dragged_and_kept(draw: Draw) -> None:
    sheet = draw()
    kept = heard(sheet.accepted)
    assert sheet.span == (0, width())
    drag(sheet, 0, 200)
    drag(sheet, 1, -400)
    assert sheet.span == (200, width() - 400)
    assert "Mimi" in sheet.words.text()
    press(sheet, "Keep")
    assert kept == [((200, width() - 400),)]


def test_there_is_room_for_walking_between_them(draw: Draw) -> None:
    sheet = draw((500, 1000))
    drag(sheet, 0, 900)
    assert sheet.span == (700, 1000)
    drag(sheet, 1, -900)
    assert sheet.span == (700, 1000)
    drag(sheet, 1, 9000)
    assert sheet.span == (700, width())


def test_the_area_between_them_is_moved_as_a_whole(draw: Draw) -> None:
    sheet = draw((500, 1000))
    QTest.mousePress(sheet, LEFT, pos=QPoint(800, 900))
    QTest.mouseMove(sheet, QPoint(600, 900))
    assert sheet.span == (300, 800)
    QTest.mouseMove(sheet, QPoint(-600, 900))
    assert sheet.span == (0, 500)
    QTest.mouseRelease(sheet, LEFT, pos=QPoint(-600, 900))
    QTest.mousePress(sheet, LEFT, pos=QPoint(1200, 900))
    QTest.mouseMove(sheet, QPoint(1300, 900))
    assert sheet.span == (0, 500)


def test_the_keyboard_does_it_too(draw: Draw) -> None:
    sheet = draw((500, 1000))
    kept, cancelled = heard(sheet.accepted), heard(sheet.cancelled)
    left, right = sheet.handles
    QTest.keyClick(left, Qt.Key.Key_Right)
    QTest.keyClick(left, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(right, Qt.Key.Key_Right)
    assert sheet.span == (430, 1010)
    assert left.accessibleName() == "Left edge"
    assert left.accessibleDescription() == "430 pixels from the left"
    QTest.keyClick(right, Qt.Key.Key_Return)
    assert kept == [((430, 1010),)]
    QTest.keyClick(left, Qt.Key.Key_Escape)
    assert len(cancelled) == 1


def test_the_whole_screen_is_no_limit(draw: Draw) -> None:
    sheet = draw((500, 1000))
    kept = heard(sheet.accepted)
    press(sheet, "Whole width")
    drag(sheet, 0, -900)
    drag(sheet, 1, 9000)
    sheet.accept()
    assert kept == [(None,), (None,)]


def test_enter_on_a_button_presses_it(draw: Draw) -> None:
    sheet = draw()
    kept, cancelled = heard(sheet.accepted), heard(sheet.cancelled)
    (cancel,) = [one for one in sheet.findChildren(QPushButton) if one.text() == "Cancel"]
    QTest.keyClick(cancel, Qt.Key.Key_Return)
    assert len(cancelled) == 1
    assert not kept


def test_without_a_compositor_it_is_cut_to_its_visible_parts(draw: Draw) -> None:
    sheet = draw((500, 1000), cut_out=True)
    assert sheet.mask().contains(sheet.panel.geometry().center())
    assert all(sheet.mask().contains(one.geometry().center()) for one in sheet.handles)
    assert not sheet.mask().contains(QPoint(200, 300))
    assert not sheet.mask().contains(QPoint(800, 1000))
