"""The celebration over the whole picture of the figure."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.pet.celebration import CELEBRATION_SECONDS, paint_celebration
from neodeskpet.ui.theme import DARK, LIGHT, Theme
from tests.unit.ui.pet.conftest import Theatre

SIZE = QSize(200, 260)
FIGURE = QRectF(50, 40, 100, 200)


def paint(theme: Theme, passed: float) -> QImage:
    image = QImage(SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    with QPainter(image) as painter:
        painter.fillRect(FIGURE, QColor("#884422"))
        paint_celebration(painter, SIZE, FIGURE, passed, theme)
    return image


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_colours_the_figure_and_moves(qapp: QApplication, theme: Theme) -> None:
    plain, early, late = (paint(theme, at) for at in (-1.0, 0.6, 1.2))
    assert early != plain
    assert early != late
    for x, y in ((60, 60), (140, 230), (100, 140)):
        assert early.pixelColor(x, y) != plain.pixelColor(x, y), "every part has the light"


def test_the_light_stays_on_the_figure(qapp: QApplication) -> None:
    image = paint(LIGHT, 0.6)
    assert [image.pixelColor(x, y).alpha() for x, y in ((2, 2), (197, 2), (197, 257))] == [0] * 3


def test_it_ends(qapp: QApplication) -> None:
    assert CELEBRATION_SECONDS <= 2.0
    assert paint(LIGHT, CELEBRATION_SECONDS) == paint(LIGHT, -1.0)


def test_it_is_shown_at_most_once_an_hour_and_not_in_quiet_mode(theatre: Theatre) -> None:
    pet = theatre.pet
    pet.set_quiet(True)
    assert not pet.celebrate()
    pet.set_quiet(False)
    pet.set_reduced_motion(True)
    assert not pet.celebrate()
    pet.set_reduced_motion(False)
    assert pet.celebrate()
    assert not pet.celebrate()
    theatre.later(3000)
    assert not pet.celebrate()
    theatre.later(700)
    pet.express("excited")
    assert not pet.celebrate(), "great news started one"
