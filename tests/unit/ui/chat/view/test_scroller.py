"""The scrolling surface: scrolling, anchors, and that it paints no more than necessary."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtGui import QAccessible, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image, Message, MessageState, ShownPath, Text, ToolStatus
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnStarted
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.support.paints import Paints
from tests.support.reader import messages, read
from tests.unit.ui.chat.doubles import (
    NOW,
    call,
    companion,
    find,
    head_of,
    move,
    open_view,
    person,
    said,
    stream,
)

LONG = "\n\n".join(f"Paragraph {n} has some words." for n in range(60))


class Watched(ChatView):
    rects: list[QRect]

    def paintEvent(self, event: QPaintEvent) -> None:
        self.rects = [*getattr(self, "rects", []), event.rect()]
        super().paintEvent(event)


def test_a_delta_paints_only_its_end(qtbot: QtBot) -> None:
    view = Watched(LIGHT)
    qtbot.addWidget(view)
    view.resize(480, 600)
    with qtbot.waitExposed(view):
        view.show()
    view.add_message(person("u", "Hello"))
    text = "One\n\ntwo\n\nthree"
    events = [TurnStarted("a"), BlockStarted(Text(0, 0, text))]
    view.apply([("a", event) for event in events])
    QApplication.processEvents()
    view.rects.clear()
    view.apply([("a", TextAppended(0, " more"))])
    place, _ = find(view, "a", MarkdownItem, 2)
    assert view.rects
    assert min(rect.top() for rect in view.rects) >= view.scroller.row_rect(place).top() - 12


def test_a_hidden_view_paints_nothing_and_is_right_when_shown(qtbot: QtBot) -> None:
    view = ChatView(LIGHT)
    qtbot.addWidget(view)
    view.resize(480, 400)
    stream(view, "a", LONG)
    assert len(view.scene.documents) == 0
    with qtbot.waitExposed(view):
        view.show()
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    view.hide()
    stream(view, "a", LONG)
    with qtbot.waitExposed(view):
        view.show()
    assert bar.value() == bar.maximum()


def test_the_part_at_a_point_is_the_right_one(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "One\n\ntwo"))
    face = QAccessible.queryAccessibleInterface(view)
    boxes = []
    for message in messages(view):
        center = message.rect().center()
        assert face.childAt(center.x(), center.y()) is message
        boxes.append(message.rect())
    assert 0 < boxes[0].top() < boxes[0].bottom() < boxes[1].bottom()
    assert not boxes[0].intersects(boxes[1])
    for place in view.scroller.visible_places():
        center = view.scroller.row_rect(place).center().toPointF()
        assert view.scroller.position_at(center) == place


def test_messages_that_are_not_loaded_have_a_place(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.open_conversation([head_of(said("a", "x" * 900)), head_of(person("u", "y" * 90))])
    before = view.grab().toImage()
    assert view.scroller.row_rect(view.scroller.visible_places()[0]).height() > 100
    view.add_loaded_messages([said("a", "x" * 900)])
    assert view.grab().toImage() != before


@pytest.mark.parametrize("step", [-120, -37, 60])
def test_scrolled_pixels_equal_painted_pixels(qtbot: QtBot, step: int) -> None:
    view = open_view(qtbot, said("a", LONG))
    view.scroller.scroll_by(-400)
    view.scroller.scroll_to_end()
    view.scroller.scroll_by(-300)
    QApplication.processEvents()
    view.scroller.scroll_by(step)
    QApplication.processEvents()
    scrolled = view.screen().grabWindow(view.winId()).toImage()
    view.viewport().repaint()
    QApplication.processEvents()
    assert view.screen().grabWindow(view.winId()).toImage() == scrolled


STREAMED = (
    "It rains, **and it rains more** than it did, so that the lines are broken again and again.\n\n"
    "- One item that is longer than its line is, so that it has two of them\n- Two\n\n"
    "> Words of others, which are as long as three lines are: they go on and on, and then on\n\n"
    "```\nwait = 1\nwhile rain > 0.5: wait += 1\n```\n\n"
    "明天上海小雨转阴，气温九到十四度，出门**记得带伞**。\n\n"
)


def test_streamed_pixels_equal_painted_pixels(qtbot: QtBot) -> None:
    view = open_view(qtbot, size=(320, 300))
    text = STREAMED * 2
    for at in range(0, len(text), 8):
        stream(view, "a", text[at : at + 8])
        if at % 96 == 0:
            streamed = view.screen().grabWindow(view.winId()).toImage()
            view.viewport().repaint()
            assert view.screen().grabWindow(view.winId()).toImage() == streamed, text[:at][-40:]


@pytest.mark.parametrize("begin", ["", "```\n"])
def test_a_growing_item_is_painted_from_its_last_line(qtbot: QtBot, begin: str) -> None:
    view = open_view(qtbot)
    stream(view, "a", f"{begin}Words and words", " which are some lines" * 14, " and")
    painted = Paints(view.viewport()).areas
    stream(view, "a", " more")
    box = view.scroller.row_rect(view.scroller.visible_places()[-1])
    assert len(painted) == 1
    assert painted[0].top() > box.top() + box.height() / 2


def test_time_stops_when_nothing_moves(qtbot: QtBot) -> None:
    running = companion("a", call(0, ToolStatus.RUNNING), state=MessageState.RUNNING)
    view = open_view(qtbot, running, size=(480, 200))
    view.grab()
    assert view.animation_timer.is_running
    view.add_message(said("b", LONG))
    view.scroller.scroll_to_end()
    qtbot.waitUntil(lambda: not view.animation_timer.is_running)
    view.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: view.animation_timer.is_running)
    view.hide()
    assert not view.animation_timer.is_running


def test_the_button_follows_the_language(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    view.scroller.scroll_by(-300)
    view.scroller.newest_button.setText("")
    QApplication.sendEvent(view, QEvent(QEvent.Type.LanguageChange))
    assert view.scroller.newest_button.text() == "↓ newest"


def test_a_row_is_scrolled_into_view(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    for number in (0, 59, 30):
        place, _ = find(view, "a", MarkdownItem, number)
        view.scroller.reveal(place)
        box = view.scroller.row_rect(place)
        assert 0 <= box.top() <= box.bottom() <= view.scroller.viewport_height


class Picture:
    """A source of pictures that fails after that many."""

    def __init__(self, good: int) -> None:
        self.good = good

    def __call__(self, digest: str) -> QPixmap:
        self.good -= 1
        if self.good < 0:
            raise RecursionError("too deep")
        return QPixmap(100, 80)


@pytest.mark.parametrize("good", [0, 1, 2, 3])
def test_an_item_that_can_not_be_painted_is_reported_once_and_the_rest_is_shown(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture, good: int
) -> None:
    view = open_view(qtbot)
    view.set_picture_source(Picture(good))
    view.add_message(person("p", "look", Image(1, 0, "d", "image/png")))
    view.add_message(said("a", "All is well."))
    for _ in range(3):
        view.grab()
        view.resize(view.width() + 1, view.height())
    assert read(view)[0] == "look\nThis part can't be shown."
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    text = find(view, "a", MarkdownItem)[0]
    box = view.scroller.row_rect(text)
    shown = view.viewport().grab(box).toImage()
    alone = open_view(qtbot, said("a", "All is well."))
    alone.resize(view.size())
    place = find(alone, "a", MarkdownItem)[0]
    assert shown == alone.viewport().grab(alone.scroller.row_rect(place)).toImage()


def test_a_line_per_day_between_messages_of_different_days(qtbot: QtBot) -> None:
    def at(message: Message, seconds: float) -> Message:
        return replace(message, created=seconds, ended=seconds)

    view = open_view(qtbot, at(said("a", "One"), NOW), at(said("b", "Two"), NOW + 5))
    alone = view.grab().toImage()
    view.add_message(at(said("c", "Three"), NOW + 86_400))
    one, two, three = (box_of(view, number) for number in range(3))
    assert three.top() - two.top() > two.top() - one.top()
    assert lines(view, one.top(), two.top()) == 0
    assert lines(view, two.top(), three.top()) == 1
    view.show_path(ShownPath("b", []), [])
    assert view.grab().toImage() == alone


def test_the_first_day_has_a_line_unless_it_is_today(qtbot: QtBot) -> None:
    before = replace(said("a", "One"), created=NOW - 86_400, ended=NOW - 86_400)
    view = open_view(qtbot, before)
    (one,) = (box_of(view, number) for number in range(1))
    assert lines(view, 0, one.top()) == 1
    today = open_view(qtbot, replace(before, created=NOW, ended=NOW))
    assert lines(today, 0, box_of(today, 0).top()) == 0
    assert box_of(today, 0).top() < one.top()


def box_of(view: ChatView, number: int) -> QRect:
    """Return where a message is in the view."""
    return messages(view)[number].rect().translated(view.mapFromGlobal(QPoint()))


def lines(view: ChatView, top: int, bottom: int) -> int:
    """Return how many rows between two heights are a line through most of the view."""
    image, color = view.grab().toImage(), view.item_style.color("line")
    rows = ([image.pixelColor(x, y) for x in range(image.width())] for y in range(top, bottom))
    return sum(row.count(color) > len(row) / 3 for row in rows)


def test_messages_have_times(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
    for number in range(2):
        box = box_of(view, number)
        away = view.grab(box).toImage()
        move(view, box.center())
        assert view.grab(box).toImage() != away
