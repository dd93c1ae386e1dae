"""The footer: how the reply ended, its cost, and small buttons."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Usage
from neodeskpet.ui.chat.items.message_footer import FooterItem
from tests.unit.ui.chat.doubles import NOW, find, move, open_view, person, said, spot

ASK = "What happened in this turn"
ACTIONS = (("copy", "Copy"), ("retry", "Retry"))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (MessageState.DONE, "2 rounds · 30 tokens · 5.0 s"),
        (MessageState.CANCELLED, "stopped · 2 rounds · 30 tokens · 5.0 s"),
        (MessageState.INTERRUPTED, "interrupted · 2 rounds · 30 tokens · 5.0 s"),
        (MessageState.FAILED, "2 rounds · 30 tokens · 5.0 s"),
    ],
)
def test_its_text(state: MessageState, words: str) -> None:
    footer = FooterItem("a", ACTIONS)
    footer.set_state(state, 2, Usage(10, 20), 5.0)
    assert footer.accessible_text == words
    assert (footer.mark is None) == (state in (MessageState.DONE, MessageState.FAILED))


@pytest.mark.parametrize("width", [120, 600])
def test_buttons_stay_inside(qtbot: QtBot, width: int) -> None:
    view = open_view(qtbot)
    footer = FooterItem("a", ACTIONS)
    footer.set_state(MessageState.CANCELLED, 2, Usage(10, 20), 5.0)
    footer.measure(view.scene, width)
    assert all(part.rect.right() <= width for part in footer.hit_regions(view.scene))


@pytest.mark.parametrize("width", [120, 240, 600])
def test_no_button_covers_the_text(qtbot: QtBot, width: int) -> None:
    view = open_view(qtbot)
    footer = FooterItem("a", ACTIONS)
    footer.set_state(MessageState.CANCELLED, 2, Usage(10, 20), 5.0, "a model with a long name")
    footer.measure(view.scene, width)
    words = footer.text_rect(view.scene, busy=True)
    assert not any(part.rect.intersects(words) for part in footer.hit_regions(view.scene))
    assert footer.text_rect(view.scene, busy=False).right() == width


def test_buttons_appear_when_the_mouse_is_over_the_message(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "Hello"))
    place, _ = find(view, "a", FooterItem)
    before = view.grab(view.scroller.row_rect(place)).toImage()
    move(view, spot(view, place, 5, -20))
    assert view.scene.hovered_message == "a"
    assert view.grab(view.scroller.row_rect(place)).toImage() != before


def test_every_reply_can_be_regenerated_except_a_timer_that_rang(qtbot: QtBot) -> None:
    rang = replace(said("b", "Ring"), created=NOW, ended=NOW)
    view = open_view(qtbot, said("a", "Hello"), person("u", "And?"), rang)
    _, footer = find(view, "a", FooterItem)
    assert [part.name for part in footer.hit_regions(view.scene)] == ["Copy", "Retry", ASK, "More…"]
    _, footer = find(view, "b", FooterItem)
    assert [part.name for part in footer.hit_regions(view.scene)] == ["Copy", ASK, "More…"]
