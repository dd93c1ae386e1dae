"""The simple items: fixed heights and texts."""

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState
from neodeskpet.core.wire import RetryAnnounced
from neodeskpet.ui.chat.items.item import Item, LabelItem, PaintContext, RuleItem, StatusItem
from tests.unit.ui.chat.doubles import companion, find, open_view, said


def test_heights_depend_on_the_theme_only(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    for item in (RuleItem(), StatusItem(), StatusItem("Retry"), LabelItem("x")):
        assert item.estimate(view.scene, 100) == item.measure(view.scene, 900) > 0
        assert item.width == 900
        item.invalidate()
        assert item.width == 0


def test_their_texts_and_whether_they_are_animated() -> None:
    assert (RuleItem().accessible_text, RuleItem().is_animated) == ("", False)
    assert (StatusItem("Retry").accessible_text, StatusItem("Retry").is_animated) == (
        "Retry",
        False,
    )
    assert StatusItem().is_animated
    assert LabelItem("The model declines").accessible_text == "The model declines"


def test_nothing_can_be_pressed(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    assert RuleItem().region_at(view.scene, QPointF(1, 1)) is None


def test_the_base_class_leaves_the_work_to_its_kinds(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    for method in ("estimate", "measure"):
        with pytest.raises(NotImplementedError):
            getattr(Item(), method)(view.scene, 100)
    with pytest.raises(NotImplementedError):
        Item().paint(view.scene, None)  # type: ignore[arg-type]
    assert PaintContext.__slots__


def test_a_rule_and_a_retry_paint(qtbot: QtBot) -> None:
    running = companion("b", state=MessageState.RUNNING)
    view = open_view(qtbot, said("a", "x\n\n---\n\ny"), running)
    place, _ = find(view, "a", RuleItem)
    line = view.grab(view.scroller.row_rect(place)).toImage()
    assert line.pixelColor(50, 4) == view.item_style.color("line")
    before = view.grab().toImage()
    view.apply([("b", RetryAnnounced(1, 2.0, "unreachable"))])
    assert view.grab().toImage() != before
