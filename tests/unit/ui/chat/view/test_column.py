"""Geometry: places, anchors, and that only what is visible is laid out."""

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.view.column import END, MARGIN, Anchor, Column, Place
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import find, head_of, open_view, person, said, serve

LONG = "\n\n".join(f"Paragraph {n} has some words." for n in range(80))


def test_an_empty_column(qtbot: QtBot) -> None:
    column = Column(Look(LIGHT))
    assert (len(column), column.total) == (0, 0)
    assert column.at(10) is None
    assert column.visible(0, 100) == []
    assert column.missing(0, 100) == []
    assert column.anchor_at(0) is END
    assert column.offset_of(END, 300) == 0
    assert not column.remove("x")


def test_estimates_follow_the_length(qtbot: QtBot) -> None:
    column = Column(Look(LIGHT))
    column.open([head_of(said("short", "x")), head_of(said("long", "x" * 4000))])
    assert column.height_of(1) > 5 * column.height_of(0)
    assert column.top(1) == MARGIN + column.height_of(0)
    assert column.place_of(object(), "short") is None  # type: ignore[arg-type]


def test_places_in_order(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "One\n\ntwo"), person("v", "x"))
    column = view.column
    place: Place | None = Place(0, 0)
    seen = []
    while place is not None:
        seen.append(place)
        place = column.following(place)
    assert seen == [Place(0, 0), Place(1, 0), Place(1, 1), Place(1, 2), Place(2, 0)]
    assert [column.preceding(p) for p in seen[1:]] == seen[:-1]
    assert column.preceding(seen[0]) is None
    for one in seen:
        assert column.at(column.row_top(one) + 1) == one
    tops = [column.row_top(one) for one in seen]
    assert tops == sorted(tops)


def test_only_what_is_visible_is_laid_out(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG * 10))
    items = view.column.entries[0].items  # type: ignore[union-attr]
    laid_out = sum(bool(item.width) for item in items)
    assert len(items) > 700
    assert laid_out < 40


@pytest.mark.parametrize("width", [360, 700])
def test_a_wrong_estimate_above_doesnt_move_what_is_read(qtbot: QtBot, width: int) -> None:
    view = open_view(qtbot, size=(width, 400))
    serve(view, [said(f"m{n}", f"Message {n}\n\n" + "words " * (n % 40)) for n in range(80)])
    for _ in range(30):
        anchor = view.scroller.anchor()
        before = view.scroller.top
        view.scroller.scroll_by(-55)
        if anchor.item is None or view.scroller.top == 0:
            continue
        place = view.column.place_of(anchor.item, anchor.message_id)
        assert place is not None
        moved = view.column.row_top(place) - view.scroller.top - anchor.offset
        assert abs(moved - 55) <= 1 or before - view.scroller.top != 55


def test_an_anchor_whose_item_is_gone_falls_back_to_its_row(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    place, item = find(view, "a", type(view.column.entries[0].items[0]), 5)  # type: ignore[union-attr]
    gone = Anchor("a", object(), place.row, 0)  # type: ignore[arg-type]
    here = Anchor("a", item, place.row, 0)
    assert view.column.offset_of(gone, 300) == view.column.offset_of(here, 300)
    assert view.column.offset_of(Anchor("nobody"), 300) == view.column.total - 300


def test_a_message_can_be_replaced_by_its_new_form(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One"), person("u", "x"))
    view.add_message(said("a", "One\n\ntwo"))
    assert view.column.number_of("a") == 0
    assert len(view.column) == 2
    assert view.message_text("a") == "One\n\ntwo"
