"""Other ways to a character, and the way out of click-through."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint

from neodeskpet.ui.windows.character_gallery import CharacterGallery
from tests.support.desk import DeskStory
from tests.support.hand import Hand

Play = Callable[..., None]
MOST_CLICKS = 4


def test_another_character_by_mouse(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        mimi = await desk.characters.create()
        found = next(one for one in desk.characters.characters() if one.id == mimi)
        desk.chat.window.hide()
        hand = Hand(person, keyboard=False)
        await desk.companion.pet.wait_until_loaded()
        desk.companion.pet.chat_requested.emit()  # a double click on the figure opens the chat
        hand.presses += 1
        head = desk.chat.window.header
        await person.until(head.more.isVisible)
        head.menu.popup(head.more.mapToGlobal(QPoint(0, head.more.height())))
        hand.presses += 1
        characters = desk.character_controller.action
        await hand.choose_in(head.menu, characters.text())
        await hand.choose_in(desk.character_controller.menu, found.card.name)
        await person.until(lambda: desk.characters.current_character() == mimi)
        assert hand.presses == MOST_CLICKS

    desk_story(story, pet=True)


def test_another_character_by_keyboard_alone(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        mimi = await desk.characters.create()
        desk.chat.window.hide()
        hand = Hand(person, keyboard=True)
        await hand.choose("More", "Characters and companions…")
        gallery = desk.windows["gallery"]
        assert isinstance(gallery, CharacterGallery)
        await person.until(lambda: f"own {mimi}" in gallery.tiles, "it isn't in the gallery")
        await hand.press(gallery.tiles[f"own {mimi}"])
        await person.until(lambda: desk.characters.current_character() == mimi, "it isn't chosen")

    desk_story(story, pet=True)


def test_click_through_can_always_be_turned_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.menu.menu.actions["click_through"].trigger()
        assert desk.engine.settings.settings.companion.click_through
        tray = desk.menu.menu.tray_menu()
        first = next(one for one in tray.actions() if one.isVisible())
        assert first.text() == "Turn off click-through"
        first.trigger()
        assert not desk.engine.settings.settings.companion.click_through
        tray.deleteLater()

    desk_story(story, pet=True)
