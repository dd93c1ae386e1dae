"""The registry of commands, their keys, and the page that shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import neodeskpet
from neodeskpet.ui.commands import ApplicationShortcuts, Command, CommandRegistry, bind_shortcuts
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.shortcuts_window import ShortcutsWindow


def test_commands_have_unique_ids() -> None:
    commands = CommandRegistry()
    done: list[str] = []
    one = Command("one", "One", lambda: done.append("one"), ("Ctrl+1",))
    commands.register("Here", [one, Command("told", "Told", keys=("Del",))])
    commands.register(
        "There", [one, Command("quiet", "Quiet", done.clear, hidden_in_palette=True)], "there"
    )
    with pytest.raises(ValueError, match="already"):
        commands.register("Here", [one])
    assert list(commands.palette_commands()) == ["one", "there.one"]
    assert [(group, [c.id for c in has]) for group, has in commands.shortcut_groups()] == [
        ("Here", ["one", "told"]),
        ("There", ["one"]),
    ]
    assert commands.run("there.one")
    assert not commands.run("told")
    assert not commands.run("nobody")
    assert done == ["one"]


def test_keys_work_where_a_field_would_take_them(qapp: QApplication, qtbot: QtBot) -> None:
    done: list[str] = []
    window = QWidget()
    fields = [QLineEdit("cut me"), QLineEdit()]
    box = QVBoxLayout(window)
    for field in fields:
        box.addWidget(field)
    qtbot.addWidget(window)
    deeds = [
        Command("k", "K", lambda: done.append("k"), ("Ctrl+K", "F1")),
        Command("told", "Told", keys=("Ctrl+T",)),
    ]
    keys = ApplicationShortcuts(qapp, deeds, [window])
    bind_shortcuts([Command("b", "B", lambda: done.append("b"), ("Ctrl+B",)), deeds[1]], window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    control = Qt.KeyboardModifier.ControlModifier
    for field in (*fields, fields[0]):
        field.setFocus()
        field.setCursorPosition(0)
        QTest.keyClick(field, Qt.Key.Key_K, control)
    QTest.keyClick(fields[0], Qt.Key.Key_B, control)
    fields[0].clearFocus()
    QTest.keyClick(window, Qt.Key.Key_F1)
    assert done == ["k", "k", "k", "b", "k"]
    assert fields[0].text() == "cut me"
    keys.deleteLater()


def test_keys_work_in_a_field_that_had_the_focus_before(qapp: QApplication, qtbot: QtBot) -> None:
    done: list[str] = []
    field = QLineEdit("cut me")
    qtbot.addWidget(field)
    field.show()
    with qtbot.waitActive(field):
        field.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    command = Command("k", "K", lambda: done.append("k"), ("Ctrl+K",))
    keys = ApplicationShortcuts(qapp, [command], [])
    QTest.keyClick(field, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert (done, field.text()) == (["k"], "cut me")
    keys.deleteLater()


def test_the_page_of_keys_shows_the_registered_commands(qtbot: QtBot) -> None:
    commands = CommandRegistry()
    commands.register("Chat", [Command("a", "Find", print, ("Ctrl+F", "F3")), Command("b", "No")])
    page = ShortcutsWindow(LIGHT, commands.shortcut_groups)
    qtbot.addWidget(page)
    assert page.rows() == []
    page.present()
    assert page.rows() == [("Find", "Ctrl+F   F3")]
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_F5):
        QTest.keyClick(page, key)
    page.search.setText("nothing")
    assert page.rows() == []
    commands.register("Chat", [Command("c", "C", name=lambda: "Now", keys=("F9",))])
    page.retranslate()
    page.search.clear()
    assert page.rows()[-1] == ("Now", "F9")
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()


def test_keys_are_only_made_from_commands() -> None:
    """So that the page of all keys lists them. (Esc during a reply belongs to the chat.)"""
    root = Path(neodeskpet.__file__).parent
    found = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        if re.search(r"QShortcut\(", file.read_text(encoding="utf-8"))
    }
    assert found == {"ui/commands.py", "ui/chat/chat_window.py"}
