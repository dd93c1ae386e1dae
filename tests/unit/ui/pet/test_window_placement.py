from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QRasterWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.figure.behaviour.free_place import OwnWindow
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.ui.pet.screen_geometry import to_area
from neodeskpet.ui.pet.window_placement import FigureShape, WindowPlacement
from tests.unit.ui.pet.conftest import Theatre, heard, middle

LEFT = Qt.MouseButton.LeftButton


def test_the_figure_has_the_right_height(theatre: Theatre) -> None:
    pet = theatre.pet
    assert abs(pet.placement.figure_rect().height() - 340) <= 3
    assert pet.placement.figure_rect().contains(pet.placement.mouth_point())
    assert pet.placement.head_rect().contains(pet.placement.mouth_point())
    window = pet.geometry()
    assert window.contains(pet.placement.figure_rect())


def test_the_mouth_is_where_the_face_is_now(theatre: Theatre) -> None:
    stand = theatre.pet.placement
    rest, mouth, size = stand.head_rect(), stand.mouth_point(), theatre.pet.size()
    head = PixelBox(
        (rest.left() - theatre.pet.x()) / size.width(),
        (rest.top() - theatre.pet.y()) / size.height(),
        (rest.right() + 1 - theatre.pet.x()) / size.width(),
        (rest.bottom() + 1 - theatre.pet.y()) / size.height(),
    )
    assert not stand.set_face(head), "it hasn't moved"
    low = PixelBox(head.left, head.top + 0.2, head.right, head.bottom + 0.2)
    assert stand.set_face(low)
    down = stand.mouth_point() - mouth
    assert abs(down.x()) <= 1
    assert abs(down.y() - 0.2 * size.height()) <= 2
    assert stand.face_rect().contains(stand.mouth_point())
    assert stand.head_rect() == rest
    assert stand.set_face(head)
    assert (stand.mouth_point() - mouth).manhattanLength() <= 2


def test_windows_beside_the_figure_are_known(theatre: Theatre) -> None:
    pet = theatre.pet
    drawn, figure = pet.geometry(), pet.placement.figure_rect()
    assert not pet.placement.has_window_beside()
    beside = QRect(drawn.left() - 300, figure.top(), 300 + figure.left() - drawn.left(), 200)
    pet.placement.set_own_windows((OwnWindow(to_area(beside)),))
    theatre.until(pet.placement.has_window_beside)
    far = beside.translated(-600, 0)
    pet.placement.set_own_windows((OwnWindow(to_area(far)),))
    theatre.until(lambda: not pet.placement.has_window_beside())
    pet.placement.set_own_windows(())


def test_it_stays_on_the_screen(theatre: Theatre) -> None:
    pet = theatre.pet
    area = QGuiApplication.primaryScreen().availableGeometry()
    for feet in (QPoint(-500, -500), QPoint(9999, 9999)):
        pet.placement.move_feet_to(feet)
        theatre.wait(0.05)
        theatre.until(lambda: area.contains(pet.placement.figure_rect()))


@pytest.mark.parametrize("aspect", [0.8, 4.0])
def test_a_figure_larger_than_the_screen_is_shown_smaller(
    qapp: QApplication, aspect: float
) -> None:
    area = QGuiApplication.primaryScreen().availableGeometry()
    window = QRasterWindow()
    stand = WindowPlacement(window)
    whole = PixelBox(0.0, 0.0, 1.0, 1.0)
    stand.set_shape(FigureShape(whole, PixelBox(0.2, 0.0, 0.8, 0.5), (0.5, 0.4), aspect, size=4.0))
    stand.choose_position()
    stand.set_scale(2.0)
    assert stand.scale == 2.0, "the setting stays"
    assert stand.shown_scale < 2.0
    assert area.contains(stand.figure_rect())
    stand.set_scale(0.5)
    stand.set_shape(FigureShape(whole, PixelBox(0.2, 0.0, 0.8, 0.5), (0.5, 0.4), 0.8))
    assert stand.shown_scale == 0.5
    window.destroy()


def test_dragging_moves_it_and_reports_the_place(theatre: Theatre) -> None:
    pet = theatre.pet
    placed, touched = heard(pet.placement.placed), heard(pet.touched)
    start, grip = pet.position(), middle(pet)
    QTest.mousePress(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    # The window moves with the pointer, so the pointer's place in it stays.
    QTest.mouseMove(pet, grip + QPoint(60, -40))
    theatre.until(lambda: pet.position() != start)
    QTest.mouseRelease(pet, LEFT, Qt.KeyboardModifier.NoModifier, grip)
    assert placed
    screen, feet = placed[0]
    assert screen == QGuiApplication.primaryScreen().name()
    assert abs(feet.x() - pet.placement.figure_rect().center().x()) <= 1
    assert not touched
