from __future__ import annotations

from PySide6.QtCore import Qt

from tests.unit.ui.pet.conftest import Theatre, middle

LEFT = Qt.MouseButton.LeftButton


def test_the_picture_shows_the_figure_on_nothing(theatre: Theatre) -> None:
    image = theatre.pet.snapshot()
    assert image.hasAlphaChannel()
    assert image.pixelColor(0, 0).alpha() == 0
    head = middle(theatre.pet)
    assert image.pixelColor(head).alpha() == 255
    assert theatre.pet.snapshot(100).height() == 100


def test_the_portrait_is_the_head(theatre: Theatre) -> None:
    portrait = theatre.pet.portrait(64)
    assert portrait.width() == portrait.height() == round(64 * portrait.devicePixelRatio())
    image = portrait.toImage()
    assert image.pixelColor(32, 40).alpha() == 255
