"""What the person sent: the box fits its words, pictures are small."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPixmap
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image
from neodeskpet.ui.chat.items import Scene
from neodeskpet.ui.chat.person import SHARE, ImageItem, PersonItem, icon_parts
from neodeskpet.ui.chat.pieces import Joint
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import find, move, open_view, person, spot

WIDTH = 400


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def box(scene: Scene, text: str) -> PersonItem:
    item = PersonItem(text, Joint.NONE, "u")
    item.measure(scene, WIDTH)
    return item


def left(scene: Scene, item: PersonItem) -> float:
    return item.origin(scene.look).x()


def test_it_is_as_wide_as_its_words_but_not_wider_than_its_share(scene: Scene) -> None:
    short, long = box(scene, "Hi"), box(scene, "words " * 60)
    assert left(scene, short) > WIDTH * 0.8
    assert WIDTH * (1 - SHARE) <= left(scene, long) < WIDTH * (1 - SHARE) + 50
    assert short.height < long.height


def test_it_is_shown_as_written(scene: Scene) -> None:
    item = box(scene, "**a**\n# b")
    assert item.text_between(scene, 0, 99) == "**a**\n# b"


def test_its_width_holds_when_it_is_painted_again(scene: Scene) -> None:
    item = box(scene, "Hello there")
    before = left(scene, item)
    scene.documents.drop(item)
    item.document(scene)
    assert left(scene, item) == before


def test_the_box_has_the_persons_colour(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    place, _ = find(view, "u", PersonItem)
    where = view.box_of(place)
    color = view.grab().toImage().pixelColor(where.right() - 4, where.center().y())
    assert color == QColor(LIGHT.person)


def test_small_buttons_show_when_the_mouse_is_there(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    place, item = find(view, "u", PersonItem)
    before = view.grab().toImage()
    part = item.parts(view.scene)[0]
    move(view, spot(view, place, part.rect.center().x(), part.rect.center().y()))
    assert view.scene.is_hovered(item, "message.copy")
    assert view.grab().toImage() != before


def test_icons_in_a_row() -> None:
    parts = icon_parts((("copy", "Copy"), ("edit", "Edit")), 10, 0, step=30)
    assert [part.rect.left() for part in parts] == [10, 40]
    assert [part.value for part in parts] == ["message", "edit"]


class TestPictures:
    def test_a_picture_is_made_small(self, scene: Scene) -> None:
        picture = QPixmap(1800, 900)
        scene.picture = lambda digest: picture if digest == "d" else None
        item = ImageItem(Image(0, 0, "d", "image/png"))
        assert item.estimate(scene, WIDTH) == item.measure(scene, WIDTH) == 90

    def test_without_the_file_there_is_its_name(self, scene: Scene) -> None:
        item = ImageItem(Image(0, 0, "gone", "image/png", "cat.png"))
        assert item.measure(scene, WIDTH) == LIGHT.card_height
        assert item.spoken == "Picture cat.png"

    def test_both_paint(self, qtbot: QtBot) -> None:
        picture = QPixmap(100, 100)
        picture.fill(QColor("#FF0000"))
        view = open_view(qtbot)
        view.set_picture_of(lambda digest: picture if digest == "d" else None)
        images = [Image(1, 0, "d", "image/png"), Image(2, 0, "gone", "image/png", "cat.png")]
        view.add_message(person("u", "Look", *images))
        image = view.grab().toImage()
        for number, color in ((0, "#ff0000"), (1, LIGHT.person.lower())):
            place, _ = find(view, "u", ImageItem, number)
            inside = view.box_of(place).topRight() + QPointF(-6, 12).toPoint()
            assert image.pixelColor(inside).name() == color
