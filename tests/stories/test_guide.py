"""The first steps never block the user: they end when a conversation has begun."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.blocks import Role
from tests.support.desk import DeskStory

Play = Callable[..., None]


def test_the_guide_ends_once_a_conversation_has_begun(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        desk = person.desk
        desk.show_chat()
        await person.until(desk.first_run.guide.isVisible, "no first steps")
        person.type("what time is it?")
        await person.idle()
        assert desk.chat.view.isVisible()
        desk.chat.window.close()
        desk.show_chat()
        await person.until(
            lambda: desk.chat.view.isVisible() and not desk.first_run.guide.isVisible()
        )
        person.type("and now?")
        await person.idle()
        assert not desk.first_run.guide.isVisible()

    async def again(person: DeskStory) -> None:
        desk = person.desk
        desk.show_chat()
        await person.until(lambda: desk.chat.view.isVisible(), "the conversation isn't shown")
        assert [m.role for m in await person.messages()] == [Role.USER, Role.ASSISTANT] * 2
        assert not desk.first_run.guide.isVisible()

    desk_story(first)
    desk_story(again)
