"""Geometry: places, anchors, and that only the visible part is laid out."""

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Message
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.chat.view.message_column import (
    END_ANCHOR,
    LAYOUT_BUDGET,
    MARGIN,
    Anchor,
    MessageColumn,
    RowPosition,
)
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.theme import LIGHT
from tests.support.reader import messages, name_of, read
from tests.unit.ui.chat.doubles import head_of, open_view, person, said, serve, stream

LONG = "\n\n".join(f"Paragraph {n} has some words." for n in range(80))


def test_an_empty_column(qtbot: QtBot) -> None:
    column = MessageColumn(ItemStyle(LIGHT))
    assert (len(column), column.total) == (0, 0)
    assert column.row_at(10) is None
    assert column.visible_rows(0, 100) == []
    assert column.missing_ids(0, 100) == []
    assert column.anchor_at(0) is END_ANCHOR
    assert column.offset_of(END_ANCHOR, 300) == 0
    assert column.versions_of("x") == (1, 1)


def test_estimates_follow_the_length(qtbot: QtBot) -> None:
    column = MessageColumn(ItemStyle(LIGHT))
    column.set_heads([head_of(said("short", "x")), head_of(said("long", "x" * 4000))])
    assert column.height_of(1) > 5 * column.height_of(0)
    assert column.message_top(1) == MARGIN + column.height_of(0)
    assert column.position_of(object(), "short") is None  # type: ignore[arg-type]


@pytest.fixture
def scene(qtbot: QtBot) -> Scene:
    return open_view(qtbot).scene


def column_of(scene: Scene, *messages: Message) -> MessageColumn:
    column = MessageColumn(scene.style)
    for message in messages:
        column.set_entry(MessageEntry(message, scene, ()))
    return column


def test_one_call_lays_out_a_limited_amount(scene: Scene) -> None:
    column = column_of(scene, said("a", "\n\n".join("`a` " * 40 for _ in range(60))))
    (entry,) = column.entries
    assert entry is not None
    heaviest = max(item.measure_cost for item in entry.items)
    done, calls = 0, 0
    column.is_incomplete = True
    while column.is_incomplete:
        column.layout_visible(END_ANCHOR, 2_000)
        work = sum(item.measure_cost for item in entry.items if item.width)
        assert work - done <= LAYOUT_BUDGET + heaviest
        done, calls = work, calls + 1
    assert calls > 2
    assert all(
        column.item(place).width for place in column.visible_rows(column.total - 2_000, 10**6)
    )  # type: ignore[union-attr]
    assert column.layout_visible(END_ANCHOR, 2_000)[1] is None


def test_a_view_lays_out_the_rest_by_itself(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.resize(480, 2_000)
    stream(view, "a", "\n\n".join("`a` " * 40 for _ in range(60)))
    qtbot.waitUntil(lambda: not view.column.is_incomplete)
    items = [view.column.item(place) for place in view.scroller.visible_places()]
    assert len(items) > 20
    assert all(item is not None and item.width for item in items)


def test_places_in_order(scene: Scene) -> None:
    column = column_of(scene, person("u", "Hello"), said("a", "One\n\ntwo"), person("v", "x"))
    place: RowPosition | None = RowPosition(0, 0)
    seen = []
    while place is not None:
        seen.append(place)
        place = column.next_row(place)
    assert seen == [
        RowPosition(0, 0),
        RowPosition(1, 0),
        RowPosition(1, 1),
        RowPosition(1, 2),
        RowPosition(2, 0),
    ]
    assert [column.previous_row(p) for p in seen[1:]] == seen[:-1]
    assert column.previous_row(seen[0]) is None
    for one in seen:
        assert column.row_at(column.row_top(one) + 1) == one
    tops = [column.row_top(one) for one in seen]
    assert tops == sorted(tops)


def test_only_the_visible_part_is_laid_out(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG * 10))
    assert len(read(view)[0].split("\n")) > 700
    assert 0 < len(view.scene.documents) < 40


@pytest.mark.parametrize("width", [360, 700])
def test_a_wrong_estimate_above_does_not_move_the_visible_part(qtbot: QtBot, width: int) -> None:
    view = open_view(qtbot, size=(width, 400))
    serve(view, [said(f"m{n}", f"Message {n}\n\n" + "words " * (n % 40)) for n in range(80)])
    moved = 0
    for _ in range(30):
        before = tops(view)
        view.scroller.scroll_by(-55)
        after = tops(view)
        if view.verticalScrollBar().value() == 0:
            break
        first = min((top, name) for name, top in before.items() if top >= 0)[1]
        assert abs(after[first] - before[first] - 55) <= 1
        moved += 1
    assert moved > 10


def tops(view: ChatView) -> dict[str, int]:
    """Return the top of each loaded message, from the top of the visible part."""
    above = view.viewport().mapToGlobal(QPoint()).y()
    return {name_of(one): one.rect().top() - above for one in messages(view)}


def test_an_anchor_whose_item_was_removed_falls_back_to_its_row(scene: Scene) -> None:
    column = column_of(scene, said("a", LONG))
    place = RowPosition(0, 5)
    gone = Anchor("a", object(), place.row, 0)  # type: ignore[arg-type]
    here = Anchor("a", column.item(place), place.row, 0)
    assert column.offset_of(gone, 300) == column.offset_of(here, 300) > 0
    assert column.offset_of(Anchor("nobody"), 300) == column.total - 300


def test_a_message_can_be_replaced_by_its_new_form(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One"), person("u", "x"))
    view.add_message(said("a", "One\n\ntwo"))
    first, second = read(view)
    assert first.startswith("One\ntwo")
    assert second.startswith("x")
    assert view.message_text("a") == "One\n\ntwo"
