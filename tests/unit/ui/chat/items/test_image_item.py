"""A picture of the user: small, opened by a press, with its description below."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image
from neodeskpet.ui.chat.items.image_item import MAX_SIDE, ImageItem
from neodeskpet.ui.chat.items.item import ItemAction, Scene
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import find, open_view, person

WIDTH = 400
WORDS = "a cat on a mat, and a great many other things that don't fit on one line " * 4


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def test_a_picture_is_scaled_down(scene: Scene) -> None:
    picture = QPixmap(1800, 900)
    scene.picture = lambda digest: picture if digest == "d" else None
    item = ImageItem(Image(0, 0, "d", "image/png"))
    assert item.estimate(scene, WIDTH) == item.measure(scene, WIDTH) == MAX_SIDE // 2


def test_it_keeps_its_size_when_the_cache_dropped_it(scene: Scene) -> None:
    picture = QPixmap(100, 80)
    scene.picture = lambda digest: picture
    item = ImageItem(Image(0, 0, "d", "image/png"))
    item.measure(scene, WIDTH)
    scene.picture = lambda digest: None
    assert item.measure(scene, WIDTH) == 80


def test_without_the_file_its_name_is_shown(scene: Scene) -> None:
    item = ImageItem(Image(0, 0, "gone", "image/png", "cat.png"))
    assert item.measure(scene, WIDTH) == LIGHT.card_height
    assert item.accessible_text == "Picture cat.png"


def test_its_description_is_one_line_and_opens(scene: Scene) -> None:
    plain = ImageItem(Image(0, 0, "d", "image/png"))
    item = ImageItem(Image(0, 0, "d", "image/png", description=WORDS))
    closed = item.measure(scene, WIDTH)
    assert plain.measure(scene, WIDTH) < closed
    assert [(p.action, p.opened) for p in item.hit_regions(scene)] == [
        (ItemAction.SHOW, None), (ItemAction.TOGGLE, False),
    ]  # fmt: skip
    item.opened = True
    assert item.measure(scene, WIDTH) > closed + LIGHT.small_px * 3
    assert WORDS.strip() in item.accessible_text


def test_a_quoted_picture_is_marked(scene: Scene) -> None:
    item = ImageItem(Image(0, 0, "d", "image/png", quoted=True))
    plain = ImageItem(Image(0, 0, "d", "image/png"))
    assert item.measure(scene, WIDTH) > plain.measure(scene, WIDTH)


def test_all_forms_paint(qtbot: QtBot) -> None:
    picture = QPixmap(100, 100)
    picture.fill(QColor("#FF0000"))
    view = open_view(qtbot)
    view.set_picture_source(lambda digest: picture if digest == "d" else None)
    images = [
        Image(1, 0, "d", "image/png", description=WORDS),
        Image(2, 0, "gone", "image/png", "cat.png", quoted=True),
    ]
    view.add_message(person("u", "Look", *images))
    image = view.grab().toImage()
    for number, color in ((0, "#ff0000"), (1, LIGHT.person.lower())):
        place, _ = find(view, "u", ImageItem, number)
        inside = view.scroller.row_rect(place).topRight() + QPointF(-6, 12).toPoint()
        assert image.pixelColor(inside).name() == color


def test_a_press_shows_it_large_and_the_line_opens(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.add_message(person("u", "Look", Image(1, 0, "d", "image/png", description=WORDS)))
    place, item = find(view, "u", ImageItem, 0)
    asked: list[Image] = []
    view.picture_requested.connect(asked.append)
    for part in item.hit_regions(view.scene):
        spot = part.rect.center().toPoint() + view.scroller.row_rect(place).topLeft()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert [image.digest for image in asked] == ["d"]
    assert isinstance(item, ImageItem)
    assert item.opened
    view.grab()
