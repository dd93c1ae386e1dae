"""The companion, its bubble and the chat don't cover each other where there is room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect

from tests.support.desk import DeskStory

Play = Callable[..., None]


async def standing(person: DeskStory) -> None:
    pet = person.desk.pet
    await pet.wait_until_loaded()
    await person.until(lambda: pet.description is not None and pet.isExposed(), "nobody is there")


def figure(person: DeskStory) -> QRect:
    return person.desk.pet.placement.figure_rect()


def apart(person: DeskStory) -> bool:
    return not figure(person).intersects(person.desk.window.frameGeometry())


@pytest.mark.parametrize("share", [0.15, 0.85])
def test_the_chat_opens_beside_the_companion(desk_story: Play, share: float) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.window.hide()
        await standing(person)
        room = desk.pet.screen().availableGeometry()
        desk.pet.placement.move_feet_to(QPoint(round(room.width() * share), room.bottom()))
        before = figure(person)
        desk.show_chat()
        await person.until(lambda: apart(person), str(desk.window.frameGeometry()))
        assert figure(person) == before, "it is the chat that looks for a place"

    desk_story(story, pet=True)


def test_it_steps_aside_for_the_page_of_keys_too(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.window.hide()
        await standing(person)
        place = figure(person)
        keys = desk.command_palette.shortcuts
        desk.windows.present("shortcuts")
        await person.until(keys.isActiveWindow, "it isn't in front")
        keys.move(place.center() - QPoint(keys.width() // 2, 500))
        await person.until(lambda: figure(person).intersects(keys.frameGeometry()) is False)
        assert figure(person) != place
        keys.close()
        await person.until(lambda: figure(person) == place, "it doesn't come back")

    desk_story(story, pet=True)


def test_the_companion_steps_aside_and_comes_back(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        place = figure(person)
        desk.window.move(place.center() - QPoint(300, 500))
        desk.bubble.ask("tea", "Tea is ready", (("done", "Done"),))
        await person.until(lambda: not apart(person) or figure(person) != place)
        await person.until(lambda: apart(person), "it stands before the chat")
        await person.until(
            lambda: not desk.bubble.geometry().intersects(desk.window.geometry()),
            "the bubble lies over the chat",
        )
        desk.window.close()
        await person.until(lambda: figure(person) == place, "it doesn't come back")
        desk.bubble.withdraw("tea")

    desk_story(story, pet=True)
