"""The companion, its bubble and the chat don't cover each other if there is room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect

from tests.support.desk import DeskStory

Play = Callable[..., None]


async def standing(person: DeskStory) -> None:
    pet = person.desk.companion.pet
    await pet.wait_until_loaded()
    await person.until(lambda: pet.description is not None and pet.isExposed(), "nobody is there")


def figure(person: DeskStory) -> QRect:
    return person.desk.companion.pet.placement.figure_rect()


def apart(person: DeskStory) -> bool:
    return not figure(person).intersects(person.desk.chat.window.frameGeometry())


@pytest.mark.parametrize("share", [0.15, 0.85])
def test_the_chat_opens_beside_the_companion(desk_story: Play, share: float) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        await standing(person)
        room = desk.companion.pet.screen().availableGeometry()
        desk.companion.pet.placement.move_feet_to(
            QPoint(round(room.width() * share), room.bottom())
        )
        before = figure(person)
        desk.show_chat()
        await person.until(lambda: apart(person), str(desk.chat.window.frameGeometry()))
        assert figure(person) == before, "it is the chat that chooses its place"

    desk_story(story, pet=True)


def test_it_moves_aside_for_the_page_of_keys_too(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
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


def test_the_companion_moves_aside_and_comes_back(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        place = figure(person)
        desk.chat.window.move(place.center() - QPoint(300, 500))
        desk.companion.bubble.ask("tea", "Tea is ready", (("done", "Done"),))
        await person.until(lambda: not apart(person) or figure(person) != place)
        await person.until(lambda: apart(person), "it stands before the chat")
        await person.until(
            lambda: not desk.companion.bubble.geometry().intersects(desk.chat.window.geometry()),
            "the bubble lies over the chat",
        )
        desk.chat.window.close()
        await person.until(lambda: figure(person) == place, "it doesn't come back")
        desk.companion.bubble.withdraw("tea")

    desk_story(story, pet=True)


def test_several_windows_are_avoided_and_a_maximized_chat_shows_the_portrait(
    desk_story: Play,
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        place = figure(person)
        room = desk.companion.pet.screen().availableGeometry()
        settings = desk.side_windows.settings
        settings.present()
        settings.setGeometry(room.width() // 2, 100, room.width() // 2, room.height() - 100)
        desk.chat.window.setGeometry(0, 0, room.width() // 2 - 100, room.height() - 600)
        windows = (settings, desk.chat.window)

        def free() -> bool:
            return not any(figure(person).intersects(one.frameGeometry()) for one in windows)

        await person.until(lambda: figure(person) != place and free(), "it covers a window")
        settings.close()
        await person.until(lambda: figure(person) == place, "it doesn't come back")
        portrait = desk.chat.window.header.portrait
        small = portrait.width()
        desk.chat.window.setGeometry(room)
        await person.until(lambda: not desk.companion.pet.isVisible(), "it stands before the chat")
        assert portrait.width() > small
        desk.chat.window.close()
        await person.until(
            lambda: figure(person) == place and desk.companion.pet.isVisible(), "it is lost"
        )
        assert portrait.width() == small

    desk_story(story, pet=True)


def test_the_chat_opens_beside_the_companion_until_the_user_moves_it(desk_story: Play) -> None:
    async def settled(person: DeskStory) -> str | None:
        await asyncio.sleep(0.6)
        await person.desk.engine.storage.store.flush()
        return await person.desk.engine.storage.store.get_state("chat.place")

    async def first(person: DeskStory) -> None:
        """The window was never shown."""
        person.desk.chat.window.hide()
        await person.desk.engine.storage.store.set_state("chat.place", "0,0,520,680")

    async def second(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        await standing(person)
        desk.show_chat()
        await person.until(lambda: apart(person), "it opens in the corner")
        beside = desk.chat.window.pos()
        assert beside != QPoint(0, 0)
        kept = await settled(person)
        assert kept is not None and kept.startswith("0,0,"), "the user hasn't moved it"
        desk.chat.window.close()
        desk.companion.pet.placement.move_feet_to(
            desk.companion.pet.placement.feet - QPoint(300, 0)
        )
        desk.show_chat()
        await person.until(lambda: apart(person) and desk.chat.window.pos() != beside, "it is left")
        await settled(person)
        desk.chat.window.move(40, 60)
        assert await settled(person) == "40,60,{},{}".format(*desk.chat.window.size().toTuple())

    async def third(person: DeskStory) -> None:
        await standing(person)
        person.desk.chat.window.hide()
        person.desk.show_chat()
        assert person.desk.chat.window.pos() == QPoint(40, 60)

    desk_story(first, pet=True)
    desk_story(second, pet=True)
    desk_story(third, pet=True)
