"""The part of each screen that taskbars leave free."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.work_area import (
    free_part,
    reserved_space,
    reserved_strips,
    work_area,
    work_areas,
)
from tests.support.xwindows import XWindows

LEFT, RIGHT = QRect(0, 0, 1600, 1000), QRect(1600, 120, 1280, 800)
ROOT = QSize(2880, 1000)
NONE = (0,) * 8
AT_THE_LEFT_SCREEN = (0, 0, 0, 30, *NONE[:6], 0, 1599)
AT_THE_RIGHT_SCREEN = (0, 0, 0, 110, *NONE[:6], 1600, 2879)


def test_a_taskbar_takes_the_edge_of_its_own_screen() -> None:
    strips = [
        strip
        for strut in (AT_THE_LEFT_SCREEN, AT_THE_RIGHT_SCREEN)
        for strip in reserved_strips(ROOT, strut)
    ]
    assert free_part(LEFT, strips) == QRect(0, 0, 1600, 970)
    assert free_part(RIGHT, strips) == QRect(1600, 120, 1280, 770)


def test_all_four_edges() -> None:
    around = (40, 50, 20, 30, 0, 999, 0, 999, 0, 2879, 0, 2879)
    strips = reserved_strips(ROOT, around)
    assert [edge for edge, _ in strips] == ["left", "right", "top", "bottom"]
    assert free_part(LEFT, strips) == QRect(40, 20, 1560, 950)
    # The right screen begins 120 px below the top of the desktop and ends 80 px above its end.
    assert free_part(RIGHT, strips) == QRect(1600, 120, 1230, 800)


def test_the_bar_of_a_screen_behind_another_one_takes_nothing_of_that() -> None:
    left_edge_of_the_right_screen = (1630, 0, 0, 0, 120, 919, *NONE[:6])
    strips = reserved_strips(ROOT, left_edge_of_the_right_screen)
    assert free_part(LEFT, strips) == LEFT
    assert free_part(RIGHT, strips) == QRect(1630, 120, 1250, 800)


def test_an_incomplete_property_is_ignored() -> None:
    assert reserved_strips(ROOT, ()) == []
    assert reserved_strips(ROOT, (0, 0, 0, 30)) == []


def test_what_other_programs_reserve_is_read(qtbot: QtBot) -> None:
    others = XWindows()
    try:
        size = QGuiApplication.primaryScreen().size()
        bar = others.open(0, size.height() - 40, size.width(), 40)
        others.open(100, 100, 50, 50)
        others.tell(bar, "_NET_WM_STRUT_PARTIAL", 0, 0, 0, 40, *NONE[:6], 0, size.width() - 1)
        bottom = QRect(0, size.height() - 40, size.width(), 40)
        assert reserved_space() == [("bottom", bottom)]
    finally:
        others.close()


def test_with_one_screen_qt_knows_it(qtbot: QtBot) -> None:
    screen = QGuiApplication.primaryScreen()
    assert work_areas() == [work_area(screen)] == [screen.availableGeometry()]
