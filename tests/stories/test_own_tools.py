"""Someone writes tools in Python: they allow the folder and a file, use, change and break it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.language import translate_fault
from neodeskpet.tools.user_tools.tool_file import ToolFileState
from neodeskpet.ui.settings.user_tool_card import UserToolDetails
from neodeskpet.ui.settings.user_tools_page import UserToolsPage
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]

FILE = '''"""Things of the kitchen."""
import time
from typing import Annotated
from pydantic import Field
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import tool

@tool("kitchen.weigh", risk=Risk.READ, main_argument="food")
def weigh(food: Annotated[str, Field(description="What is weighed.")]) -> str:
    """Weigh something."""
    return f"{food}: 200 g"

@tool("kitchen.cook", risk=Risk.WRITE)
def cook() -> str:
    """Cook something."""
    raise ValueError("no gas")

@tool("kitchen.wait", risk=Risk.READ)
def wait() -> str:
    """Wait for ever."""
    time.sleep(1000)
'''
GAS = FILE.splitlines().index('    raise ValueError("no gas")') + 1


def page(person: DeskStory) -> UserToolsPage:
    person.desk.side_windows.show_settings("workshop")
    found = person.desk.side_windows.settings.pages["workshop"]
    assert isinstance(found, UserToolsPage)
    return found


def state(person: DeskStory) -> ToolFileState | None:
    views = person.desk.engine.tools.user_tools.files()
    return views[0].state if views else None


async def body(person: DeskStory) -> UserToolDetails:
    """The card of the only file, opened."""
    made = page(person)
    await person.until(lambda: made.cards, "it isn't shown")
    if made.cards["kitchen.py"].body is None:
        person.click(made.cards["kitchen.py"].head)
    found = made.cards["kitchen.py"].body
    assert found is not None
    return found


async def switch_on(person: DeskStory) -> Path:
    person.click(page(person).switch)
    folder = person.desk.engine.storage.home / "tools"
    await person.until(folder.is_dir, "the folder isn't there")
    return folder


async def allow(person: DeskStory) -> None:
    person.click((await body(person)).allow)
    await person.until(
        lambda: state(person) in (ToolFileState.READY, ToolFileState.BROKEN), str(state(person))
    )


async def ask_for(person: DeskStory, server: ScriptedServer, tool: str, **given: object) -> None:
    server.reply(*calling("native", (tool, given)), *end())
    server.reply(text("So it is."), *end())
    person.type("please")


async def call(person: DeskStory) -> ToolUse:
    await person.until(lambda: "So it is." in person.shown(), person.shown())
    await person.idle()
    return (await person.calls())[-1]


def test_a_tool_is_allowed_used_changed_and_breaks(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        home = person.desk.engine.storage.home
        (home / "tools").mkdir()
        file = home / "tools" / "kitchen.py"
        file.write_text(FILE, encoding="utf-8")
        assert not person.desk.engine.tools.user_tools.files(), "the folder wasn't allowed"
        await switch_on(person)
        shown = await body(person)
        assert state(person) is ToolFileState.NOT_ALLOWED
        assert "kitchen.weigh (looks, never asks): Weigh something." in shown.tools.text()
        assert "changes things of yours, asks" in shown.tools.text()
        assert "time.sleep(1000)" in shown.source.toPlainText()
        await allow(person)
        assert state(person) is ToolFileState.READY
        listed = [source.label for source in person.desk.engine.tools.toolbox.sources()]
        assert "kitchen.py" in listed

        await ask_for(person, server, "own.kitchen.weigh", food="rice")
        done = await call(person)
        assert done.status is ToolStatus.SUCCESS
        assert done.output == "rice: 200 g"
        assert "⟦foreign" in server.requests[-1].body["messages"][-1]["content"]

        await ask_for(person, server, "own.kitchen.cook")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Allow once")
        broken = await call(person)
        assert broken.status is ToolStatus.ERROR
        assert broken.fault is not None
        assert f"no gas. (kitchen.py, line {GAS})" in translate_fault(broken.fault)

        server.reply(*calling("native", ("own.kitchen.wait", {})), *end())
        person.type("wait")
        await person.until(lambda: "running" in person.shown(), person.shown())
        person.desk.engine.chat.stop()
        await person.idle()
        assert (await person.calls())[-1].status is ToolStatus.CANCELLED

        file.write_text(FILE.replace("200 g", "300 g"), encoding="utf-8")
        await person.until(lambda: state(person) is ToolFileState.CHANGED, str(state(person)))
        assert not any("kitchen" in spec.name for spec in person.desk.engine.tools.toolbox.specs())
        await allow(person)
        await ask_for(person, server, "own.kitchen.weigh", food="rice")
        assert (await call(person)).output == "rice: 300 g"

        file.write_text("a = 1\nb = (\n", encoding="utf-8")
        shown = await body(person)
        await person.until(lambda: "Line 2: SyntaxError" in shown.wrong.text(), "no line is told")
        assert not shown.allow.isVisible()
        person.click(page(person).switch)
        await person.until(
            lambda: not person.desk.engine.tools.user_tools.files(), "it is still there"
        )

    desk_story(story, server.url)


def test_an_allowed_file_runs_at_the_next_start(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        folder = await switch_on(person)
        (folder / "kitchen.py").write_text(FILE, encoding="utf-8")
        await allow(person)

    async def second(person: DeskStory) -> None:
        await person.until(lambda: state(person) is ToolFileState.READY, str(state(person)))
        await ask_for(person, server, "own.kitchen.weigh", food="tea")
        assert (await call(person)).output == "tea: 200 g"

    desk_story(first, server.url)
    desk_story(second, server.url)
