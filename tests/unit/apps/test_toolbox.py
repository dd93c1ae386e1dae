"""A turn's tools: one acts in windows, and what an open window does isn't sent as a tool too."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.apps.toolbox import WindowTools
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.windows.calls import ACT
from neodeskpet.tools.builtin.note import note_tools
from neodeskpet.tools.builtin.time import time_tools
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from tests.unit.apps.house import call, house, unheard


def test_a_closed_app_is_its_tools_and_an_open_one_its_window() -> None:
    async def run() -> None:
        async with house() as home:
            toolbox = Toolbox(OwnTools([*note_tools(home.notes), *time_tools()]))
            tools = WindowTools(toolbox, home.apps.host, home.apps.caller)
            closed = [spec.name for spec in tools.offer().specs]
            assert closed[0] == ACT
            assert {"note.add", "note.search", "note.delete"} < set(closed)
            await home.apps.host.open("notes")
            offer = tools.offer()
            opened = [spec.name for spec in offer.specs]
            assert set(closed) - set(opened) == {"note.add", "note.search", "note.delete"}
            assert (await offer.run("time.now", {}, unheard)).text
            acted = await offer.run(ACT, call("notes", "add", text="milk"), unheard)
            assert "notes.add -> ok" in acted.text
            assert await offer.preview(ACT, {}) is None
            assert await offer.preview("time.now", {}) is None
            offer.check(ACT, call("notes", "add"))
            offer.check("time.now", {})
            with pytest.raises(InvalidArguments):
                offer.check(ACT, {})

    asyncio.run(run())
