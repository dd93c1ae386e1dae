from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize

from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.ui.pet.screen_geometry import (
    TailSide,
    bubble_position,
    corner_position,
    find_free_place,
    nearest_screen,
    offset_onto_screen,
    to_area,
    window_beside,
)

LEFT, RIGHT = QRect(0, 0, 1000, 800), QRect(1000, 0, 1000, 800)
FIGURE = QSize(200, 340)
BUBBLE = QSize(280, 120)


def spot(x: int, y: int) -> tuple[QRect, TailSide, int]:
    figure = QRect(QPoint(x, y), FIGURE)
    found = bubble_position(BUBBLE, figure, figure.center() - QPoint(0, 60), LEFT)
    return found.body, found.side, found.tail


def test_an_area_includes_the_edge_of_its_rectangle() -> None:
    area = to_area(QRect(-1920, 30, 1920, 1080))
    assert area == DesktopArea(-1920, 30, 0, 1110)
    assert (area.width, area.height) == (1920, 1080)


def test_the_screen_with_the_largest_part_of_it() -> None:
    assert nearest_screen(QRect(900, 0, 300, 100), [LEFT, RIGHT]) == RIGHT
    assert nearest_screen(QRect(850, 0, 200, 100), [LEFT, RIGHT]) == LEFT
    assert nearest_screen(QRect(-900, 0, 10, 10), [LEFT, RIGHT]) == LEFT
    assert nearest_screen(QRect(5000, 5000, 10, 10), [LEFT, RIGHT]) == RIGHT


@given(
    st.integers(-3000, 5000),
    st.integers(-3000, 3000),
    st.integers(10, 900),
    st.integers(10, 700),
)
def test_it_is_moved_onto_a_screen(x: int, y: int, width: int, height: int) -> None:
    figure = QRect(x, y, width, height)
    moved = figure.translated(offset_onto_screen(figure, [LEFT, RIGHT]))
    assert LEFT.contains(moved) or RIGHT.contains(moved)


def test_a_window_on_the_screen_is_not_moved() -> None:
    assert offset_onto_screen(QRect(10, 10, 50, 50), [LEFT]) == QPoint(0, 0)
    assert offset_onto_screen(QRect(10, 10, 50, 50), []) == QPoint(0, 0)


def test_a_very_large_figure_keeps_its_feet_on_the_ground() -> None:
    giant = QRect(0, 0, 300, 2000)
    assert giant.translated(offset_onto_screen(giant, [LEFT])).bottom() == LEFT.bottom()


def test_above_if_there_is_room() -> None:
    body, side, tail = spot(500, 400)
    assert side is TailSide.BELOW
    assert body.bottom() < 400
    assert body.left() + tail == 500 + 99


def test_beside_if_there_is_none_above() -> None:
    body, side, _ = spot(600, 20)
    assert side is TailSide.RIGHT
    assert body.right() < 600
    body, side, _ = spot(50, 20)
    assert side is TailSide.LEFT
    assert body.left() > 250


def test_below_on_a_narrow_screen() -> None:
    screen = QRect(0, 0, 320, 800)
    figure = QRect(60, 10, 200, 340)
    found = bubble_position(BUBBLE, figure, figure.center(), screen)
    assert found.side is TailSide.ABOVE
    assert found.body.top() > figure.bottom()


@given(
    st.integers(-100, 1100),
    st.integers(-100, 900),
    st.integers(60, 280),
    st.integers(40, 160),
    st.integers(300, 1000),
    st.integers(300, 800),
)
def test_the_bubble_is_always_on_the_screen(
    x: int, y: int, width: int, height: int, wide: int, tall: int
) -> None:
    figure, screen = QRect(QPoint(x, y), FIGURE), QRect(0, 0, wide, tall)
    found = bubble_position(QSize(width, height), figure, figure.center(), screen)
    assert screen.contains(found.body)
    assert found.body.size() == QSize(width, height)


def test_alone_the_bubble_is_in_the_corner() -> None:
    found = corner_position(BUBBLE, LEFT)
    assert found.side is TailSide.NONE
    assert LEFT.contains(found.body)
    assert found.body.bottomRight() == LEFT.bottomRight() - QPoint(16, 16)


def test_alone_it_avoids_the_windows() -> None:
    window = QRect(500, 300, 500, 500)
    found = corner_position(BUBBLE, LEFT, covered=[window])
    assert LEFT.contains(found.body) and not found.body.intersects(window)
    full = corner_position(BUBBLE, LEFT, covered=[LEFT])
    assert LEFT.contains(full.body) and full.body.top() == 96, "below the header of the chat"


