"""Dragging and throwing the companion's window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.figure.behaviour.handling import Handling
from neodeskpet.figure.poses import Pose
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.window_placement import MAX_SCALE, MIN_SCALE
from tests.unit.ui.pet.conftest import Theatre, heard, middle

LEFT = Qt.MouseButton.LeftButton


def test_clicks_beside_the_figure_go_to_the_window_below(theatre: Theatre) -> None:
    pet = theatre.pet
    through = Qt.WindowType.WindowTransparentForInput
    QCursor.setPos(pet.placement.head_rect().center())
    theatre.until(lambda: not pet.flags() & through)
    QCursor.setPos(pet.geometry().topLeft() + QPoint(2, 2))
    theatre.until(lambda: bool(pet.flags() & through))
    QCursor.setPos(pet.placement.head_rect().center())
    theatre.until(lambda: not pet.flags() & through)
    pet.set_click_through(True)
    assert pet.flags() & through
    pet.set_click_through(False)
    QCursor.setPos(5, 5)


def test_the_other_buttons(theatre: Theatre) -> None:
    pet = theatre.pet
    chat, menu = heard(pet.chat_requested), heard(pet.menu_requested)
    where = middle(pet)
    QTest.mouseDClick(pet, LEFT, Qt.KeyboardModifier.NoModifier, where)
    QTest.mouseClick(pet, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, where)
    assert len(chat) == 1
    assert menu == [(pet.position() + where,)]


def wheel(
    pet: PetWindow,
    steps: int,
    key: Qt.KeyboardModifier = Qt.KeyboardModifier.ControlModifier,
) -> None:
    event = QWheelEvent(
        QPointF(50, 50),
        QPointF(pet.position() + QPoint(50, 50)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        key,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(pet, event)


def test_the_wheel_scales_and_the_feet_stay(theatre: Theatre) -> None:
    pet = theatre.pet
    scaled = heard(pet.scaled)
    feet = pet.placement.figure_rect().bottom()
    wheel(pet, 2)
    theatre.until(lambda: scaled and pet.placement.scale > 1.1)
    assert abs(pet.placement.figure_rect().bottom() - feet) <= 2
    wheel(pet, -100)
    assert pet.placement.scale == MIN_SCALE
    wheel(pet, 200)
    assert pet.placement.scale == MAX_SCALE


def test_the_wheel_without_ctrl_keeps_its_size(theatre: Theatre) -> None:
    scaled = heard(theatre.pet.scaled)
    wheel(theatre.pet, 3, Qt.KeyboardModifier.NoModifier)
    wheel(theatre.pet, 3, Qt.KeyboardModifier.ShiftModifier)
    assert theatre.pet.placement.scale == 1.0
    assert not scaled


def test_a_long_hold_is_noticed_and_is_no_touch(theatre: Theatre) -> None:
    pet = theatre.pet
    touched = heard(pet.touched)
    pet.pose(Pose.IDLE)

    def calm() -> bool:
        theatre.later(0.2)  # it may react to an earlier touch for some seconds
        return theatre.face != "shy"

    theatre.until(calm)
    where = middle(pet)
    QTest.mousePress(pet, LEFT, Qt.KeyboardModifier.NoModifier, where)
    theatre.later(Handling.HOLD)
    QTest.mouseRelease(pet, LEFT, Qt.KeyboardModifier.NoModifier, where)
    theatre.until(lambda: theatre.face == "shy")
    assert not touched
    pet.pose(Pose.IDLE)


def test_the_pointer_strokes_the_head_without_a_button(theatre: Theatre) -> None:
    pet = theatre.pet
    stroked, touched = heard(pet.stroked), heard(pet.touched)
    pet.pose(Pose.IDLE)
    theatre.later(10.0)
    where = middle(pet)
    for step in range(30):
        theatre.later(0.05)
        side = 15 if step % 2 else -15
        QTest.mouseMove(pet, where + QPoint(side, 0))
        theatre.wait(0.0)
    assert len(stroked) == 1 and not touched
    assert pet.cursor().shape() is Qt.CursorShape.OpenHandCursor
    QTest.mouseMove(pet, QPoint(2, 2))
    theatre.wait(0.0)
    assert pet.cursor().shape() is Qt.CursorShape.ArrowCursor
    QCursor.setPos(5, 5)
