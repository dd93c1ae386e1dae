"""The Tab key goes through every window and page in the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.accessible_tour import Tour
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text, thinking
from tests.support.tab_order import TabWalk, windows_with_focus

Play = Callable[..., None]
_SETTINGS = {"mode": {"mode": "native", "ask_before_every_change": True}}


def test_tab_goes_through_every_window_in_reading_order(
    desk_story: Play, server: ScriptedServer
) -> None:
    sums = calling("native", ("calc.evaluate", {"expression": "6*7"}))
    server.reply(thinking("Hm."), text("Let me see."), *sums, *end("tool_calls"))
    server.reply(text("It is 42."), *end())
    server.reply(*calling("native", ("note.add", {"text": "42"})), *end("tool_calls"))
    found: dict[str, str] = {}
    walked = 0

    async def story(person: DeskStory) -> None:
        nonlocal walked
        tour = Tour(person.desk)
        await tour.prepare()
        async for name in tour.views():
            for window in windows_with_focus():
                walk = TabWalk(window)
                await walk.walk()
                walked += 1
                for fault in walk.faults():
                    found.setdefault(fault, name)

    desk_story(story, server.url, settings=_SETTINGS, limit=300)
    assert walked > 50
    faults = [f"{name}: {fault}" for fault, name in found.items()]
    assert not faults, "\n".join(faults)
