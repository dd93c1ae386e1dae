from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.figure.files.figure_settings import FigureSettings, HitAreaSettings
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.settings.figure.touch_area_editor import TouchAreaEditor, moved_box
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.model_doubles import Models

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def editor(qtbot: QtBot, tmp_path: Path, qapp: QApplication) -> TouchAreaEditor:
    made = TouchAreaEditor(LIGHT)
    qtbot.addWidget(made)
    made.show_side(FigureSettings())
    made.canvas.set_picture(QImage(str(Models(tmp_path)._file)))
    made.head.click()
    return made


def drag(editor: TouchAreaEditor, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Points in shares of the figure."""
    figure = editor.canvas._figure_rect()

    def at(x: float, y: float) -> QPoint:
        return QPoint(
            round(figure.left() + x * figure.width()), round(figure.top() + y * figure.height())
        )

    QTest.mousePress(editor.canvas, LEFT, pos=at(*start))
    QTest.mouseMove(editor.canvas, at(*end))
    editor.canvas.grab()
    QTest.mouseRelease(editor.canvas, LEFT, pos=at(*end))


def test_a_box_is_drawn_over_the_figure(editor: TouchAreaEditor) -> None:
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    drag(editor, (0.75, 0.5), (0.25, 0.0))
    (area,) = told[-1].areas
    assert area.name == "Head"
    assert area.box == pytest.approx((0.25, 0.0, 0.75, 0.5), abs=0.02)
    editor.show_side(told[-1])
    editor.name.set_value("Tail")
    drag(editor, (0.5, 0.5), (3.0, 3.0))
    head, tail = told[-1].areas
    assert (head.name, tail.name) == ("Head", "Tail")
    assert tail.box == pytest.approx((0.5, 0.5, 1.0, 1.0), abs=0.02)


def test_a_box_is_made_with_the_keys(editor: TouchAreaEditor) -> None:
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    before = editor.canvas.grab().toImage()
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(editor.canvas, Qt.Key.Key_Down)
    assert editor.canvas.grab().toImage() != before
    QTest.keyClick(editor.canvas, Qt.Key.Key_Left)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Down, shift)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    (area,) = told[-1].areas
    assert area.box == pytest.approx((0.25, 0.0, 0.65, 0.35))
    QTest.keyClick(editor.canvas, Qt.Key.Key_Up)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Escape)
    QTest.keyClick(editor.canvas, Qt.Key.Key_Return)
    assert len(told) == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-0.05, 0.0, 0.05]), st.sampled_from([-0.05, 0.05]), st.booleans()
        )
    )
)
def test_a_box_stays_on_the_figure(moves: list[tuple[float, float, bool]]) -> None:
    box = PixelBox(0.3, 0.0, 0.7, 0.3)
    for dx, dy, sizing in moves:
        box = moved_box(box, dx, dy, sizing=sizing)
    assert -1e-9 <= box.left < box.right <= 1.0 + 1e-9
    assert -1e-9 <= box.top < box.bottom <= 1.0 + 1e-9


def test_the_same_name_again_replaces(editor: TouchAreaEditor) -> None:
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    editor.show_side(
        FigureSettings(areas=(HitAreaSettings(name="Head", box=(0.0, 0.0, 1.0, 1.0)),))
    )
    drag(editor, (0.1, 0.1), (0.4, 0.4))
    assert len(told[-1].areas) == 1
    editor.clear.click()
    assert told[-1].areas == ()


def test_an_accidental_click_draws_nothing(editor: TouchAreaEditor) -> None:
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    drag(editor, (0.5, 0.5), (0.505, 0.505))
    assert told == []


def test_drawn_boxes_are_visible(editor: TouchAreaEditor) -> None:
    before = editor.canvas.grab().toImage()
    editor.show_side(
        FigureSettings(areas=(HitAreaSettings(name="Head", box=(0.2, 0.2, 0.8, 0.8)),))
    )
    assert editor.canvas.grab().toImage() != before
    editor.set_theme(DARK)
    editor.retranslate()
    editor.show_side(None)
    assert editor.isHidden()


def test_without_a_picture_nothing_is_drawn(qtbot: QtBot) -> None:
    editor = TouchAreaEditor(LIGHT)
    qtbot.addWidget(editor)
    editor.show_side(FigureSettings(areas=(HitAreaSettings(name="Nose", mesh="M"),)))
    told: list[FigureSettings] = []
    editor.noted.connect(told.append)
    drag(editor, (0.1, 0.1), (0.9, 0.9))
    assert told == []
