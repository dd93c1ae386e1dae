"""At the screen's edge the companion peeks out, speaks there, and is there again after a
restart.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtTest import QTest

from tests.support.desk import DeskStory

Play = Callable[..., None]
SETTINGS = {
    "companion": {"peek": True},
    "appearance": {"language": "en", "reduced_motion": "off"},
}


async def standing(person: DeskStory) -> None:
    QCursor.setPos(5, 5)
    person.desk.chat.window.hide()
    pet = person.desk.companion.pet
    await pet.wait_until_loaded()
    await person.until(lambda: pet.description is not None and pet.isExposed(), "nobody is there")


def test_it_peeks_speaks_and_comes_back_after_a_restart(desk_story: Play) -> None:
    screen = QGuiApplication.primaryScreen().geometry()

    async def first(person: DeskStory) -> None:
        desk, pet = person.desk, person.desk.companion.pet
        await standing(person)
        pet.placement.move_feet_to(QPoint(1300, 1000))
        assert not desk.menu.menu.actions["back"].isVisible()
        desk.menu.menu.actions["aside"].trigger()
        await person.until(lambda: pet.position() == pet.placement.window_corner(), "it doesn't go")
        assert pet.placement.head_rect().left() < screen.right() < pet.placement.head_rect().right()
        desk.companion.presenter.show_notice("I am still here.")
        await person.until(desk.companion.bubble.isVisible)
        assert screen.contains(desk.companion.bubble.geometry().adjusted(14, 14, -14, -14))
        kept = desk.engine.settings.settings.companion
        assert kept.aside == ("right", screen.right() + 1, 1000)
        assert list(kept.positions.values()) == [(1300, 1000)]

    async def second(person: DeskStory) -> None:
        desk, pet = person.desk, person.desk.companion.pet
        await standing(person)
        await person.until(
            lambda: pet.position() == pet.placement.window_corner(), "it stands elsewhere"
        )
        assert pet.placement.figure_rect().right() > screen.right(), "it peeks again"
        head = pet.placement.head_rect()
        seen = QPoint((head.left() + screen.right()) // 2, head.center().y())
        QTest.mouseClick(pet, Qt.MouseButton.LeftButton, pos=seen - pet.position())
        await person.until(lambda: pet.placement.figure_rect().right() <= screen.right())
        await person.until(lambda: pet.position() == pet.placement.window_corner())
        assert pet.placement.feet == QPoint(1300, 1000)
        assert desk.engine.settings.settings.companion.aside is None
        assert desk.menu.menu.actions["aside"].isVisible()

    desk_story(first, pet=True, settings=SETTINGS)
    desk_story(second, pet=True)


def test_by_default_nothing_moves_it_aside(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        actions = person.desk.menu.menu.actions
        assert not actions["aside"].isVisible()
        assert not actions["back"].isVisible()

    desk_story(story)
