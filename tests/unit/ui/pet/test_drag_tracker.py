from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF

from neodeskpet.ui.pet.drag_tracker import DragTracker


def test_a_press_without_movement_is_a_touch() -> None:
    grip = DragTracker(10)
    assert not grip.is_pressed
    grip.press(QPointF(100, 100), QPoint(50, 50), 0.0)
    assert grip.is_pressed
    assert grip.move(QPointF(104, 103), 0.1) is None
    assert not grip.is_dragging
    assert grip.release()
    assert not grip.is_pressed


def test_a_press_with_movement_is_a_drag() -> None:
    grip = DragTracker(10)
    grip.press(QPointF(100, 100), QPoint(50, 50), 0.0)
    assert grip.move(QPointF(120, 90), 0.1) == (QPoint(70, 40), 200.0, True)
    assert grip.move(QPointF(120, 90), 0.2) == (QPoint(70, 40), 0.0, False)
    assert grip.is_dragging
    assert not grip.release()


def test_moves_without_a_press_are_ignored() -> None:
    grip = DragTracker(10)
    assert grip.move(QPointF(1, 1), 0.0) is None
    assert not grip.release()


def test_the_speed_at_the_release() -> None:
    grip = DragTracker(10)
    assert grip.velocity(0.0) == QPointF()
    grip.press(QPointF(0, 0), QPoint(0, 0), 0.0)
    for step in range(1, 6):
        grip.move(QPointF(20 * step, -10 * step), 0.02 * step)
    assert grip.velocity(0.1) == QPointF(1000, -500)
    assert grip.velocity(0.5) == QPointF(), "it has come to rest"
