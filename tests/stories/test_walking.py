"""The user draws the walking area, and the companion walks there until the user needs it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtTest import QTest

from neodeskpet.figure.poses import WALK_POSES
from tests.support.desk import DeskStory

Play = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


def test_it_walks_in_the_area_that_the_user_drew_and_stops_for_them(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        QCursor.setPos(5, 5)
        desk, pet, walker = (
            person.desk,
            person.desk.companion.pet,
            person.desk.figure.placement.walker,
        )
        desk.chat.window.hide()
        await pet.wait_until_loaded()
        await person.until(lambda: pet.description is not None and pet.isExposed())
        pet.placement.move_feet_to(QPoint(500, 1100))
        desk.menu.menu.actions["walk_area"].trigger()
        sheet = desk.figure.walking_area.editor
        assert sheet is not None
        await person.until(sheet.isVisible)
        assert desk.companion.bubble.is_speaking or not walker.is_walking
        right = sheet.handles[1]
        QTest.mousePress(right, LEFT, pos=right.rect().center())
        QTest.mouseMove(right, right.rect().center() - QPoint(700, 0))
        QTest.mouseRelease(right, LEFT, pos=right.rect().center())
        QTest.keyClick(right, Qt.Key.Key_Return)
        screen = QGuiApplication.primaryScreen().name()
        companion = desk.engine.settings.settings.companion
        assert companion.walk_areas == {screen: (0, 900)}
        await person.until(lambda: desk.figure.walking_area.editor is None)
        desk.companion.bubble.clear()
        await person.until(lambda: pet.is_idle and not desk.companion.bubble.is_speaking)
        assert walker.start_walk()
        await person.until(lambda: pet.placement.feet.x() != 500, "it doesn't walk")
        assert pet.current_pose in WALK_POSES
        desk.show_chat()
        await person.until(lambda: not walker.is_walking, "it walks away from the user")
        kept = desk.engine.settings.settings.companion.positions[screen]
        assert kept == pet.placement.feet.toTuple()

    appearance = {"language": "en", "reduced_motion": "off"}
    desk_story(story, pet=True, settings={"companion": {"walk": True}, "appearance": appearance})


def test_by_default_it_stays(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        assert not desk.menu.menu.actions["walk_area"].isVisible()
        desk.engine.settings.change("companion", "walk", True)
        assert desk.menu.menu.actions["walk_area"].isVisible()

    desk_story(story)
