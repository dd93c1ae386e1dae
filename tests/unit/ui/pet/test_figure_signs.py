"""The signs beside the figure: an open microphone, something that is due."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QWindow
from pytestqt.qtbot import QtBot

from neodeskpet.ui.pet.figure_signs import (
    SIZE,
    DueSign,
    MicrophoneSign,
    due_sign_position,
    sign_position,
)
from neodeskpet.ui.theme import LIGHT

SCREEN = QRect(0, 0, 1600, 1000)


@pytest.mark.parametrize(
    ("figure", "head"),
    [
        (QRect(700, 500, 200, 400), QRect(740, 500, 120, 120)),
        (QRect(1500, 500, 200, 400), QRect(1540, 500, 120, 120)),
        (QRect(-150, 700, 200, 400), QRect(-110, 950, 120, 120)),
        (None, QRect()),
    ],
)
def test_it_is_completely_on_the_screen(figure: QRect | None, head: QRect) -> None:
    assert SCREEN.contains(QRect(sign_position(figure, head, SCREEN), QSize(SIZE, SIZE)))


def test_it_is_beside_the_figure() -> None:
    figure, head = QRect(700, 500, 200, 400), QRect(740, 500, 120, 120)
    assert figure.contains(QRect(sign_position(figure, head, SCREEN), QSize(SIZE, SIZE)))


def test_it_stays_above_the_window_of_the_figure(qtbot: QtBot) -> None:
    figure, sign = QWindow(), DueSign(LIGHT)
    qtbot.addWidget(sign)
    sign.stay_above(figure)
    with qtbot.waitExposed(sign):
        sign.show()
    assert sign.windowHandle().transientParent() is figure
    figure.destroy()


def test_a_click_closes_the_microphone(qtbot: QtBot) -> None:
    sign = MicrophoneSign(LIGHT)
    qtbot.addWidget(sign)
    with qtbot.waitSignal(sign.clicked):
        qtbot.mouseClick(sign, Qt.MouseButton.LeftButton)
    assert sign.accessibleName() == "The microphone is open"
    sign.set_shape_mask(True)
    assert not sign.mask().isEmpty()
    sign.set_shape_mask(False)
    assert sign.mask().isEmpty()


@pytest.mark.parametrize(
    "head",
    [QRect(740, 500, 120, 120), QRect(-90, -60, 120, 120), QRect(1540, 950, 120, 120)],
)
def test_the_sign_for_due_entries_is_on_the_screen_and_off_the_other_one(head: QRect) -> None:
    figure = QRect(head.left() - 40, head.top(), 200, 400)
    due = QRect(due_sign_position(head, SCREEN), QSize(20, 20))
    assert SCREEN.contains(due)
    assert not due.intersects(QRect(sign_position(figure, head, SCREEN), QSize(SIZE, SIZE)))


def test_the_sign_for_due_entries_tells_how_many(qtbot: QtBot) -> None:
    sign = DueSign(LIGHT)
    qtbot.addWidget(sign)
    sign.set_count("3 due")
    assert sign.accessibleName() == "3 due"
    assert "Today" in sign.toolTip()
    sign.show()
    picture = sign.grab().toImage()
    assert picture.pixelColor(sign.rect().center()).name() == LIGHT.asks.lower()
    with qtbot.waitSignal(sign.clicked):
        qtbot.mouseClick(sign, Qt.MouseButton.LeftButton)
