"""The order of the selection, its parts, and the copied text."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Text
from neodeskpet.ui.chat.items.code_items import CodeItem
from neodeskpet.ui.chat.items.item import Item
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.text_selection import SelectionUnit, TextPosition, markdown_source
from tests.unit.ui.chat.doubles import (
    call,
    click,
    companion,
    entry,
    find,
    head_of,
    open_view,
    person,
    said,
)


def spot(view: ChatView, name: str, kind: type[Item], number: int, position: int) -> TextPosition:
    return TextPosition(name, find(view, name, kind, number)[1], position)


def test_nothing_is_selected_at_first(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One"))
    assert view.selection.is_empty
    assert view.selection.missing_ids() == []
    assert (view.selected_text(), view.selected_markdown()) == ("", "")
    view.selection.clear()
    view.selection.extend(spot(view, "a", MarkdownItem, 0, 2))
    assert view.selection.is_empty


def test_both_directions_are_equal(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One\n\ntwo"))
    start, end = spot(view, "a", MarkdownItem, 0, 1), spot(view, "a", MarkdownItem, 1, 2)
    view.selection.start(start)
    view.selection.extend(end)
    forwards = view.selection.ordered_ends()
    view.selection.start(end)
    view.selection.extend(start)
    assert view.selection.ordered_ends() == forwards
    assert view.selected_text() == "ne\n\ntw"
    assert view.selected_markdown() == "ne\n\ntw"


def test_rows_within(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One\n\ntwo\n\nthree"))
    view.selection.start(spot(view, "a", MarkdownItem, 0, 1))
    view.selection.extend(spot(view, "a", MarkdownItem, 2, 2))
    keys = view.selection.ordered_ends()
    spans = [view.selection.selected_range(keys, RowPosition(0, row)) for row in range(4)]
    assert [span[0] if span else None for span in spans] == [1, 0, 0, None]
    assert spans[2] == (0, 2)
    assert view.selection.selected_range(None, RowPosition(0, 0)) is None


def test_words_and_paragraphs_are_extended_by_whole_ones(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One two three four"))
    view.selection.start(spot(view, "a", MarkdownItem, 0, 9), SelectionUnit.WORD)
    assert view.selected_text() == "three"
    view.selection.extend(spot(view, "a", MarkdownItem, 0, 5))
    assert view.selected_text() == "two three"
    view.selection.start(spot(view, "a", MarkdownItem, 0, 5), SelectionUnit.PARAGRAPH)
    assert view.selected_text() == "One two three four"


def test_a_closed_card_in_between_is_skipped(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", Text(0, 0, "One"), call(1), Text(2, 0, "two")))
    view.select_all()
    assert view.selected_text() == "One\n\ntwo"
    place, head = find(view, "a", CardHead)
    assert view.selection.position_at(place, QPointF(0, 2)).position == 0
    assert view.selection.position_at(place, QPointF(0, head.height)).position == 1


def test_the_text_of_an_open_card_is_included(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    place, _ = find(view, "a", CardHead)
    click(view, place, "toggle")
    view.select_all()
    assert view.selected_text() == '{"query": "rain"}\nIt rains.'


def test_messages_that_are_not_loaded_are_missing(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.open_conversation([head_of(said("a", "One")), head_of(said("b", "two"))])
    view.select_all()
    assert view.selection.missing_ids() == ["a", "b"]
    assert view.selected_text() == ""


def press_all_and_copy(view: ChatView) -> list[list[str]]:
    """Press Ctrl+A and Ctrl+C; return the requests of the view."""
    asked: list[list[str]] = []
    view.messages_wanted.connect(asked.append)
    for key in (Qt.Key.Key_A, Qt.Key.Key_C):
        QTest.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
    return asked


def test_copying_waits_for_missing_messages(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    message = said("m", "Hello there")
    view.open_conversation([head_of(message)])
    QGuiApplication.clipboard().setText("before")
    assert press_all_and_copy(view) == [["m"]]
    assert QGuiApplication.clipboard().text() == "before"
    view.add_loaded_messages([message])
    assert QGuiApplication.clipboard().text() == "Hello there"


def test_another_conversation_cancels_the_copy(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    message = said("m", "Hello there")
    view.open_conversation([head_of(message)])
    QGuiApplication.clipboard().setText("before")
    press_all_and_copy(view)
    view.open_conversation([head_of(message)])
    view.add_loaded_messages([message])
    assert QGuiApplication.clipboard().text() == "before"


def test_deleted_messages_are_left_out(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "One"), said("a", "two"))
    view.selection.start(spot(view, "a", MarkdownItem, 0, 0))
    view.selection.extend(spot(view, "a", MarkdownItem, 0, 2))
    entry(view, "a").items.clear()
    assert view.selection.is_empty


def test_markdown_of_parts(qtbot: QtBot) -> None:
    code = "\n".join(f"x{n}" for n in range(100))
    view = open_view(qtbot, said("a", f"1. a\n   ```py\n   {code[:2]}\n   ```"))
    item = find(view, "a", CodeItem)[1]
    assert isinstance(item, CodeItem)
    assert markdown_source(item) == "   ```py\n   x0\n   ```"
    long = open_view(qtbot, said("a", f"```\n{code}\n```"))
    long.select_all()
    assert long.selected_markdown() == f"```\n{code}\n```"
    assert long.selected_text() == code
    rows = "| 1 | 2 |\n" * 40
    table = f"| a | b |\n|---|---|\n{rows}".strip()
    third = open_view(qtbot, said("a", table))
    third.select_all()
    assert third.selected_markdown() == table
    assert third.selected_text() == table.replace("|---|---|\n", "").replace("| ", "").replace(
        " |", ""
    ).replace(" ", "\t")


def test_list_items_in_parts_are_consecutive(qtbot: QtBot) -> None:
    text = "\n".join(f"- item {n}" for n in range(30))
    view = open_view(qtbot, said("a", text))
    view.select_all()
    assert view.selected_markdown() == text
    assert view.selected_text() == text.replace("- ", "• ")


def test_an_empty_view_has_nothing_to_select(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.select_all()
    assert view.selection.is_empty
