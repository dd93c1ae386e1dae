"""A turn's tools: one of them acts in windows, and actions of an open window aren't sent as tools
too.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

import pytest
from pydantic import Field

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.tool_result import CallPreview
from neodeskpet.core.toolspec import Risk
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.toolkit.registry import tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.apps.app_windows import LoggedToolbox, ToolboxWithWindows
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.tools.builtin.clock import time_tools
from tests.unit.tools.apps.house import call, house, unheard


def test_a_closed_app_is_sent_as_tools_and_an_open_one_as_a_window() -> None:
    async def run() -> None:
        async with house() as home:
            toolbox = Toolbox(AppTools([*note_tools(home.notes), *time_tools()]))
            tools = ToolboxWithWindows(toolbox, home.apps.host, home.apps.caller)
            closed = [spec.name for spec in tools.offer().specs]
            assert closed[0] == ACT_TOOL
            assert {"note.add", "note.search", "note.delete"} < set(closed)
            await home.apps.host.open("notes")
            offer = tools.offer()
            opened = [spec.name for spec in offer.specs]
            assert set(closed) - set(opened) == {"note.add", "note.search", "note.delete"}
            assert (await offer.run("time.now", {}, unheard)).text
            acted = await offer.run(ACT_TOOL, call("notes", "add", text="milk"), unheard)
            assert "notes.add -> ok" in acted.text
            assert await offer.preview(ACT_TOOL, {}) == CallPreview()
            assert await offer.preview("time.now", {}) == CallPreview()
            offer.check(ACT_TOOL, call("notes", "add"))
            offer.check("time.now", {})
            with pytest.raises(InvalidArguments):
                offer.check(ACT_TOOL, {})

    asyncio.run(run())


def test_changes_by_tools_are_in_the_log_and_reads_are_not() -> None:
    @tool("note.add", title="Add a note", risk=Risk.APP_DATA, main_argument="text")
    def add(text: Annotated[str, Field(description="It")]) -> str:
        """Add"""
        return text

    @tool("shell.run", title="Run a command", risk=Risk.RUN, main_argument="command")
    def run_command(command: Annotated[str, Field(description="It")]) -> str:
        """Run"""
        raise ToolFailed("broken")

    @tool("file.read", title="Read", risk=Risk.READ)
    def read() -> str:
        """Read"""
        return "x"

    async def run() -> None:
        async with house() as home:
            noted = LoggedToolbox(Toolbox(AppTools([add, run_command, read])), home.apps.caller)
            offer = noted.offer()
            await offer.run("note.add", {"text": "milk"}, unheard)
            with pytest.raises(ToolFailed):
                await offer.run("shell.run", {"command": "ls"}, unheard)
            await offer.run("file.read", {}, unheard)
            acts = await home.apps.record.list_entries()
            found = [(one.actor, one.window, one.action, one.success) for one in acts]
            assert found == [
                (Actor.COMPANION, "shell", "Run a command", False),
                (Actor.COMPANION, "notes", "add", True),
            ]
            assert acts[1].summary == "milk"

    asyncio.run(run())
