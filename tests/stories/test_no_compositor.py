"""A desktop without a compositor (such as the virtual one) shows no black boxes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from tests.support.desk import DeskStory

Play = Callable[..., None]
GROUND = QColor("#3366cc")


def screen_picture() -> QImage:
    return QGuiApplication.primaryScreen().grabWindow(0).toImage()


def ground_under(window_corners: list[QPoint]) -> bool:
    picture = screen_picture()
    return all(picture.pixelColor(corner) == GROUND for corner in window_corners)


def test_figure_and_bubble_are_cut_to_their_shape(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        ground = QWidget()
        ground.setStyleSheet(f"background: {GROUND.name()}")
        ground.setGeometry(QGuiApplication.primaryScreen().geometry())
        ground.show()
        desk.companion.pet.raise_()
        await desk.companion.pet.wait_until_loaded()
        await person.until(
            lambda: desk.companion.pet.description is not None and desk.companion.pet.isExposed()
        )
        desk.companion.presenter.ask("tea", "Tea is ready", (("done", "Done"),))
        desk.companion.bubble.raise_()
        pet, bubble = desk.companion.pet.geometry(), desk.companion.bubble.geometry()
        corners = [pet.topLeft() + QPoint(3, 3), bubble.topLeft(), bubble.bottomRight()]
        await person.until(lambda: ground_under(corners), "something black stands there")
        face = desk.companion.pet.placement.head_rect().center()
        assert screen_picture().pixelColor(face) != GROUND
        desk.companion.presenter.withdraw("tea")
        ground.close()
        ground.deleteLater()

    desk_story(story, pet=True)


def test_it_is_reported_once(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        await person.desk.engine.storage.store.set_state("seen", "0")
        person.desk.engine.settings.change("companion", "quiet", True)
        await person.desk.welcome.greet()
        assert "has no compositor" in person.desk.companion.bubble.page_text

    async def second(person: DeskStory) -> None:
        await person.desk.welcome.greet()
        assert not person.desk.companion.bubble.is_speaking

    desk_story(first)
    desk_story(second)
