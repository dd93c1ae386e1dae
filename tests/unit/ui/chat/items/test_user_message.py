"""The user's message: the box fits its text, pictures are small."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.pieces import Continuation
from neodeskpet.ui.chat.items.item import Scene
from neodeskpet.ui.chat.items.user_message import MAX_WIDTH_SHARE, UserTextItem, icon_regions
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import find, move, open_view, person, spot

WIDTH = 400


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def box(scene: Scene, text: str) -> UserTextItem:
    item = UserTextItem(text, Continuation.NONE, "u")
    item.measure(scene, WIDTH)
    return item


def left(scene: Scene, item: UserTextItem) -> float:
    return item.origin(scene.style).x()


def test_it_is_as_wide_as_its_text_up_to_its_share(scene: Scene) -> None:
    short, long = box(scene, "Hi"), box(scene, "words " * 60)
    assert left(scene, short) > WIDTH * 0.8
    assert WIDTH * (1 - MAX_WIDTH_SHARE) <= left(scene, long) < WIDTH * (1 - MAX_WIDTH_SHARE) + 50
    assert short.height < long.height


def test_it_is_shown_as_written(scene: Scene) -> None:
    item = box(scene, "**a**\n# b")
    assert item.text_between(scene, 0, 99) == "**a**\n# b"


def test_its_width_is_the_same_when_it_is_painted_again(scene: Scene) -> None:
    item = box(scene, "Hello there")
    before = left(scene, item)
    scene.documents.drop(item)
    item.document(scene)
    assert left(scene, item) == before


def test_the_box_has_the_colour_of_the_user(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    place, _ = find(view, "u", UserTextItem)
    where = view.scroller.row_rect(place)
    color = view.grab().toImage().pixelColor(where.right() - 4, where.center().y())
    assert color == QColor(LIGHT.person)


def test_small_buttons_appear_at_the_mouse(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    place, item = find(view, "u", UserTextItem)
    before = view.grab().toImage()
    part = item.hit_regions(view.scene)[0]
    move(view, spot(view, place, part.rect.center().x(), part.rect.center().y()))
    assert view.scene.is_hovered(item, "message.copy")
    assert view.grab().toImage() != before


def test_icons_in_a_row() -> None:
    parts = icon_regions((("copy", "Copy"), ("edit", "Edit")), 10, 0, step=30)
    assert [part.rect.left() for part in parts] == [10, 40]
    assert [part.value for part in parts] == ["message", "edit"]
