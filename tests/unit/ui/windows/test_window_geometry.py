"""Windows are placed on the existing screens, with their title bars."""

import pytest
from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.windows.window_geometry import (
    COLUMN_WIDTH,
    CentredColumn,
    LeastSize,
    WindowGeometryKeeper,
    bring_to_front,
    fit_to_screen,
)

LEFT, RIGHT = QRect(0, 0, 1280, 700), QRect(1280, 0, 800, 600)
FRAME = QMargins(2, 30, 2, 2)
LEAST = QSize(320, 240)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (QRect(100, 100, 500, 400), QRect(100, 100, 500, 400)),
        (QRect(100, 0, 500, 400), QRect(100, 30, 500, 400)),  # the title bar would be outside
        (QRect(9000, 9000, 500, 400), QRect(778, 298, 500, 400)),
        (QRect(-5000, -5000, 500, 400), QRect(2, 30, 500, 400)),
        (QRect(0, 0, 99999, 99999), QRect(2, 30, 1276, 668)),
        (QRect(10, 40, 1, 1), QRect(10, 40, 320, 240)),
        (QRect(1300, 50, 400, 300), QRect(1300, 50, 400, 300)),  # the second screen
        (QRect(1900, 50, 400, 300), QRect(1678, 50, 400, 300)),
    ],
)
def test_a_place_is_fitted_to_the_screen_that_holds_most_of_it(
    place: QRect, expected: QRect
) -> None:
    assert fit_to_screen(place, [LEFT, RIGHT], FRAME, LEAST) == expected


def test_in_too_small_a_screen_the_title_bar_has_priority() -> None:
    tiny = QRect(0, 0, 200, 150)
    assert fit_to_screen(QRect(50, 50, 500, 400), [tiny], FRAME, LEAST) == QRect(2, 30, 320, 240)


def test_a_window_larger_than_the_screen_is_cut_when_it_is_shown(
    qapp: QApplication, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    keeper = WindowGeometryKeeper(window)
    keeper.restore(QRect(-500, -500, 90_000, 90_000))
    with qtbot.waitExposed(window):
        window.show()
    room = QGuiApplication.primaryScreen().availableGeometry()
    qtbot.waitUntil(lambda: room.contains(window.frameGeometry()))


def test_hidden_and_shown_again_at_once_it_accepts_input(qapp: QApplication, qtbot: QtBot) -> None:
    window = QLineEdit()
    qtbot.addWidget(window)
    for _ in range(3):
        bring_to_front(window)
        qtbot.waitUntil(window.hasFocus)
        window.hide()
    bring_to_front(window)
    qtbot.waitUntil(window.hasFocus)
    assert window.winId() == window.windowHandle().winId()


def test_the_place_is_reported_when_it_settled_and_on_closing(
    qapp: QApplication, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    keeper = WindowGeometryKeeper(window)
    with qtbot.waitExposed(window):
        window.show()
    with qtbot.waitSignal(keeper.geometry_changed) as settled:
        window.resize(600, 440)
    assert settled.args[0].width() == 600
    told: list[QRect] = []
    keeper.geometry_changed.connect(told.append)
    window.close()
    assert told == [window.geometry()]


def test_a_window_that_is_shown_already_is_moved_onto_the_screen(
    qapp: QApplication, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, -60, 300, 200)
    with qtbot.waitExposed(window):
        window.show()
    keeper = WindowGeometryKeeper(window)
    room = qapp.primaryScreen().availableGeometry()
    qtbot.waitUntil(lambda: room.contains(window.frameGeometry()))
    assert keeper.parent() is window


def test_a_window_that_was_never_shown_has_no_place(qapp: QApplication, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    keeper = WindowGeometryKeeper(window)
    told: list[QRect] = []
    keeper.geometry_changed.connect(told.append)
    window.resize(600, 440)
    window.close()
    qtbot.wait(500)
    assert told == []


def test_the_contents_of_a_wide_window_are_a_column_in_its_middle(
    qapp: QApplication, qtbot: QtBot
) -> None:
    window, field = QWidget(), QLineEdit()
    qtbot.addWidget(window)
    LeastSize(window, (160, 100))
    CentredColumn(window)
    box = QVBoxLayout(window)
    box.setContentsMargins(16, 14, 16, 14)
    box.addWidget(field)
    window.resize(2560, 400)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: field.width() == COLUMN_WIDTH)
    assert field.x() == (2560 - COLUMN_WIDTH) // 2
    window.resize(400, 400)
    qtbot.waitUntil(lambda: field.width() == 400 - 2 * 16)
    assert field.x() == 16


def test_the_least_size_grows_with_the_text_as_far_as_the_contents_need(
    qtbot: QtBot, qapp: QApplication
) -> None:
    before = qapp.font()
    window = QWidget()
    qtbot.addWidget(window)
    words = QLabel("Many words that need several lines in a narrow window. " * 4)
    words.setWordWrap(True)
    box = QVBoxLayout(window)
    for part in (words, QPushButton("A button with a long text")):
        box.addWidget(part)
    LeastSize(window, (160, 100))
    window.show()
    try:
        for pixels in (14, 28):
            font = QFont(before)
            font.setPixelSize(pixels)
            qapp.setFont(font)
            window.resize(160, 100)
            grown = QSize(160, 100) if pixels == 14 else QSize(320, 200)
            qtbot.waitUntil(
                lambda grown=grown: window.minimumSize().boundedTo(grown) == window.minimumSize()
            )
            if pixels == 28:
                qtbot.waitUntil(lambda: window.minimumSize().height() == 200)
                assert 160 < window.minimumSize().width() <= 320
                words.hide()
                qtbot.waitUntil(lambda: window.minimumSize().height() == 100)
            else:
                assert window.minimumSize() == QSize(160, 100)
    finally:
        qapp.setFont(before)
