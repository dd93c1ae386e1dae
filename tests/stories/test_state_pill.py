"""The pill at the figure's feet shows a slow tool, a question and the quiet mode."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.toolkit.schema_tool import schema_tool
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text
from tests.support.toolsource import ToolServer

Play = Callable[..., None]


def test_the_pill_shows_what_the_companion_does(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        done = asyncio.Event()

        async def dig(_arguments: Mapping[str, object], _progress: object) -> str:
            await done.wait()
            return "a bone"

        desk = person.desk
        source = ToolServer("garden")
        schema = {"type": "object", "properties": {}}
        spec = ToolSpec("garden.dig", "Dig.", schema, risk=Risk.READ, timeout=600)
        source.take(schema_tool(spec, dig))
        source.add("garden.bury", "buried", risk=Risk.WRITE)
        desk.engine.tools.toolbox.add(source)
        await desk.wait_for_figure()
        pill = desk.state_pill.pill.window
        assert not pill.isVisible()
        server.reply(*calling("native", ("garden.dig", {})), *end())
        server.reply(*calling("native", ("garden.bury", {})), *end())
        server.reply(text("Buried."), *end())
        person.type("dig and bury")
        await person.until(lambda: pill.accessibleName().endswith("1 s"), "no seconds of the tool")
        assert pill.isVisible()
        assert not pill.geometry().intersects(desk.companion.pet.placement.figure_rect())
        desk.companion.pet.hide()
        assert not pill.isVisible()
        desk.companion.pet.show()
        await person.until(pill.isVisible, "the pill isn't back with the figure")
        done.set()
        await person.until(lambda: pill.accessibleName().endswith("?"), "no question in the pill")
        desk.chat.window.hide()
        person.click(pill)
        assert desk.chat.window.isVisible()
        desk.engine.settings.change("companion", "bubble", False)
        await person.until(lambda: not pill.isVisible(), "the pill is shown without the bubble")
        desk.engine.settings.change("companion", "bubble", True)
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Allow once")
        await person.until(lambda: person.sees("Buried."), person.shown())
        await person.idle()
        await person.until(lambda: not pill.isVisible(), "the pill is shown after the reply")
        desk.menu.quiet_mode.quiet_for_an_hour()
        await person.until(lambda: pill.accessibleName().startswith("until "), "no quiet mode")
        person.click(pill)
        await person.until(lambda: not desk.engine.settings.settings.companion.quiet, "still quiet")
        assert not pill.isVisible()

    desk_story(story, server.url, mode="native", pet=True)
