"""The bar of safe mode, with a button that ends it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.notice_bars import SafeModeBar
from neodeskpet.ui.theme import theme_for


def test_it_is_hidden_in_normal_mode_and_has_a_button_that_ends_safe_mode(qtbot: QtBot) -> None:
    bar = SafeModeBar(theme_for("dark"))
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.show()
    assert "Safe mode" in bar.text.text()
    with qtbot.waitSignal(bar.exit_requested):
        bar.exit_button.click()
