"""Appointments as tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.notebook.appointment_tools import AppointmentUndo, schedule_tools
from neodeskpet.notebook.appointments import (
    MOST_APPOINTMENTS,
    AppointmentHandlers,
    AppointmentService,
)
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.toolkit.toolbox import AppTools, Toolbox

ZONE = "Europe/Berlin"
NOW = datetime(2026, 11, 25, 10, tzinfo=ZoneInfo(ZONE)).timestamp()  # a Wednesday


class Desk:
    """The tools, and their store."""

    def __init__(self, notebook: Notebook) -> None:
        self.now = NOW
        self.tools: list[str] = []
        self.book = AppointmentService(
            notebook,
            clock=lambda: self.now,
            handlers=AppointmentHandlers(tools=lambda: self.tools),
        )
        self._tools = Toolbox(AppTools(schedule_tools(self.book)))

    async def run(self, name: str, **arguments: object) -> dict[str, object]:
        result = await self.result(name, **arguments)
        found = json.loads(result.text)
        assert isinstance(found, dict)
        return found

    async def result(self, name: str, **arguments: object) -> ToolResult:
        return await self._tools.offer().run(f"schedule.{name}", arguments, lambda *_: None)

    async def undo(self, name: str, result: ToolResult) -> bool:
        assert isinstance(result.data, dict)
        data = json.loads(json.dumps(result.data["undo"]))
        return await AppointmentUndo(self.book, made=name == "add").undo(data)


def live(story: Callable[[Desk], Awaitable[None]]) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(None)
        try:
            await story(Desk(notebook))
        finally:
            await notebook.aclose()

    asyncio.run(scene())


def test_one_is_added_and_listed_with_its_next_runs() -> None:
    async def story(desk: Desk) -> None:
        made = await desk.run(
            "add", title=" Team  call ", when="每周二周四下午四点", zone=ZONE, until="2026-12-31"
        )
        assert made["added"] == {
            "id": "a1",
            "title": "Team call",
            "when": "每周二周四下午四点",
            "next": ["2026-11-26 Thu 16:00", "2026-12-01 Tue 16:00", "2026-12-03 Thu 16:00"],
            "zone": ZONE,
            "until": "2026-12-31 23:59",
        }
        assert (await desk.run("list"))["appointments"] == [made["added"]]
        assert (await desk.run("list", id="a1"))["history"] == []

    live(story)


def test_it_may_use_the_tools_that_it_names() -> None:
    async def story(desk: Desk) -> None:
        desk.tools = ["web.fetch", "time.now"]
        given = {"when": "every day at 9:00", "prompt": "Tell me the news."}
        made = await desk.run("add", title="News", tools=["web_fetch", "web.fetch"], **given)
        assert made["added"]["tools"] == ["web.fetch"]  # type: ignore[index]
        assert "tools" not in (await desk.run("add", title="Bare", **given))["added"]  # type: ignore[operator]
        for name, call in (("add", {"title": "x", **given}), ("update", {"id": "a1"})):
            with pytest.raises(InvalidArguments) as wrong:
                await desk.run(name, **call, tools=["time.now", "shell.run"])
            assert "tools[1]: there is no tool shell.run" in str(wrong.value)
        result = await desk.result("update", id="a1", tools=["time.now"])
        assert (await desk.book.find("a1")).tools == ("time.now",)  # type: ignore[union-attr]
        await desk.run("update", id="a1", title="The news")
        assert (await desk.book.find("a1")).tools == ("time.now",)  # type: ignore[union-attr]
        assert await desk.undo("update", result)
        assert (await desk.book.find("a1")).tools == ("web.fetch",)  # type: ignore[union-attr]
        await desk.run("update", id="a1", tools=[])
        assert (await desk.book.find("a1")).tools == ()  # type: ignore[union-attr]

    live(story)


def test_an_assumed_hour_is_reported() -> None:
    async def story(desk: Desk) -> None:
        made = await desk.run("add", title="Pay", when="2026-12-01", zone=ZONE)
        assert made["assumed"] == "No time was given: 09:00 was assumed. Tell the user."

    live(story)


def test_skipped_months_are_reported() -> None:
    async def story(desk: Desk) -> None:
        made = await desk.run("add", title="Pay", when="on the 31st of every month at 9am")
        assert made["left_out"] == "Months without a day 31 are left out. Tell the user."

    live(story)


def test_an_unclear_time_is_asked_about() -> None:
    async def story(desk: Desk) -> None:
        with pytest.raises(InvalidArguments) as caught:
            await desk.run("add", title="Dentist", when="next Friday at noon", zone=ZONE)
        assert "may mean (1) 2026-11-27 Fri 12:00; (2) 2026-12-04 Fri 12:00" in str(caught.value)
        assert await desk.book.appointments() == []

    live(story)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"title": "x", "when": "some day"}, "isn't a time I understand"),
        ({"title": " ", "when": "noon"}, "needs a title"),
        ({"title": "x", "when": "noon", "zone": "Mars"}, "no time zone “Mars”"),
        ({"title": "x", "when": "every day at 9am", "until": "never"}, "isn't a time"),
    ],
)
def test_errors_have_reasons(arguments: dict[str, object], said: str) -> None:
    async def story(desk: Desk) -> None:
        with pytest.raises(InvalidArguments, match=said):
            await desk.run("add", **arguments)

    live(story)


def test_each_change_can_be_undone() -> None:
    async def story(desk: Desk) -> None:
        added = await desk.result("add", title="Pill", when="every day at 9am", zone=ZONE)
        (pill,) = await desk.book.appointments()
        changed = await desk.result(
            "update", id="a1", title="Pills", when="every day at 21:00", prompt="Ask", paused=True
        )
        assert json.loads(changed.text)["changed"]["next"] == ["paused"]
        assert await desk.undo("update", changed)
        assert await desk.book.appointments() == [pill]
        cancelled = await desk.result("cancel", id="a1")
        assert await desk.book.appointments() == []
        assert await desk.undo("cancel", cancelled)
        assert await desk.book.appointments() == [pill]
        assert await desk.undo("add", added)
        assert await desk.book.appointments() == []
        assert not await desk.undo("add", added)
        assert not await desk.undo("update", changed)

    live(story)


def test_changing_only_the_end_keeps_the_times() -> None:
    async def story(desk: Desk) -> None:
        await desk.run("add", title="Water", when="every 2 hours", zone=ZONE)
        desk.now += 600
        found = await desk.run("update", id="a1", until="2026-11-25 15:00")
        assert found["changed"]["next"] == ["2026-11-25 Wed 12:00", "2026-11-25 Wed 14:00"]  # type: ignore[index]

    live(story)


def test_an_unknown_id() -> None:
    async def story(desk: Desk) -> None:
        for name in ("cancel", "update", "list"):
            with pytest.raises(
                InvalidArguments, match="there is no appointment a7; there are: none"
            ):
                await desk.run(name, id="a7")

    live(story)


def test_of_many_the_next_are_listed_and_too_many_are_refused() -> None:
    async def story(desk: Desk) -> None:
        for number in range(60):
            await desk.run("add", title=str(number), when="every day at 9am", zone=ZONE)
        assert (await desk.run("list"))["more"] == 10
        assert MOST_APPOINTMENTS == 1_000

    live(story)
