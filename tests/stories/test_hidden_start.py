"""A start in the tray: no figure on the desktop, but a portrait in the chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from neodeskpet.figure.behaviour.screen_edges import PeekPosition
from tests.support.desk import DeskStory

Play = Callable[..., None]


def test_the_chat_has_its_face_without_a_visible_figure(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        assert not desk.companion.pet.isVisible()
        head = desk.chat.window.header.portrait
        empty = head.grab().toImage()
        desk.show_chat()
        await person.until(lambda: head.grab().toImage() != empty, "the head stays empty")
        assert desk.companion.pet.appeared_at is None
        assert desk.companion.pet.placement.retreat_side == PeekPosition("right", 1600, 700), (
            "it will look out from there"
        )
        assert desk.companion.pet.placement.feet.toTuple() == (900, 700)

    async def hidden_at_once(person: DeskStory) -> None:
        desk, pet = person.desk, person.desk.companion.pet
        head = desk.chat.window.header.portrait
        empty = head.grab().toImage()
        desk.chat.window.present()
        pet.show()
        pet.hide()
        await person.until(lambda: head.grab().toImage() != empty, "the head stays empty")
        assert pet.appeared_at is None

    kept = {QGuiApplication.primaryScreen().name(): (900, 700)}
    companion = {"peek": True, "aside": ("right", 1600, 700), "positions": kept}
    desk_story(story, settings={"companion": companion})
    desk_story(hidden_at_once)
