from __future__ import annotations

from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.undo_bar import UndoBar


def bar(qtbot: QtBot) -> UndoBar:
    made = UndoBar(LIGHT)
    qtbot.addWidget(made)
    return made


def test_it_undoes_once(qtbot: QtBot) -> None:
    made = bar(qtbot)
    assert made.isHidden()
    undone: list[int] = []
    made.show_undo("Removed.", lambda: undone.append(1))
    assert made.text.text() == "Removed."
    made.button.click()
    made.button.click()
    assert undone == [1]
    assert made.isHidden()


def test_a_failed_undo_is_reported(qtbot: QtBot) -> None:
    def fail() -> None:
        raise SettingsError(file="x")

    made = bar(qtbot)
    made.set_theme(DARK)
    made.show_undo("Removed.", fail)
    made.button.click()
    assert "can't be read" in made.text.text()
    assert made.button.isHidden()
    made.clear()
    assert made.isHidden()
