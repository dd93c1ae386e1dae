"""The windows beside the chat, by their entries."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtWidgets import QApplication

from neodeskpet.app.windows.side import PANELS, SideWindows
from neodeskpet.ui.windows.register import Windows


def test_nothing_is_made_and_nothing_asked_before_a_window_is_wanted(qapp: QApplication) -> None:
    windows = Windows()
    untouched = cast(Any, object())  # any look at the engine or the theme would fail
    SideWindows(windows, untouched, untouched, untouched, untouched)
    assert windows.made() == []
    menu = list(windows.in_menu())
    assert len({entry.title for entry in menu}) == len(menu)
    assert len({entry.icon for entry in menu}) > 1
    assert [entry.key for entry in menu if entry.low] == ["settings"]
    assert {f"panel {name}" for name in PANELS} <= {entry.key for entry in windows}
