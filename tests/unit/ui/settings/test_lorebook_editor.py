"""Editing a world book."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from neodeskpet.characters.cards.character_card import Lorebook, LoreEntry
from neodeskpet.ui.settings.lorebook_editor import LorebookEditor
from neodeskpet.ui.theme import LIGHT


def test_entries_are_listed_and_changed_one_at_a_time(qtbot: QtBot) -> None:
    editor = LorebookEditor(LIGHT)
    qtbot.addWidget(editor)
    editor.retranslate()
    told: list[Lorebook | None] = []
    editor.changed.connect(told.append)
    assert editor.entries.isHidden()
    book = Lorebook((LoreEntry(("a",), "A", name="First"), LoreEntry(("b",), "B", regex=True)))
    editor.show_book(book)
    assert editor.entries.itemText(0) == "1. First"
    assert editor.content.toPlainText() == "A"
    editor.entries.chosen.emit("1")
    assert (editor.keys.value(), editor.content.toPlainText()) == ("b", "B")
    editor.content.setPlainText("B too")
    editor.entries.chosen.emit("0")
    assert told[-1] is not None
    assert [one.content for one in told[-1].entries] == ["A", "B too"]
    editor.secondary.setText("x，y")
    editor.secondary.editingFinished.emit()
    assert told[-1] is not None and told[-1].entries[0].secondary == ("x", "y")
    editor.enabled.click()
    assert told[-1] is not None and not told[-1].entries[0].enabled
    editor.entries.chosen.emit("1")
    editor.keys.setText("x, /(?=a{1,2})/i，y")
    editor.keys.editingFinished.emit()
    assert told[-1] is not None and told[-1].entries[1].keys == ("x", "/(?=a{1,2})/i", "y")
    assert not editor.plain.isHidden()
    editor.budget.setText("many")
    editor.budget.editingFinished.emit()
    assert told[-1] is not None and told[-1].budget is None
    editor.drop.click()
    editor.drop.click()
    assert told[-1] is None


def test_the_entries_of_another_book_are_added(qtbot: QtBot) -> None:
    editor = LorebookEditor(LIGHT)
    qtbot.addWidget(editor)
    editor.retranslate()
    told: list[Lorebook | None] = []
    editor.changed.connect(told.append)
    wanted: list[bool] = []
    editor.import_requested.connect(lambda: wanted.append(True))
    editor.bring.click()
    assert wanted == [True]
    one, two = LoreEntry(("a",), "A"), LoreEntry(("b",), "B")
    editor.show_book(None)
    editor.add_entries(Lorebook((one,), depth=7))
    assert told[-1] == Lorebook((one,), depth=7)
    editor.add_entries(Lorebook((one, two)))
    assert told[-1] == Lorebook((one, two), depth=7)
    assert editor.content.toPlainText() == "B"
