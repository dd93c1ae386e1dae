"""Opening and closing is animated, and ends where the layout already is."""

from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Text
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.view.animations import SlideAnimation
from neodeskpet.ui.chat.view.message_column import RowPosition
from tests.unit.ui.chat.doubles import call, click, companion, find, open_view, stream


def test_it_moves_from_the_old_place_to_the_new_one(qtbot: QtBot) -> None:
    seen: list[int] = []
    slide = SlideAnimation(None, lambda: seen.append(slide.remaining))  # type: ignore[arg-type]
    slide.start(RowPosition(0, 1), 2, 100, 60)
    assert slide.remaining == 100
    assert slide.is_revealed(RowPosition(0, 2))
    assert slide.is_revealed(RowPosition(0, 3))
    assert slide.body_end == RowPosition(0, 4)
    assert slide.is_below(RowPosition(0, 4))
    assert slide.is_below(RowPosition(1, 0))
    assert not slide.is_below(RowPosition(0, 1))
    qtbot.waitUntil(lambda: not slide.is_moving)
    assert seen == sorted(seen, reverse=True)
    assert slide.remaining == seen[-1] == 0
    assert not slide.is_below(RowPosition(1, 0))


def test_without_a_distance_there_is_no_motion(qtbot: QtBot) -> None:
    slide = SlideAnimation(None, lambda: None)  # type: ignore[arg-type]
    slide.start(RowPosition(0, 0), 0, 0, 100)
    assert not slide.is_moving
    slide.start(RowPosition(0, 0), 0, -50, 1000)
    assert slide.remaining < 0
    slide.stop()
    assert slide.remaining == 0


def test_a_card_opens_and_closes_with_an_animation(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0), Text(1, 0, "below")))
    place, _ = find(view, "a", CardHead)
    for _ in range(2):
        click(view, place, "toggle")
        assert view.slide.is_moving
        moving = view.grab().toImage()
        qtbot.waitUntil(lambda: not view.slide.is_moving)
        assert view.grab().toImage() != moving


def test_no_animation_with_reduced_motion_or_while_text_streams(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0), Text(1, 0, "below")))
    place, _ = find(view, "a", CardHead)
    view.set_reduced_motion(True)
    click(view, place, "toggle")
    assert not view.slide.is_moving
    view.set_reduced_motion(False)
    stream(view, "b", "Hello")
    click(view, place, "toggle")
    assert not view.slide.is_moving