@given(st.integers(0, 800), st.integers(0, 460))
def test_a_window_beside_it_is_on_the_screen(x: int, y: int) -> None:
    figure = QRect(QPoint(x, y), FIGURE)
    place = window_beside(QSize(300, 500), QSize(200, 200), figure, LEFT)
    assert LEFT.contains(place)
    assert place.size() == QSize(300, 500)
    assert not place.intersects(figure)


def test_a_window_beside_it_leaves_room_for_its_title_bar() -> None:
    low = QRect(0, 0, 1000, 500)
    figure = QRect(QPoint(780, 140), FIGURE)
    place = window_beside(QSize(300, 760), QSize(200, 200), figure, low)
    assert low.contains(place)
    assert place.top() >= 30
    assert not place.intersects(figure)


def test_a_window_beside_it_is_narrower_if_it_would_cover_it() -> None:
    figure = QRect(QPoint(780, 400), FIGURE)
    place = window_beside(QSize(900, 500), QSize(320, 360), figure, LEFT)
    assert LEFT.contains(place)
    assert not place.intersects(figure)
    assert place.width() > 700
    small = QRect(0, 0, 400, 800)
    place = window_beside(QSize(900, 500), QSize(320, 360), figure.translated(-600, 0), small)
    assert place.width() == 320
    assert small.contains(place)


@given(st.integers(0, 800), st.integers(0, 460), st.integers(-500, 1000))
def test_the_bubble_avoids_covered_areas_if_possible(x: int, y: int, left: int) -> None:
    figure = QRect(QPoint(x, y), FIGURE)
    mouth = figure.center() - QPoint(0, 60)
    covered = QRect(left, 0, 500, 800)
    found = bubble_position(BUBBLE, figure, mouth, LEFT, covered=[covered])
    assert LEFT.contains(found.body)
    if not covered.intersects(QRect(mouth.x() - 260, 0, 520, 800)):
        assert not found.body.intersects(covered)


