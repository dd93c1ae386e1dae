"""A search field."""

from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.search_field import SearchField


def test_it_has_a_placeholder_and_can_be_cleared(qtbot: QtBot) -> None:
    field = SearchField(LIGHT)
    qtbot.addWidget(field)
    field.set_placeholder("Search conversations")
    assert field.placeholderText() == field.accessibleName() == "Search conversations"
    _glass, cross = field.findChildren(QAction)[:2]
    assert not cross.isVisible()
    field.setText("上海")
    assert cross.isVisible()
    cross.trigger()
    assert field.text() == ""
    field.set_theme(DARK)
    assert DARK.muted in field.styleSheet()
