"""The details that the context meter shows when it is pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.core.costs import CostSum
from neodeskpet.ui.chat.context_meter import ContextMeterContent, ContextMeterPopover
from neodeskpet.ui.theme import DARK, LIGHT

SPENT = CostSum(2, 1000, 200, 0, 3.0, 2, {"USD": 4.0})


def test_known_and_unknown_values() -> None:
    lines = [text for text, _ in ContextMeterContent("5 tokens", None, (), CostSum()).lines()]
    assert "5 tokens" in lines and "Nothing yet." in lines
    assert any(text.startswith("Omissions are only known for") for text in lines)
    whole = [
        text
        for text, _ in ContextMeterContent(
            "5 tokens", (), ("facts",), SPENT, "half is gone"
        ).lines()
    ]
    assert "Nothing: the model read the whole conversation." in whole
    assert "• facts" in whole
    assert whole[-2:] == ["2 requests · 1,200 tokens · 3.0 s · $4.00", "half is gone"]
    lacking = [
        text for text, _ in ContextMeterContent("5 tokens", ("the old ones",), (), SPENT).lines()
    ]
    assert "• the old ones" in lacking


def test_it_opens_below_and_has_links(qtbot: QtBot) -> None:
    window = QWidget()
    anchor = QPushButton("meter", window)
    window.resize(300, 100)
    qtbot.addWidget(window)
    window.show()
    popover = ContextMeterPopover(LIGHT, window)
    asked: list[str] = []
    popover.turn_report_requested.connect(lambda: asked.append("account"))
    popover.costs_requested.connect(lambda: asked.append("costs"))
    told = ContextMeterContent("5 tokens", (), (), SPENT)
    popover.open_under(anchor, told, account=False)
    assert popover.isVisible() and not popover.account.isEnabled()
    for button in (popover.account, popover.costs):
        assert button.width() >= button.sizeHint().width(), "its text is cut"
    assert "5 tokens" in popover.texts() and "5 tokens" in popover.accessibleName()
    QTest.keyClick(popover, Qt.Key.Key_A)
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    assert not popover.isVisible()
    popover.set_theme(DARK)
    popover.retranslate()
    for button in (popover.account, popover.costs):
        popover.open_under(anchor, told, account=True)
        button.click()
        assert not popover.isVisible()
    assert asked == ["account", "costs"]
