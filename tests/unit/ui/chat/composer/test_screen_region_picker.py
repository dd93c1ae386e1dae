"""Selecting a rectangle of the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.screen_region_picker import ScreenRegionPicker, can_capture_screen

LEFT = Qt.MouseButton.LeftButton


@pytest.mark.parametrize(
    ("platform", "environ", "can"),
    [
        ("xcb", {}, True),
        ("xcb", {"XDG_SESSION_TYPE": "x11", "WAYLAND_DISPLAY": "wayland-0"}, True),
        ("xcb", {"XDG_SESSION_TYPE": "wayland"}, False),
        ("xcb", {"WAYLAND_DISPLAY": "wayland-0"}, False),
        ("wayland", {}, False),
        ("windows", {}, True),
    ],
)
def test_platforms_on_which_programs_may_see_the_screen(
    platform: str, environ: dict[str, str], can: bool
) -> None:
    assert can_capture_screen(platform, environ) is can


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    """A window, and another one that is visible in the picture."""
    made = QWidget()
    qtbot.addWidget(made)
    made.setGeometry(50, 50, 200, 200)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    with qtbot.waitExposed(made):
        made.show()
    return made


def began(qtbot: QtBot, owner: QWidget) -> tuple[ScreenRegionPicker, list[QImage]]:
    picker = ScreenRegionPicker(owner)
    taken: list[QImage] = []
    picker.captured.connect(taken.append)
    picker.pick()
    picker.pick()
    assert not owner.isVisible()
    qtbot.waitUntil(lambda: bool(picker.overlays) and picker.overlays[0].isVisible())
    return picker, taken


def test_a_rectangle_is_dragged(qtbot: QtBot, owner: QWidget) -> None:
    behind = QWidget()
    qtbot.addWidget(behind)
    behind.setStyleSheet("background: #FF0000;")
    behind.setGeometry(400, 400, 300, 300)
    with qtbot.waitExposed(behind):
        behind.show()
    picker, taken = began(qtbot, owner)
    sheet = picker.overlays[0]
    QTest.mousePress(sheet, LEFT, pos=QPoint(500, 520))
    QTest.mouseMove(sheet, QPoint(420, 440))
    assert not sheet.grab().isNull()
    QTest.mouseRelease(sheet, LEFT, pos=QPoint(420, 440))
    assert owner.isVisible()
    assert picker.overlays == []
    (image,) = taken
    assert (image.width(), image.height()) == (80, 80)
    assert image.pixelColor(40, 40) == QColor("#FF0000")


def test_enter_takes_the_whole_screen(qtbot: QtBot, owner: QWidget) -> None:
    picker, taken = began(qtbot, owner)
    size = picker.overlays[0].size()
    QTest.keyClick(picker.overlays[0], Qt.Key.Key_Return)
    assert [image.size() for image in taken] == [size]


def test_esc_a_click_and_the_right_button_cancel(qtbot: QtBot, owner: QWidget) -> None:
    picker, taken = began(qtbot, owner)
    QTest.keyClick(picker.overlays[0], Qt.Key.Key_Escape)
    assert owner.isVisible()
    picker, more = began(qtbot, owner)
    QTest.mouseClick(picker.overlays[0], LEFT, pos=QPoint(30, 30))
    assert owner.isVisible()
    picker, none = began(qtbot, owner)
    QTest.mouseClick(picker.overlays[0], Qt.MouseButton.RightButton)
    assert owner.isVisible()
    assert taken == more == none == []
