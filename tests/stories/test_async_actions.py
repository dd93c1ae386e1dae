"""A slow action of an app runs as a background task, and its end starts a reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from neodeskpet.core.app_windows.window_calls import steps_in
from neodeskpet.core.blocks import ToolStatus, ToolUse
from neodeskpet.core.toolspec import Mode, Risk
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import tool
from tests.stories.test_apps import DIALECTS, act, acting, how, says, told
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def oven(done: asyncio.Event) -> App:
    """An app in which baking takes as long as `done` isn't set."""

    async def content(target: str) -> str:
        return "warm"

    @tool("oven.bake", title="Bake", risk=Risk.APP_DATA, mode=Mode.ASYNC)
    async def bake() -> str:
        """Bake a bread"""
        await done.wait()
        return "a bread, warm"

    return App("oven", "Oven", "It bakes.", content, {"bake": bake})


async def bake(person: DeskStory, server: ScriptedServer, dialect: str) -> asyncio.Event:
    """The companion starts to bake, and has said so."""
    done = asyncio.Event()
    apps = person.desk.engine.tools.apps
    apps.host.add(oven(done))
    await apps.host.open("oven")
    server.reply(*acting(dialect, act("oven", "bake"), act("oven", "turn")))
    server.reply(text("It is in the oven."), *end())
    person.type("bake a bread")
    await says(person, "It is in the oven.")
    return done


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_end_of_an_async_action_wakes_the_companion(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        done = await bake(person, server, dialect)
        assert 'mode="async"' in told(server.requests[0])
        assert "oven.bake" in told(server.requests[1])
        assert "async task started: t1" in told(server.requests[1])
        assert "There is no action “turn”" in told(server.requests[1])
        reply = await person.reply()
        good, bad = steps_in(reply.blocks)
        assert (good["task_id"], good["resolved_mode"], good["data"]) == (
            "t1",
            "async",
            {"task_id": "t1"},
        )
        assert (good["call_id"], bad["call_id"]) == ("call_1_0", "call_1_1")
        assert (bad["success"], bad["task_id"]) == (False, None)
        assert len(person.desk.engine.tools.tasks.running()) == 1

        server.reply(text("The bread is ready."), *end())
        done.set()
        await says(person, "The bread is ready.")
        assert "t1, oven.bake" in told(server.requests[-1])
        assert "a bread, warm" in told(server.requests[-1])
        ended = (await person.messages())[-1].blocks[0]
        assert isinstance(ended, ToolUse)
        assert (ended.task, ended.status) == ("t1", ToolStatus.SUCCESS)
        acts = await person.desk.engine.tools.apps.record.list_entries()
        assert [(one.action, one.success) for one in acts] == [
            ("bake", True),
            ("turn", False),
            ("bake", True),
        ]

    desk_story(story, server.url, **how(dialect))


def test_an_async_action_that_ended_with_the_app_is_reported_as_lost(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def first(person: DeskStory) -> None:
        await bake(person, server, "native")

    async def second(person: DeskStory) -> None:
        assert [one.code for one in person.desk.engine.storage.startup.faults] == ["tasks_lost"]
        server.reply(text("It was lost."), *end())
        person.type("hello")
        await says(person, "It was lost.")
        assert "lost because the app ended" in told(server.requests[-1])

    desk_story(first, server.url, mode="native")
    desk_story(second, server.url, mode="native")
