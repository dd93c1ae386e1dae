from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.unit.ui.pet.conftest import Theatre, heard, middle

LEFT = Qt.MouseButton.LeftButton


def test_the_figure_has_the_right_height(theatre: Theatre) -> None:
    pet = theatre.pet
    assert abs(pet.placement.figure_rect().height() - 340) <= 3
    assert pet.placement.figure_rect().contains(pet.placement.mouth_point())
    assert pet.placement.head_rect().contains(pet.placement.mouth_point())
    window = pet.geometry()
    assert window.contains(pet.placement.figure_rect())


def test_it_stays_on_the_screen(theatre: Theatre) -> None:
    pet = theatre.pet
    area = QGuiApplication.primaryScreen().availableGeometry()
    for feet in (QPoint(-500, -500), QPoint(9999, 9999)):
        pet.placement.move_feet_to(feet)
        theatre.wait(0.05)
        theatre.until(lambda: area.contains(pet.placement.figure_rect()))


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
