"""The palette: thousands of lines block nothing, and Enter runs the intended entry."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.command_palette import (
    MAX_RESULTS,
    CommandPalette,
    PaletteEntry,
    PaletteSearch,
)


class Done:
    def __init__(self) -> None:
        self.keys: list[str] = []

    def choice(self, key: str, title: str = "", **more: str) -> PaletteEntry:
        run: Callable[[], object] = lambda: self.keys.append(key)  # noqa: E731
        return PaletteEntry(key, title or key, "Kind", run, **more)


@pytest.fixture
def palette(qtbot: QtBot) -> CommandPalette:
    made = CommandPalette(LIGHT)
    qtbot.addWidget(made)
    return made


def test_a_theme_change_leaves_nothing_behind(palette: CommandPalette) -> None:
    palette.set_theme(DARK)
    once = len(palette.findChildren(QObject))
    for theme in (LIGHT, DARK, LIGHT):
        palette.set_theme(theme)
    assert len(palette.findChildren(QObject)) == once


def test_recently_chosen_entries_come_first(palette: CommandPalette) -> None:
    done = Done()
    palette.present([done.choice(key) for key in ("one", "two", "three")], ["three", "gone"])
    assert palette.line_texts() == ["three", "one", "two"]
    palette.search.setText("t")
    assert palette.line_texts() == ["three", "two"]
    palette.search.setText("two")
    assert palette.line_texts() == ["two"]


def test_the_arrows_enter_and_the_pointer(palette: CommandPalette, qtbot: QtBot) -> None:
    done = Done()
    choices = [done.choice(f"line {number}", icon="chat", keys="F9") for number in range(30)]
    palette.present(choices, [])
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        QTest.keyClick(palette.search, key)
    with qtbot.waitSignal(palette.entry_used) as used:
        QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert used.args == ["line 8"]
    assert done.keys == ["line 8"]
    assert not palette.isVisible()
    palette.present(choices, [])
    qtbot.waitUntil(lambda: palette.list.visualItemRect(palette.list.item(2)).isValid())
    spot = palette.list.visualItemRect(palette.list.item(2)).center()
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert done.keys == ["line 8", "line 2"]


def test_it_searches_many_entries_in_portions(palette: CommandPalette, qtbot: QtBot) -> None:
    done = Done()
    choices = [done.choice(f"talk {number}") for number in range(3000)]
    palette.present([*choices, done.choice("needle")], [])
    assert len(palette.line_texts()) == MAX_RESULTS
    palette.search.setText("needle")
    assert palette.line_texts() == []
    QTest.keyClick(palette.search, Qt.Key.Key_Return)  # faster than the search
    qtbot.waitUntil(lambda: done.keys == ["needle"])
    palette.search.setText("nothing of the kind")
    palette.show()
    qtbot.waitUntil(palette.no_matches.isVisible)
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    QTest.keyClick(palette.search, Qt.Key.Key_Down)
    assert palette.isVisible()


def test_later_entries_keep_the_marked_line(palette: CommandPalette) -> None:
    done = Done()
    palette.present([done.choice("b"), done.choice("c")], [])
    QTest.keyClick(palette.search, Qt.Key.Key_Down)
    palette.set_entries([done.choice(key) for key in "abc"], ["b"])
    assert palette.line_texts() == ["b", "a", "c"]
    current = palette.current()
    assert current is not None and current.key == "c"


def test_the_same_search_continues_with_other_choices() -> None:
    done = Done()
    choices = [done.choice("a"), done.choice("b")]
    search = PaletteSearch()
    for _ in range(2):
        search.set_entries(choices, [])
        search.start("b")
        assert not search.search_some(1)
        assert search.results() == []
        assert search.search_some(1)
        assert search.results() == choices[1:]


def test_it_follows_the_theme_and_is_announced(palette: CommandPalette, qtbot: QtBot) -> None:
    palette.set_theme(DARK)
    QAccessible.setActive(True)
    try:
        palette.present([Done().choice("a", icon="chat", keys="Ctrl+N")], [])
        QTest.keyClick(palette.search, Qt.Key.Key_Down)
        qtbot.waitExposed(palette)
        assert not palette.grab().isNull()
    finally:
        QAccessible.setActive(False)
    item = palette.list.item(0)
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == "a, Kind, Ctrl+N"
