"""One half of the window."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.widgets.list_pane import ListPane

WORDS = {"open": "Open for the companion", "trash": "Move to the trash"}


def test_names_are_beside_the_icons_if_there_is_room(qtbot: QtBot) -> None:
    pane = ListPane(LIGHT, (("open", "open"), ("trash", "trash")), QWidget())
    qtbot.addWidget(pane)
    pane.set_texts("Files", WORDS)
    buttons = list(pane.actions_of.values())
    assert {button.text() for button in buttons} == {""}
    pane.update_action_labels()
    pane.set_texts("Files", WORDS)
    pane.resize(600, 400)
    pane.show()
    beside = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    assert {button.toolButtonStyle() for button in buttons} == {beside}
    pane.setMinimumWidth(200)
    pane.resize(220, 400)
    alone = Qt.ToolButtonStyle.ToolButtonIconOnly
    assert {button.toolButtonStyle() for button in buttons} == {alone}
    assert [button.accessibleName() for button in buttons] == list(WORDS.values())
    pane.resize(600, 400)
    assert {button.toolButtonStyle() for button in buttons} == {beside}


def test_a_late_save_ends_only_its_own_form(qtbot: QtBot) -> None:
    pane = ListPane(LIGHT, (), QWidget())
    qtbot.addWidget(pane)
    pane.open_form()
    first = pane.opened
    assert pane.cancel_form()
    pane.open_form()
    pane.finish_form(first)
    assert pane.is_editing(), "the user writes the next one"
    pane.finish_form(pane.opened)
    assert not pane.is_editing()
