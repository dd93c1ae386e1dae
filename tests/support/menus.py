"""The menu in the head of the chat."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from tests.support.desk import DeskStory


def choose_in_head(person: DeskStory, entry: str, among: str = "") -> None:
    """Choose the entry of this name, in the menu `among` inside it ("": in the menu itself)."""
    menu = person.desk.window.header.menu
    if among:
        inside = (action.menu() for action in menu.actions() if action.text() == among)
        menu = next(one for one in inside if isinstance(one, QMenu))
    next(action for action in menu.actions() if action.text() == entry).trigger()
