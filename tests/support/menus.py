"""The menu in the head of the chat, and the menu that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

if TYPE_CHECKING:
    from tests.support.desk import DeskStory


def choose_in_head(person: DeskStory, entry: str, among: str = "") -> None:
    """Choose the entry of this name, in the menu `among` inside it ("": in the menu itself)."""
    menu = person.desk.chat.window.header.menu
    if among:
        inside = (action.menu() for action in menu.actions() if action.text() == among)
        menu = next(one for one in inside if isinstance(one, QMenu))
    next(action for action in menu.actions() if action.text() == entry).trigger()


def open_menu() -> QMenu:
    """Return the open menu."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), "no menu is open"
    return menu


def choose_in_menu(name: str) -> None:
    """Click with the mouse on the entry of the open menu that has this name."""
    menu = open_menu()
    names = [action.text().replace("&&", "&") for action in menu.actions()]
    spot = menu.actionGeometry(menu.actions()[names.index(name)]).center()
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=spot)
