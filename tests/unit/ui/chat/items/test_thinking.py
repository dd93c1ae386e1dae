"""Thinking: its head's words, and the live tail."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Thinking
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.thinking import LINES, ThinkingHead, ThinkingTail
from tests.unit.ui.chat.doubles import NOW, companion, find, open_view


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def test_words(scene: Scene) -> None:
    live = ThinkingHead(Thinking(0, 0, "x", started=NOW - 4.7), live=True)
    assert live.words(scene) == "Thinking… 4 s"
    assert live.moving
    done = ThinkingHead(Thinking(0, 0, "x", started=NOW, ended=NOW + 3.2), live=False)
    assert done.words(scene) == "Thought for 3.2 s"
    assert not done.moving
    assert ThinkingHead(Thinking(0, 0, "x"), live=False).words(scene) == "Thought"
    assert ThinkingHead(Thinking(0, 0, "x"), live=True).words(scene) == "Thinking… 1 s"


def test_the_tail_is_the_last_lines(scene: Scene) -> None:
    tail = ThinkingTail()
    tail.put("one\n\ntwo\nthree\n" + "four 🌂 words " * 20)
    lines = tail.last_lines(scene.look, 200)
    assert len(lines) == LINES
    assert "".join(lines).replace(" ", "").endswith("four🌂words" * 2)
    tail.put("one\n\ntwo\nthree")
    assert tail.last_lines(scene.look, 200) == ["one", "two", "three"]
    tail.put("")
    assert tail.last_lines(scene.look, 200) == []


def test_its_height_doesnt_depend_on_the_text(scene: Scene) -> None:
    tail = ThinkingTail()
    assert tail.measure(scene, 300) == LINES * scene.look.theme.line_px
    assert tail.estimate(scene, 300) == tail.height


def test_it_paints(qtbot: QtBot) -> None:
    block = Thinking(0, 0, "one\ntwo\nthree\nfour", started=NOW)
    view = open_view(qtbot, companion("a", block, state=MessageState.RUNNING))
    place, tail = find(view, "a", ThinkingTail)
    before = view.grab(view.scroller.box_of(place)).toImage()
    assert isinstance(tail, ThinkingTail)
    tail.put("something else")
    assert view.grab(view.scroller.box_of(place)).toImage() != before
