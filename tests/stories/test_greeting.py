"""No greeting on every start: an introduction once, later a line after some hours away."""

from __future__ import annotations

import time
from collections.abc import Callable

from neodeskpet.conversation.greeting import LINES
from tests.support.desk import DeskStory

Play = Callable[..., None]
QUIET = {"companion": {"quiet": True}}


async def away(person: DeskStory, seconds: float) -> None:
    """As if the app had been closed that long ago."""
    await person.desk.engine.store.set_state("seen", str(time.time() - seconds))


async def said(person: DeskStory) -> str:
    await person.desk.engine.store.set_state("rough.told", "1")  # another story
    person.desk.bubble.clear()
    await person.desk.greet()
    return person.desk.bubble.page_text


def test_it_introduces_itself_once(desk_story: Play) -> None:
    async def first(person: DeskStory) -> None:
        assert "I'm Neo" in await said(person)

    async def second(person: DeskStory) -> None:
        assert await said(person) == ""

    desk_story(first)
    desk_story(second)


def test_a_line_after_hours_and_never_the_same(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await said(person)
        lines = set()
        for _ in LINES["long"]:
            await away(person, 5 * 86_400)
            lines.add(await said(person))
        assert lines == set(LINES["long"])
        await away(person, 5 * 86_400)
        assert await said(person) == "", "all were said this month"

    desk_story(story)


def test_a_quiet_companion_says_nothing(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await away(person, 86_400)
        assert await said(person) == ""

    desk_story(story, settings=QUIET)
