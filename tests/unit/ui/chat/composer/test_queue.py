"""The strip of queued messages."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.sent_messages import QUEUE_ROWS, QueueStrip
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel


def strip(qtbot: QtBot) -> QueueStrip:
    made = QueueStrip(LIGHT)
    qtbot.addWidget(made)
    made.resize(400, 120)
    return made


def texts(made: QueueStrip) -> list[str]:
    inner = made.widget()
    return [label.full_text() for label in inner.findChildren(ElidedLabel)]


def test_it_is_hidden_while_nothing_is_queued(qtbot: QtBot) -> None:
    made = strip(qtbot)
    assert made.isHidden()
    made.show_texts(["one"])
    assert not made.isHidden()
    made.show_texts([])
    assert made.isHidden()


def test_each_text_is_on_one_line(qtbot: QtBot) -> None:
    made = strip(qtbot)
    made.show_texts(["one\n  two", "第二条"])
    assert texts(made) == ["one two", "第二条"]


def test_a_press_reports_the_row_and_the_row_may_be_removed_at_once(qtbot: QtBot) -> None:
    made = strip(qtbot)
    waiting = ["a", "b", "c"]
    made.show_texts(waiting)
    told: list[int] = []

    def undo_call(row: int) -> None:
        told.append(row)
        del waiting[row]
        made.show_texts(waiting)

    made.removed.connect(undo_call)
    for expected in (["a", "c"], ["a"], []):
        buttons = made.widget().findChildren(QToolButton)
        QTest.mouseClick(buttons[min(1, len(buttons) - 1)], Qt.MouseButton.LeftButton)
        assert texts(made) == expected
    assert told == [1, 1, 0]


def test_many_can_be_scrolled(qtbot: QtBot) -> None:
    made = strip(qtbot)
    made.show_texts(["x"] * QUEUE_ROWS)
    full = made.height()
    made.show_texts(["x"] * 20)
    assert made.height() == full


def test_the_texts_stay_in_another_theme_and_language(qtbot: QtBot) -> None:
    made = strip(qtbot)
    made.show_texts(["a"])
    made.set_theme(DARK)
    made.retranslate()
    assert texts(made) == ["a"]
