"""The surface: scrolling, anchors, and that it paints no more than it must."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image, Message, MessageState, Text, ToolStatus
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnStarted
from neodeskpet.ui.chat.items.prose import MarkdownItem
from neodeskpet.ui.chat.view.column import MARGIN
from neodeskpet.ui.chat.view.view import ChatView
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import (
    NOW,
    call,
    companion,
    entry,
    find,
    head_of,
    move,
    open_view,
    person,
    said,
    spot,
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
    assert min(rect.top() for rect in view.rects) >= view.scroller.box_of(place).top() - 12


def test_hidden_it_paints_nothing_and_is_right_when_shown(qtbot: QtBot) -> None:
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


def test_every_place_has_its_box(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "One\n\ntwo"))
    for place in view.scroller.visible_places():
        box = view.scroller.box_of(place)
        item = view.column.item(place)
        assert item is not None
        assert box.height() == item.height
        assert view.scroller.place_at(box.center().toPointF()) == place


def test_messages_to_come_have_a_place(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.open_conversation([head_of(said("a", "x" * 900)), head_of(person("u", "y" * 90))])
    before = view.grab().toImage()
    assert view.scroller.box_of(view.scroller.visible_places()[0]).height() > 100
    view.provide([said("a", "x" * 900)])
    assert view.grab().toImage() != before


@pytest.mark.parametrize("step", [-120, -37, 60])
def test_scrolled_pixels_are_what_would_be_painted(qtbot: QtBot, step: int) -> None:
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


def test_time_stops_when_nothing_moves(qtbot: QtBot) -> None:
    running = companion("a", call(0, ToolStatus.RUNNING), state=MessageState.RUNNING)
    view = open_view(qtbot, running, size=(480, 200))
    view.grab()
    assert view.ticker.is_running
    view.add_message(said("b", LONG))
    view.scroller.scroll_to_end()
    qtbot.waitUntil(lambda: not view.ticker.is_running)
    view.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: view.ticker.is_running)
    view.hide()
    assert not view.ticker.is_running


def test_the_button_is_worded_again(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    view.scroller.scroll_by(-300)
    view.scroller.newest.setText("")
    QApplication.sendEvent(view, QEvent(QEvent.Type.LanguageChange))
    assert view.scroller.newest.text() == "↓ newest"


def test_a_row_is_brought_into_sight(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LONG))
    for number in (0, 59, 30):
        place, _ = find(view, "a", MarkdownItem, number)
        view.scroller.reveal(place)
        box = view.scroller.box_of(place)
        assert 0 <= box.top() <= box.bottom() <= view.scroller.room


class Picture:
    """Where pictures come from, which fails after so many were given."""

    def __init__(self, good: int) -> None:
        self.good = good

    def __call__(self, digest: str) -> QPixmap:
        self.good -= 1
        if self.good < 0:
            raise RecursionError("too deep")
        return QPixmap(100, 80)


@pytest.mark.parametrize("good", [0, 1, 2, 3])
def test_what_cant_be_shown_is_told_once_and_the_rest_is_shown(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture, good: int
) -> None:
    view = open_view(qtbot)
    view.set_picture_of(Picture(good))
    view.add_message(person("p", "look", Image(1, 0, "d", "image/png")))
    view.add_message(said("a", "All is well."))
    for _ in range(3):
        view.grab()
        view.resize(view.width() + 1, view.height())
    entry = view.column.entry("p")
    assert entry is not None
    assert [item.spoken for item in entry.items] == ["look", "This part can't be shown."]
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    text = find(view, "a", MarkdownItem)[0]
    box = view.scroller.box_of(text)
    shown = view.viewport().grab(box).toImage()
    alone = open_view(qtbot, said("a", "All is well."))
    alone.resize(view.size())
    place = find(alone, "a", MarkdownItem)[0]
    assert shown == alone.viewport().grab(alone.scroller.box_of(place)).toImage()


def test_a_line_per_day_between_messages_of_different_days(qtbot: QtBot) -> None:
    def at(message: Message, seconds: float) -> Message:
        return replace(message, created=seconds, ended=seconds)

    view = open_view(qtbot, at(said("a", "One"), NOW), at(said("b", "Two"), NOW + 5))
    same = view.column.top(1) - view.column.top(0)
    assert view.column.day_below(0) is None
    view.add_message(at(said("c", "Three"), NOW + 86_400))
    assert view.column.day_below(1) == NOW + 86_400
    assert view.column.top(2) - view.column.top(1) == same + view.column.day_room
    top = view.column.day_top(1) - view.scroller.top
    area = QRect(view.scroller.frame.left, top, view.scroller.frame.width, view.look.small_line)
    line = view.grab(area).toImage()
    middle = [line.pixelColor(x, line.height() // 2) for x in range(line.width())]
    assert middle.count(view.look.color("line")) > line.width() / 3
    view.remove_message("c")
    assert view.column.day_below(1) is None
    assert view.column.total == view.column.top(1) + same + MARGIN


def test_messages_have_times(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
    for name in ("u", "a"):
        place = view.column.place_of(entry(view, name).items[-1], name)
        assert place is not None
        box = view.scroller.box_of(place)
        away = view.grab(box).toImage()
        move(view, spot(view, place, box.width() - 4, 4))
        assert view.grab(box).toImage() != away
