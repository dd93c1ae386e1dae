from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor

from tests.unit.ui.pet.conftest import Theatre

LEFT = Qt.MouseButton.LeftButton


def test_hidden_no_clock_runs(theatre: Theatre) -> None:
    pet = theatre.pet
    theatre.until(lambda: pet.frames.running)
    pet.hide()
    theatre.wait(0.05)
    assert not pet.frames.running
    pet.express(pet.expressions()[0])
    assert not pet.frames.running
    pet.show()
    theatre.until(lambda: pet.frames.running)


def test_at_rest_it_draws_seldom(theatre: Theatre) -> None:
    QCursor.setPos(5, 5)
    theatre.until(lambda: theatre.pet.frames.per_second() == 12.0)
