"""The figure's window for screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QAccessibleActionInterface
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.pet.pet_window import PetWindow
from tests.unit.ui.pet.conftest import heard


@pytest.fixture
def pet(qapp: QApplication, tmp_path: Path) -> Iterator[PetWindow]:
    made = PetWindow(tmp_path, core=False)
    yield made
    made.deleteLater()


def test_it_is_a_window_with_the_name_of_the_companion(pet: PetWindow) -> None:
    pet.setTitle("Mochi")
    interface = pet.accessibleRoot()
    assert interface.role() == QAccessible.Role.Window
    assert interface.text(QAccessible.Text.Name) == "Mochi"
    assert interface.rect() == pet.placement.figure_rect()
    assert interface.state().invisible
    assert interface.childCount() == 0
    assert interface.window() is pet


def test_it_opens_the_chat_and_the_menu(pet: PetWindow) -> None:
    chats, menus = heard(pet.chat_requested), heard(pet.menu_requested)
    actions = pet.accessibleRoot().actionInterface()
    for name in actions.actionNames():
        actions.doAction(name)
    actions.doAction(QAccessibleActionInterface.setFocusAction())
    assert chats == [()]
    assert menus == [(pet.placement.figure_rect().center(),)]
