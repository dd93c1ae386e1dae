"""Tables: a table that doesn't fit is scrolled; no column is squeezed."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.wide_items import MarkdownTableItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import find, move, open_view, said, spot


def table(columns: int, rows: int = 2, cell: str = "some value") -> str:
    head = "|".join(f"Column {n}" for n in range(columns))
    row = "|".join(cell for _ in range(columns))
    return f"|{head}|\n|{'---|' * columns}\n" + f"|{row}|\n" * rows


def first_cell(view: ChatView, item: MarkdownTableItem) -> str:
    """Return the text at the upper left of the visible part of a table."""
    start = item.position_at(view.scene, QPointF(8, 14))
    return item.text_between(view.scene, start, start + 8)


def shown(qtbot: QtBot, text: str) -> tuple[ChatView, MarkdownTableItem, QPoint]:
    view = open_view(qtbot, said("a", text), size=(480, 700))
    place, item = find(view, "a", MarkdownTableItem)
    assert isinstance(item, MarkdownTableItem)
    return view, item, spot(view, place, 60, 20)


def wheel(view: ChatView, at: QPoint, turned: QPoint, shift: bool = False) -> None:
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        QPointF(at),
        QPointF(view.viewport().mapToGlobal(at)),
        QPoint(),
        turned,
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_words_of_a_wide_table_are_not_broken(qtbot: QtBot) -> None:
    view, item, _ = shown(qtbot, table(12))
    line = view.item_style.theme.line_px
    assert item.height < 3 * (line + 14) + 24
    assert item.overflow(view.item_style) > 300


def test_a_table_that_fits_is_not_scrolled(qtbot: QtBot) -> None:
    view, item, at = shown(qtbot, table(3, cell="a few words that may well be wrapped"))
    assert not item.overflow(view.item_style)
    assert not item.hit_regions(view.scene)
    wheel(view, at, QPoint(0, -120), shift=True)
    assert item.shape.offset == 0


@pytest.mark.parametrize(("turned", "shift"), [(QPoint(0, -120), True), (QPoint(-120, 0), False)])
def test_the_wheel_scrolls_sideways(qtbot: QtBot, turned: QPoint, shift: bool) -> None:
    view, item, at = shown(qtbot, table(12))
    assert first_cell(view, item) == "Column 0"
    for _ in range(4):
        wheel(view, at, turned, shift)
    assert first_cell(view, item) != "Column 0"
    for _ in range(60):
        wheel(view, at, turned, shift)
    assert item.shape.offset == item.overflow(view.item_style)
    for _ in range(60):
        wheel(view, at, -turned, shift)
    assert first_cell(view, item) == "Column 0"


def test_the_bar_is_dragged(qtbot: QtBot) -> None:
    view, item, _ = shown(qtbot, table(12))
    place, _ = find(view, "a", MarkdownTableItem)
    thumb = item.scroll_thumb(view.item_style).center()
    start = spot(view, place, round(thumb.x()), round(thumb.y()))
    port = view.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    move(view, start + QPoint(60, 0), held=True)
    halfway = item.shape.offset
    assert 0 < halfway < item.overflow(view.item_style)
    move(view, start + QPoint(2000, 0), held=True)
    assert item.shape.offset == item.overflow(view.item_style)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start)
    move(view, start)
    assert item.shape.offset == item.overflow(view.item_style)
    assert view.selection.is_empty


def test_a_click_beside_the_handle_moves_it_there(qtbot: QtBot) -> None:
    view, item, _ = shown(qtbot, table(12))
    place, _ = find(view, "a", MarkdownTableItem)
    track = item.scroll_track(view.item_style)
    end = spot(view, place, round(track.right()) - 2, round(track.center().y()))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert item.shape.offset == item.overflow(view.item_style)


def press(view: ChatView, key: Qt.Key, times: int) -> None:
    for _ in range(times):
        QTest.keyClick(view, key)


def test_the_arrow_keys(qtbot: QtBot) -> None:
    view, item, _ = shown(qtbot, table(12))
    view.setFocus()
    press(view, Qt.Key.Key_Tab, 2)
    assert view.scene.is_focused(item, "scroll")
    press(view, Qt.Key.Key_Right, 3)
    assert item.shape.offset > 100
    press(view, Qt.Key.Key_Left, 5)
    assert item.shape.offset == 0
    press(view, Qt.Key.Key_Return, 1)
    assert item.shape.offset > 100
    press(view, Qt.Key.Key_Return, 9)
    assert item.shape.offset < item.overflow(view.item_style)


def test_all_parts_of_a_long_table_scroll_together(qtbot: QtBot) -> None:
    view, item, _ = shown(qtbot, table(12, 40))
    view.verticalScrollBar().setValue(0)
    _, second = find(view, "a", MarkdownTableItem, 1)
    assert isinstance(second, MarkdownTableItem)
    wheel(view, spot(view, find(view, "a", MarkdownTableItem)[0], 60, 20), QPoint(-600, 0))
    assert item.shape is second.shape
    assert item.origin(view.item_style).x() == second.origin(view.item_style).x() < 0
    assert not item.hit_regions(view.scene)
    last = item.shape.parts[-1]
    last.measure(view.scene, item.width)
    assert [part.key for part in last.hit_regions(view.scene)] == ["scroll"]


def left_edge(qtbot: QtBot, text: str) -> list[QColor]:
    """Return the colours from the outside into the first cell of the head."""
    view = open_view(qtbot, said("a", text), size=(480, 700))
    place, _ = find(view, "a", MarkdownTableItem)
    picture = view.viewport().grab().toImage()
    edge = spot(view, place, 0, 8)
    return [picture.pixelColor(edge.x() + x, edge.y()) for x in range(-2, 6)]


def test_a_table_with_only_a_head_has_the_same_borders(qtbot: QtBot) -> None:
    whole = left_edge(qtbot, table(3))
    assert QColor(LIGHT.line) in whole
    assert left_edge(qtbot, table(3, rows=0)) == whole