@st.composite
def desktops(draw: st.DrawFn) -> tuple[QRect, QRect, QRect, QPoint]:
    """A screen anywhere, and on it a figure of any size: its box, its head and its mouth."""
    screen = QRect(
        *(draw(st.integers(-5000, 5000)) for _ in range(2)),
        draw(st.integers(320, 3840)),
        draw(st.integers(320, 2160)),
    )
    scale = draw(st.floats(0.4, 2.5))
    tall = round(340 * scale)
    wide = round(tall * draw(st.floats(0.4, 1.2)))
    left = draw(st.integers(screen.left() - wide // 2, screen.right()))
    top = draw(st.integers(screen.top() - tall // 2, screen.bottom()))
    figure = QRect(left, top, wide, tall)
    figure.translate(offset_onto_screen(figure, [screen]))
    head = QRect(
        figure.left() + round(wide * draw(st.floats(-0.05, 0.4))),
        figure.top() + round(tall * draw(st.floats(-0.05, 0.2))),
        round(wide * draw(st.floats(0.3, 0.7))),
        round(tall * draw(st.floats(0.2, 0.6))),
    )
    mouth = QPoint(head.center().x(), head.bottom() - head.height() // 4)
    return screen, figure, head, mouth


@settings(max_examples=400)
@given(desktops(), st.integers(60, 280), st.integers(40, 260), st.booleans())
def test_the_bubble_is_never_over_the_face_nor_off_the_screen(
    desktop: tuple[QRect, QRect, QRect, QPoint], width: int, height: int, covered: bool
) -> None:
    screen, figure, head, mouth = desktop
    size = QSize(width, height)
    chat = [QRect(screen.topLeft(), screen.size() / 2)] if covered else []
    found = bubble_position(size, figure, mouth, screen, gap=10, covered=chat, head=head)
    assert screen.contains(found.body)
    assert found.body.size() == size
    room = QSize(
        max(head.left() - screen.left(), screen.right() - head.right()),
        max(head.top() - screen.top(), screen.bottom() - head.bottom()),
    )
    if room.width() >= width or room.height() >= height:
        assert not found.body.intersects(head)


def test_if_it_must_cover_a_part_of_the_face_it_covers_little() -> None:
    screen, head = QRect(0, 0, 320, 320), QRect(20, 20, 290, 290)
    found = bubble_position(QSize(100, 60), head, head.center(), screen, head=head)
    assert found.side is TailSide.NONE
    assert found.body == QRect(0, 0, 100, 60)


def test_without_room_beside_the_figure_it_is_over_its_body() -> None:
    figure, screen = QRect(20, 0, 280, 400), QRect(0, 0, 320, 410)
    head = QRect(60, 0, 200, 180)
    found = bubble_position(BUBBLE, figure, QPoint(160, 150), screen, head=head)
    assert found.side is TailSide.ABOVE
    assert screen.contains(found.body)
    assert found.body.top() > head.bottom()
    left = bubble_position(
        QSize(40, 300), QRect(0, 0, 320, 410), QPoint(160, 150), screen, head=head
    )
    assert left.side in (TailSide.LEFT, TailSide.RIGHT)
    assert not left.body.intersects(head)


def test_a_further_figure_is_placed_beside_the_first_and_clear_of_all() -> None:
    small = QRect(700, 700, 70, 90)
    one = find_free_place(FIGURE, small, [], LEFT)
    assert one == QRect(470, 450, 200, 340)
    two = find_free_place(FIGURE, small, [one], LEFT)
    assert two == QRect(800, 450, 200, 340)
    three = find_free_place(FIGURE, small, [one, two], LEFT)
    assert three == QRect(240, 450, 200, 340)
    assert find_free_place(FIGURE, small, [], QRect(600, 0, 300, 800)) == one  # there is no room


@given(
    x=st.integers(0, 900),
    width=st.integers(20, 400),
    sizes=st.lists(st.integers(20, 400), max_size=5),
)
def test_no_figure_is_placed_on_another_while_there_is_room(
    x: int, width: int, sizes: list[int]
) -> None:
    wide = QRect(-10_000, 0, 20_000, 800)
    first, others = QRect(x, 500, 60, 200), [QRect(x - 100, 400, width, 300)]
    for size in sizes:
        place = find_free_place(QSize(size, 300), first, others, wide)
        assert place.bottom() == first.bottom()
        assert not any(place.intersects(one) for one in (first, *others))
        others.append(place)


@given(
    st.lists(
        st.builds(
            QRect,
            st.integers(0, 900),
            st.integers(0, 700),
            st.integers(50, 700),
            st.integers(50, 600),
        ),
        max_size=4,
    ),
    st.integers(0, 800),
    st.integers(0, 460),
)
def test_the_bubble_is_over_windows_only_without_other_room_and_never_over_a_field(
    windows: list[QRect], x: int, y: int
) -> None:
    figure = QRect(QPoint(x, y), FIGURE)
    head = QRect(figure.left() + 50, figure.top(), 100, 100)
    field = QRect(100, 700, 400, 60)
    found = bubble_position(
        BUBBLE, figure, head.center(), LEFT, covered=windows, kept=[field], head=head
    )
    assert LEFT.contains(found.body)
    assert not found.body.intersects(field), "there is room above it"
    assert not found.body.intersects(head)
    if any(found.body.intersects(one) for one in windows):
        corners = [
            QRect(QPoint(left, top), BUBBLE)
            for left in (LEFT.left(), LEFT.right() - BUBBLE.width() + 1)
            for top in (LEFT.top(), LEFT.bottom() - BUBBLE.height() + 1)
        ]
        taken = [*windows, field, figure]
        assert all(any(corner.intersects(one) for one in taken) for corner in corners)


def test_without_room_beside_the_windows_the_tail_still_points_at_the_mouth() -> None:
    figure, mouth = QRect(QPoint(400, 400), FIGURE), QPoint(500, 500)
    sides = {
        TailSide.BELOW: QRect(0, 200, 1000, 600),
        TailSide.ABOVE: QRect(0, 0, 1000, 620),
        TailSide.RIGHT: QRect(300, 0, 700, 800),
        TailSide.LEFT: QRect(0, 0, 700, 800),
    }
    for side, window in sides.items():
        found = bubble_position(BUBBLE, figure, mouth, LEFT, covered=[window])
        assert found.side is side
        assert not found.body.intersects(window)


def test_alone_the_bubble_leaves_fields_visible() -> None:
    right = QRect(600, 0, 400, 800)
    found = corner_position(BUBBLE, LEFT, covered=[LEFT], kept=[right])
    assert LEFT.contains(found.body) and not found.body.intersects(right)
    middle = QRect(0, 0, 1000, 300)
    corners = [QRect(0, 600, 1000, 200)]
    between = corner_position(BUBBLE, LEFT, covered=[middle], kept=corners)
    assert not between.body.intersects(middle) and not between.body.intersects(corners[0])
