"""A label of one line: elided without room, complete in the tooltip and for screen readers."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.widgets.labels import (
    ElidedLabel,
    PlainLabel,
    WrappingButton,
    set_tooltip,
    with_break_points,
)

LONG = "一个很长的标题 with an 🌂 that can't fit into a narrow row of a list"


def shown(qtbot: QtBot, width: int, text: str = LONG) -> ElidedLabel:
    label = ElidedLabel(text)
    qtbot.addWidget(label)
    label.resize(width, 24)
    label.show()
    return label


def test_it_shows_the_whole_text_if_there_is_room(qtbot: QtBot) -> None:
    label = shown(qtbot, 2000)
    assert label.text() == LONG
    assert label.toolTip() == ""


def test_it_elides_and_has_the_whole_text_in_the_tooltip(qtbot: QtBot) -> None:
    label = shown(qtbot, 120)
    assert label.text() != LONG
    assert label.text().endswith("…")
    assert label.toolTip() == LONG
    assert label.accessibleName() == LONG
    assert label.full_text() == LONG


def test_it_never_widens_its_parent(qtbot: QtBot) -> None:
    assert shown(qtbot, 100, "x" * 1000).minimumSizeHint().width() == 16


def test_it_shows_no_markup(qtbot: QtBot) -> None:
    label = shown(qtbot, 2000, "<b>bold</b>")
    assert label.textFormat() == Qt.TextFormat.PlainText
    label.set_text("<i>other</i>")
    assert label.text() == "<i>other</i>"


HTML = "<b>bold</b> <img src=/path.png>"


def test_text_that_looks_like_html_is_text(qtbot: QtBot) -> None:
    label, plain = PlainLabel(HTML), PlainLabel("bold")
    for one in (label, plain):
        qtbot.addWidget(one)
    assert label.sizeHint().width() > 3 * plain.sizeHint().width()
    set_tooltip(label, HTML)
    assert "<img" not in label.toolTip()
    assert "&lt;img" in label.toolTip()
    set_tooltip(label, "a < b")
    assert label.toolTip() == "a < b"


PATH = "/home/somebody/with/a/very-long/name_of.a/checkout/that/lies/somewhere/.venv/bin/python"


@pytest.mark.parametrize("path", [PATH, PATH.replace("/", "\\"), "x" * 120])
def test_a_long_path_breaks_and_is_copied_unchanged(qtbot: QtBot, path: str) -> None:
    label = PlainLabel(f"Delete {path}, please")
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < 260
    assert label.text() == f"Delete {path}, please"
    label.show()
    label.setSelection(0, len(QLabel.text(label)))
    QTest.keySequence(label, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == f"Delete {path}, please"


def test_a_label_without_wrapping_and_short_words_are_unchanged() -> None:
    assert QLabel.text(PlainLabel(PATH)) == PATH
    assert with_break_points("and/or http://x.y") == "and/or http://x.y"


CHINESE = "把角色卡、Live2D模型或者形象文件拖到这里就能导入，NeoDeskPet会先在单独的进程里检查它们。"


def test_chinese_text_gets_no_break_points() -> None:
    """Qt breaks it by the rules of the language; a break point would let a line begin with “。”."""
    assert with_break_points(CHINESE) == CHINESE
    path = with_break_points(f"保存在{PATH}里。")
    assert path.replace("\u200b", "") == f"保存在{PATH}里。"
    assert "\u200b" in path and path.endswith("里。")


@pytest.mark.parametrize(
    "text", ["Neo sees this and can change it", "尼奥能看到，也能改动这里的内容"]
)
def test_a_button_wraps_its_text_and_keeps_it(qtbot: QtBot, text: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    button = WrappingButton(text)
    box = QVBoxLayout(window)
    box.addWidget(button)
    box.addStretch()
    window.resize(800, 400)
    window.show()
    one_line = button.height()
    assert "\n" not in QPushButton.text(button)
    window.resize(button.minimumSizeHint().width() + 60, 400)
    qtbot.waitUntil(lambda: button.height() > one_line)
    assert button.height() == button.heightForWidth(button.width())
    assert "\n" in QPushButton.text(button)
    assert button.text() == text
