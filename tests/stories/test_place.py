"""The companion among windows of another program: it stands on one, moves with it, and falls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.support.desk import DeskStory
from tests.support.xwindows import XWindows

Play = Callable[..., None]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
MOVING = {"language": "en", "reduced_motion": "off"}


@pytest.fixture
def others() -> Iterator[XWindows]:
    made = XWindows()
    yield made
    made.close()


async def standing(person: DeskStory) -> None:
    person.desk.chat.window.hide()
    pet = person.desk.companion.pet
    await pet.wait_until_loaded()
    await person.until(lambda: pet.description is not None and pet.isExposed(), "nobody is there")


async def drag(person: DeskStory, by: QPoint) -> None:
    """Drag it with the mouse, hold still, and release."""
    pet = person.desk.companion.pet
    grip = pet.placement.head_rect().center() - pet.position()
    start = pet.position()
    QTest.mousePress(pet, LEFT, NONE, grip)
    QTest.mouseMove(pet, grip + by)
    await person.until(lambda: pet.position() != start, "it isn't carried")
    QTest.mouseRelease(pet, LEFT, NONE, grip)


def feet(person: DeskStory) -> tuple[int, int]:
    rect = person.desk.companion.pet.placement.figure_rect()
    return rect.center().x(), rect.bottom() + 1


def test_it_stands_on_a_window_moves_with_it_and_falls_when_that_closes(
    desk_story: Play, others: XWindows
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        other = others.open(500, 700, 500, 300)
        desk.companion.pet.placement.move_feet_to(QPoint(750, 500))
        await drag(person, QPoint(0, -60))
        await person.until(lambda: feet(person)[1] == 700, str(feet(person)))
        await person.until(lambda: not desk.figure.placement.ground_tracker.is_falling)
        x = feet(person)[0]
        for step in range(1, 11):
            others.move(other, 500 + 10 * step, 700 + 5 * step)
        await person.until(lambda: feet(person) == (x + 100, 750), "it doesn't go along")
        others.destroy(other)
        floor = QGuiApplication.primaryScreen().availableGeometry().bottom() + 1
        await person.until(lambda: feet(person)[1] == floor, "it hangs in the air")
        kept = desk.engine.settings.settings.companion.positions
        await person.until(lambda: not desk.figure.placement.ground_tracker.is_falling)
        kept = desk.engine.settings.settings.companion.positions
        assert [y for _, y in kept.values()] == [floor]

    companion = {"fall": True, "perch": True}
    desk_story(story, pet=True, settings={"companion": companion, "appearance": MOVING})


def test_by_default_it_stays_where_it_is_put(desk_story: Play, others: XWindows) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        others.open(500, 700, 500, 300)
        desk.companion.pet.placement.move_feet_to(QPoint(750, 600))
        await drag(person, QPoint(30, -60))
        await person.until(lambda: not desk.companion.pet.is_held)
        assert desk.figure.placement.ground_tracker.standing_on is None
        assert not desk.figure.placement.ground_tracker.is_falling
        before = feet(person)
        desk.engine.settings.change("companion", "fall", True)
        await person.until(lambda: feet(person)[1] > before[1], "the switch works at once")

    desk_story(story, pet=True)


def test_it_hides_during_a_film_and_reports_missed_messages(
    desk_story: Play, others: XWindows
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        screen = QGuiApplication.primaryScreen().geometry()
        film = others.open(0, 0, screen.width(), screen.height())
        others.tell_names(film, "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN")
        await person.until(lambda: not desk.companion.pet.isVisible(), "it stands before the film")
        desk.notifiers.remarks.report_task("The download has ended.")
        assert not desk.companion.bubble.is_speaking
        others.destroy(film)
        await person.until(desk.companion.pet.isVisible, "it doesn't come back")
        await person.until(lambda: desk.companion.bubble.is_speaking, "it doesn't tell what came")
        assert "The download has ended." in desk.companion.bubble.page_text
        desk.companion.presenter.answered.emit("left meanwhile", "inbox")
        await person.until(desk.side_windows.inbox.isVisible, "no inbox")
        assert len(desk.notifiers.remarks.missed_messages()) == 1

    desk_story(story, pet=True, settings={"companion": {"full_screen": "hide"}})
