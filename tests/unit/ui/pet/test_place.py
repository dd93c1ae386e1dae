"""The quick message line is beside the companion: never over the face, never off the screen."""

import pytest
from PySide6.QtCore import QRect, QSize

from neodeskpet.ui.pet.quick_message_window import position_when_hidden, quick_message_position

SCREEN = QRect(0, 0, 1600, 1200)
SIZE = QSize(340, 60)


def standing(left: int, top: int, width: int = 250, height: int = 420) -> tuple[QRect, QRect]:
    """A figure and its head."""
    return QRect(left, top, width, height), QRect(left + 40, top, width - 80, 150)


def place(figure: QRect, head: QRect, bubble: QRect | None = None, screen: QRect = SCREEN) -> QRect:
    return quick_message_position(SIZE, figure, head, head.center(), bubble or QRect(), screen)


def test_below_the_feet_or_above_the_head_or_beside() -> None:
    assert place(*standing(100, 300)) == QRect(54, 732, 340, 60)
    assert place(*standing(1300, 780)) == QRect(1254, 780 - 12 - 60, 340, 60)
    tall = QRect(1200, 0, 250, 1200)
    found = place(tall, QRect(1240, 0, 170, 150))
    assert found == QRect(1200 - 12 - 340, 1200 - 60, 340, 60)


def test_it_leaves_the_windows_of_the_app_free() -> None:
    figure, head = standing(1300, 780)
    chat = QRect(900, 300, 700, 460)
    found = quick_message_position(
        SIZE, figure, head, head.center(), QRect(), SCREEN, windows=[chat]
    )
    assert SCREEN.contains(found) and not found.intersects(chat)


def test_it_leaves_the_bubble_free() -> None:
    figure, head = standing(1300, 780)
    bubble = QRect(900, 1100, 350, 90)
    assert not place(figure, head, bubble).intersects(bubble)
    everywhere = QRect(0, 930, 1600, 270)
    found = place(figure, head, everywhere)
    assert SCREEN.contains(found) and not found.intersects(head)


@pytest.mark.parametrize("left", range(-60, 500, 56))
@pytest.mark.parametrize("top", [-40, 0, 180, 330])
def test_on_a_small_screen(left: int, top: int) -> None:
    screen = QRect(0, 0, 640, 480)
    figure, head = standing(left, top)
    found = place(figure, head, screen=screen)
    assert screen.contains(found)
    assert not found.intersects(head)


def test_without_a_companion_it_is_near_the_lower_edge() -> None:
    assert position_when_hidden(SIZE, SCREEN) == QRect(630, 1200 - 24 - 60, 340, 60)
