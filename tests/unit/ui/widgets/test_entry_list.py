"""The list keeps its selection while it changes."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from neodeskpet.ui.theme import theme_for
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry


def entries(*ids: str) -> list[ListEntry]:
    return [ListEntry(one, f"title {one}", "detail") for one in ids]


def test_the_selection_stays(qapp: QApplication) -> None:
    shown = EntryList(theme_for("light"))
    assert shown.current_id() == ""
    shown.show_entries(entries("a", "b", "c"))
    assert shown.current_id() == "a"
    shown.select("b")
    shown.show_entries(entries("new", "a", "b", "c"))
    assert shown.current_id() == "b"
    shown.show_entries(entries("new", "a", "c"))
    assert shown.current_id() == "c", "the one in its place"
    shown.show_entries(entries("new", "a"))
    assert shown.current_id() == "a"
    shown.show_entries([])
    assert shown.current_id() == ""


def test_texts_that_change_in_place_move_nothing(qapp: QApplication) -> None:
    shown = EntryList(theme_for("light"))
    told: list[str] = []
    shown.show_entries(entries("a", "b"))
    shown.select("b")
    shown.chosen.connect(lambda: told.append(shown.current_id()))
    shown.show_entries([ListEntry("a", "1", "x"), ListEntry("b", "2", "y", tooltip="<b>bold</b>")])
    assert (shown.current_id(), told) == ("b", [])
    assert [shown.item(row).text() for row in range(2)] == ["1", "2"]
    assert "&lt;b&gt;" in shown.item(1).toolTip()


def first_changed_line(width: int, font_px: int) -> float:
    """Return where the text at the end of a row begins, as a share of the row's height."""
    shown = EntryList(theme_for("light", font_px))
    shown.resize(width, 200)
    pictures = []
    for trailing in ("Overdue: Monday", "Overdue: Sunday"):
        shown.show_entries([ListEntry("a", "Pay the electricity bill", "", trailing)])
        pictures.append(shown.viewport().grab().toImage())
    row = shown.visualItemRect(shown.item(0))
    lines = range(row.top(), row.bottom())
    columns = range(row.left(), row.right())
    before, after = pictures
    changed = (y for y in lines for x in columns if before.pixel(x, y) != after.pixel(x, y))
    first = next(changed)
    shown.deleteLater()
    return (first - row.top()) / row.height()


def test_in_a_list_narrow_for_its_text_the_end_is_below_the_title(qapp: QApplication) -> None:
    assert first_changed_line(360, 14) < 0.45
    assert first_changed_line(360, 28) > 0.5
    assert first_changed_line(900, 28) < 0.45
