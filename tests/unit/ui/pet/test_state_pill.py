"""The pill at the figure's feet: its place, its words, its outline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from neodeskpet.figure.figure_state import FOCUS_STEPS, LEVELS, FigureState, FigureStateKind
from neodeskpet.ui.pet.state_pill import HEIGHT, MAX_WIDTH, StatePill, pill_area
from neodeskpet.ui.theme import DARK, LIGHT

SCREEN = QRect(-1600, 20, 1600, 960)
NUMBERS = st.integers(-4000, 4000)
LENGTHS = st.integers(1, 2000)


@given(NUMBERS, NUMBERS, LENGTHS, LENGTHS, st.integers(1, MAX_WIDTH))
def test_it_is_completely_on_the_screen(x: int, y: int, width: int, height: int, pill: int) -> None:
    size = QSize(pill, HEIGHT)
    assert SCREEN.contains(pill_area(QRect(x, y, width, height), size, SCREEN))


def test_it_is_below_the_feet_or_beside_them() -> None:
    size = QSize(100, HEIGHT)
    figure = QRect(-1000, 300, 200, 400)
    below = pill_area(figure, size, SCREEN)
    assert below.top() - figure.bottom() - 1 == 8
    assert abs(below.center().x() - figure.center().x()) <= 1
    for left in (-1000, -200):
        low = QRect(left, 580, 200, 400)
        beside = pill_area(low, size, SCREEN)
        assert beside.bottom() == SCREEN.bottom()
        assert not beside.intersects(low)


def test_it_is_beside_or_over_the_feet_where_a_window_is() -> None:
    size = QSize(100, HEIGHT)
    figure = QRect(-1000, 300, 200, 400)
    window = QRect(-1100, 705, 400, 200)
    beside = pill_area(figure, size, SCREEN, [window])
    assert not beside.intersects(window)
    assert not beside.intersects(figure)
    around = [window, QRect(-1500, 100, 490, 800), QRect(-790, 100, 400, 800)]
    over = pill_area(figure, size, SCREEN, around)
    assert figure.contains(over)
    everywhere = pill_area(figure, size, SCREEN, [SCREEN])
    assert everywhere.top() > figure.bottom()


def test_it_is_narrower_between_windows(qtbot: QtBot) -> None:
    figure = QRect(-1600, 700, 150, 280)
    window = QRect(-1460, 100, 900, 880)
    pill = StatePill(LIGHT)
    qtbot.addWidget(pill)
    pill.set_state(FigureState(FigureStateKind.ASKING, "Delete the note about the bicycle?"))
    full = pill.full_size
    assert full.width() == MAX_WIDTH
    area = pill_area(figure, full, SCREEN, [window])
    assert not area.intersects(window)
    assert SCREEN.contains(area)
    pill.place(area)
    assert pill.geometry() == area
    assert area.width() == 140
    free = pill_area(figure.translated(600, -300), pill.full_size, SCREEN)
    pill.place(free)
    assert pill.width() == MAX_WIDTH


@pytest.mark.parametrize("kind", FigureStateKind)
@pytest.mark.parametrize("width", [38, 60, MAX_WIDTH])
def test_it_is_painted_at_every_width(qtbot: QtBot, kind: FigureStateKind, width: int) -> None:
    pill = StatePill(LIGHT)
    qtbot.addWidget(pill)
    pill.set_state(FigureState(kind, "Delete the note?" * 20, 3))
    pill.place(QRect(0, 0, width, HEIGHT))
    assert pill.width() <= width
    assert len(set(pill.grab().toImage().constBits())) > 3


@pytest.mark.parametrize("kind", FigureStateKind)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_shows_its_words(qtbot: QtBot, kind: FigureStateKind, theme: object) -> None:
    pill = StatePill(LIGHT)
    qtbot.addWidget(pill)
    pill.set_theme(theme)  # type: ignore[arg-type]
    pill.set_state(FigureState(kind, "Delete the note?" * 20))
    names = {
        FigureStateKind.LISTENING: "Listening",
        FigureStateKind.FOCUS: "Focus",
        FigureStateKind.BREAK: "Break",
    }
    assert pill.accessibleName() == names.get(kind, "Delete the note?" * 20)
    assert pill.height() == HEIGHT
    assert pill.width() <= MAX_WIDTH
    assert pill.kind is kind
    assert len(set(pill.grab().toImage().constBits())) > 3
    pill.set_shape_mask(True)
    assert not pill.mask().isEmpty()
    pill.set_shape_mask(False)
    assert pill.mask().isEmpty()
    with qtbot.waitSignal(pill.clicked):
        qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)


def test_its_bars_follow_the_loudness(qtbot: QtBot) -> None:
    pill = StatePill(LIGHT)
    qtbot.addWidget(pill)
    painted = []
    for level in range(LEVELS + 1):
        pill.set_state(FigureState(FigureStateKind.LISTENING, "0:03", level))
        picture = pill.grab().toImage()
        points = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
        painted.append(sum(picture.pixelColor(x, y) == QColor(LIGHT.accent) for x, y in points))
    assert painted == sorted(painted) and painted[0] < painted[-1]
    assert pill.accessibleName() == "Listening", "the seconds aren't read out"


def test_the_ring_of_a_focus_session_gets_shorter(qtbot: QtBot) -> None:
    pill = StatePill(LIGHT)
    qtbot.addWidget(pill)
    accent, seen = QColor(LIGHT.accent), []
    for level in (FOCUS_STEPS, FOCUS_STEPS // 3):
        pill.set_state(
            FigureState(FigureStateKind.FOCUS, "12 min", level, "Focus until 15:20\n2 sessions")
        )
        image = pill.grab().toImage()
        dots = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        seen.append(dots.count(accent))
    assert seen[0] > 2 * seen[1] > 0
    assert "2 sessions" in pill.toolTip()
    assert "Click to open Today." in pill.toolTip()
