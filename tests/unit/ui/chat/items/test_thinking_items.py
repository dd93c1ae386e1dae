"""Thinking: the text of its head, and its end while it streams."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Thinking
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.thinking_items import TAIL_LINES, ThinkingHead, ThinkingTail
from tests.unit.ui.chat.doubles import NOW, companion, find, open_view


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def test_the_text_of_the_head(scene: Scene) -> None:
    live = ThinkingHead(Thinking(0, 0, "x", started=NOW - 4.7), live=True)
    assert live.title_text(scene) == "Thinking… 4 s"
    assert live.is_animated
    done = ThinkingHead(Thinking(0, 0, "x", started=NOW, ended=NOW + 3.2), live=False)
    assert done.title_text(scene) == "Thought for 3.2 s"
    assert not done.is_animated
    assert ThinkingHead(Thinking(0, 0, "x"), live=False).title_text(scene) == "Thought"
    assert ThinkingHead(Thinking(0, 0, "x"), live=True).title_text(scene) == "Thinking… 1 s"


def test_the_end_shows_the_last_lines(scene: Scene) -> None:
    tail = ThinkingTail()
    tail.set_text("one\n\ntwo\nthree\n" + "four 🌂 words " * 20)
    lines = tail.last_lines(scene.style, 200)
    assert len(lines) == TAIL_LINES
    assert "".join(lines).replace(" ", "").endswith("four🌂words" * 2)
    tail.set_text("one\n\ntwo\nthree")
    assert tail.last_lines(scene.style, 200) == ["one", "two", "three"]
    tail.set_text("")
    assert tail.last_lines(scene.style, 200) == []


def test_its_height_doesnt_depend_on_the_text(scene: Scene) -> None:
    tail = ThinkingTail()
    assert tail.measure(scene, 300) == TAIL_LINES * scene.style.theme.line_px
    assert tail.estimate(scene, 300) == tail.height


def test_it_paints(qtbot: QtBot) -> None:
    block = Thinking(0, 0, "one\ntwo\nthree\nfour", started=NOW)
    view = open_view(qtbot, companion("a", block, state=MessageState.RUNNING))
    place, tail = find(view, "a", ThinkingTail)
    before = view.grab(view.scroller.row_rect(place)).toImage()
    assert isinstance(tail, ThinkingTail)
    tail.set_text("something else")
    assert view.grab(view.scroller.row_rect(place)).toImage() != before
