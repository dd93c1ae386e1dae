from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter

from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.pet.live2d_figure import find_face
from tests.unit.ui.pet.conftest import Theatre, middle

LEFT = Qt.MouseButton.LeftButton


def test_the_picture_shows_the_figure_on_a_transparent_ground(theatre: Theatre) -> None:
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


def test_the_portrait_is_the_head_also_of_one_that_lies(theatre: Theatre) -> None:
    def top() -> float:
        figure = opaque_bounds(theatre.pet.snapshot(200))
        assert figure is not None
        return figure.top

    upright = top()
    before = drawn_share(theatre)
    theatre.pet.play("Lie")
    theatre.until(lambda: top() > upright + 30)
    assert drawn_share(theatre) > before * 0.8


def drawn_share(theatre: Theatre) -> float:
    """Return how much of its portrait isn't transparent."""
    picture = theatre.pet.portrait(32).toImage()
    places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
    return sum(picture.pixelColor(x, y).alpha() > 0 for x, y in places) / len(places)


def test_the_face_in_a_picture_is_the_uppermost_part() -> None:
    picture = QImage(200, 300, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    assert find_face(picture).isNull(), "it is empty"
    with QPainter(picture) as painter:
        painter.fillRect(80, 20, 60, 80, Qt.GlobalColor.red)
        painter.fillRect(20, 100, 180, 180, Qt.GlobalColor.blue)
    face = find_face(picture)
    assert face.width() == face.height() == 75
    assert face.pixelColor(face.rect().center()) == QColor(Qt.GlobalColor.red)
    assert face.pixelColor(2, 2).alpha() == 0, "transparent pixels beside it"
