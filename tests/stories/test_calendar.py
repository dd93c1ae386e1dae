"""Appointments: created in the chat, changed in the panel, rung, and reported when they were
missed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime
from neodeskpet.core.schedule.rule import Once
from neodeskpet.notebook.appointment import Appointment, Maker, RunOutcome
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.ui.notebook.calendar_page import CalendarPage
from neodeskpet.ui.notebook.today_window import CALENDAR
from tests.stories.test_apps import act, acting, how, told
from tests.stories.test_notebook import shows
from tests.stories.test_timers import press
from tests.support.desk import TIMEOUT, DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text
from tests.support.xmouse import drag

Play = Callable[..., None]


def open_calendar(person: DeskStory) -> CalendarPage:
    """Open it by the companion's menu: the list of all appointments, with the history."""
    person.desk.menu.menu.actions["today"].trigger()
    window = person.desk.side_windows.today
    window.resize(900, 700)
    person.click(window.tab_buttons[CALENDAR])
    person.click(window.calendar.views.button("list"))
    assert window.calendar.list_pane.isVisible()
    return window.calendar


async def appointments(person: DeskStory) -> list[Appointment]:
    return await person.desk.engine.notebook.appointments.appointments()


@pytest.mark.parametrize("mode", ["native", "text"])
def test_an_appointment_made_in_the_chat_is_paused_run_and_deleted_in_the_panel(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        panel = open_calendar(person)
        arguments = {"title": "Water the plants", "when": "每周二周四下午四点"}
        server.reply(*calling(mode, ("schedule.add", arguments)), *end())
        server.reply(text("I'll remind you."), *end())
        person.type("每周二周四下午四点提醒我浇花")
        await person.until(lambda: "I'll remind you." in person.shown(), person.shown())
        await person.idle()
        (line,) = await shows(person, panel.list_pane, "Water the plants, 每周二周四下午四点 · Neo")
        assert "16:00" in line
        assert panel.list_pane.note.text().startswith("Next: ")

        person.click(person.button("Pause", panel))
        await shows(person, panel.list_pane, "Water the plants, 每周二周四下午四点 · Neo, paused")
        person.click(person.button("Go on", panel))
        await person.until(
            lambda: panel.list_pane.list.entries()[0].trailing != "paused", "it stays paused"
        )
        person.click(person.button("Run now", panel))
        await person.until(
            lambda: "Water the plants" in person.desk.companion.bubble.page_text, "no ring"
        )
        await shows(person, panel.history_pane, "Water the plants, ")
        press(person, "Dismiss")
        await person.until(lambda: not person.desk.companion.bubble.choices, "it rings on")
        person.click(person.button("Delete", panel))
        await shows(person, panel.list_pane, "No appointments")
        person.click(person.button("Undo", panel.window()))
        await shows(person, panel.list_pane, "Water the plants")

    desk_story(story, server.url, mode=mode)


def test_the_companion_does_its_task_when_it_is_due(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("Rain, take an umbrella."), *end())
        book = person.desk.engine.notebook.appointments
        due = ParsedTime(Once(time.time() + 0.3))
        await book.add(
            "Weather", "soon", due, prompt="Tell me the weather.", zone="", maker=Maker.PERSON
        )
        await person.until(lambda: "Rain, take an umbrella." in person.shown(), person.shown())
        await person.idle()
        assert "Tell me the weather." in told(server.requests[-1])
        assert "the user asked" not in told(server.requests[-1])
        assert await appointments(person) == []

    desk_story(story, server.url, mode="native", settings={"mode": {"due": "chat"}})


def test_the_user_chooses_the_tools_it_may_use(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        panel = open_calendar(person)
        person.click(panel.list_pane.add)
        form = panel.form
        form.title.setText("Clock")
        form.when.setText("every day at 9am")
        assert not form.tools.isVisible()
        form.prompt.setText("Tell me the time.")
        assert form.tools.isVisible()
        names = [form.tools.item(row).data(256) for row in range(form.tools.count())]
        assert {"time.now", "web.fetch"} <= set(names)
        form.tools.item(names.index("time.now")).setCheckState(Qt.CheckState.Checked)
        person.click(form.sheet.save)
        await person.until(lambda: not panel.list_pane.is_editing(), "it isn't kept")
        (one,) = await appointments(person)
        assert (one.tools, one.maker) == (("time.now",), Maker.PERSON)
        server.reply(*calling("native", ("time.now", {})), *end("tool_calls"))
        server.reply(text("It is nine."), *end())
        person.click(person.button("Run now", panel))
        await person.until(
            lambda: "It is nine." in person.desk.companion.bubble.page_text, "nothing is said"
        )
        over = panel.history_pane.list
        await person.until(
            lambda: any("the companion did it" in one.detail for one in over.entries()[:1]),
            "it isn't told",
        )
        first, second = server.requests
        assert [tool["function"]["name"] for tool in first.body["tools"]] == ["time_now"]
        assert "do it now, with the tools" in told(first)
        assert second.body["messages"][-1]["role"] == "tool"

        person.click(person.button("Edit", panel))
        assert form.tools.item(0).data(256) == "time.now", "ticked tools come first"
        form.tools.item(0).setCheckState(Qt.CheckState.Unchecked)
        person.click(form.sheet.save)
        await person.until(lambda: not panel.list_pane.is_editing(), "it isn't kept")
        assert (await appointments(person))[0].tools == ()
        person.click(person.button("Undo", panel.window()))
        await person.until(lambda: panel.list_pane.list.entries(), "no list")
        async with asyncio.timeout(TIMEOUT):
            while (await appointments(person))[0].tools != ("time.now",):
                await person.idle()

    desk_story(story, server.url, mode="native", settings={"mode": {"apps": False}})


@pytest.mark.parametrize("fails", [False, True])
def test_a_task_runs_apart_from_the_chat_with_its_allowed_tools(
    desk_story: Play, server: ScriptedServer, fails: bool
) -> None:
    """By a background prompt: calls that would ask aren't run, unnamed tools don't exist, and
    failures are silent but listed.
    """

    async def story(person: DeskStory) -> None:
        desk = person.desk
        book = desk.engine.notebook.appointments
        due = ParsedTime(Once(time.time() + 0.3))
        if fails:
            server.reply({"error": {"message": "no such model"}}, status=404)
        else:
            args: dict[str, object] = {
                "path": str(desk.engine.storage.home / "x.txt"),
                "content": "x",
            }
            calls = ("file.write", args), ("note.add", {"text": "milk"}), ("time.now", {})
            server.reply(*calling("native", *calls), *end("tool_calls"))
            server.reply(text("Done what I may."), *end())
        one = await book.add(
            "Look",
            "soon",
            due,
            prompt="Do all that.",
            zone="",
            maker=Maker.PERSON,
            tools=["file.write", "time.now"],
        )
        await person.until(lambda: desk.engine.models.background_prompts.runs, "no errand")
        (run,) = desk.engine.models.background_prompts.runs
        assert run.outcome is not None
        if fails:
            assert run.failure and not desk.companion.bubble.choices and not person.shown()
            outcome = RunOutcome.FAILED
        else:
            assert [(call.name, call.ok) for call in run.outcome.calls] == [
                ("file_write", False),  # as the model wrote it: a tool that asks was denied …
                ("note_add", False),  # … and an unnamed one is unknown
                ("time.now", True),
            ]
            assert not (desk.engine.storage.home / "x.txt").exists()
            await person.until(
                lambda: "Done what I may." in desk.companion.bubble.page_text, "no bubble"
            )
            outcome = RunOutcome.TOLD
        async with asyncio.timeout(TIMEOUT):
            while (await book.runs(one.id))[0].outcome is not outcome:
                await person.idle()

    desk_story(story, server.url, mode="native", settings={"mode": {"apps": False}})


def test_a_window_for_the_companion_and_a_question_back(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*acting("tool_call", act("launcher", "open", app="calendar")))
        server.reply(
            *acting("tool_call", act("calendar", "add", title="Tea", when="tomorrow at 8"))
        )
        server.reply(
            *acting("tool_call", act("calendar", "add", title="Tea", when="tomorrow 8 pm"))
        )
        server.reply(text("Noted."), *end())
        person.type("tea tomorrow at 8")
        await person.until(lambda: "Noted." in person.shown(), person.shown())
        await person.idle()
        assert "may mean (1)" in told(server.requests[2])
        assert "20:00 Tea (tomorrow 8 pm)</content>" in told(server.requests[3])
        assert [one.title for one in await appointments(person)] == ["Tea"]

    desk_story(story, server.url, **how("tool_call"))


def test_the_user_writes_one_and_is_asked_which_day_is_meant(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        panel = open_calendar(person)
        person.click(panel.list_pane.add)
        form = panel.form
        form.title.setText("Dentist")
        form.when.setText("whenever")
        person.click(form.sheet.save)
        await person.until(
            lambda: "isn't a time" in form.sheet.error_label.text(), "nothing is said"
        )
        form.when.setText("tomorrow at 8")
        person.click(form.sheet.save)
        await person.until(lambda: form.choices.isVisible(), "nothing is asked")
        person.click(person.button("tomorrow 20:00", panel))
        await shows(person, panel.list_pane, "Dentist, tomorrow at 8 · You, tomorrow 20:00")
        await person.until(lambda: not panel.list_pane.is_editing(), "it isn't kept")
        person.click(person.button("Edit", panel))
        form.title.setText("The dentist")
        person.click(form.sheet.save)
        await shows(person, panel.list_pane, "The dentist, tomorrow at 8 · You, tomorrow 20:00")
        person.click(person.button("Undo", panel.window()))
        await shows(person, panel.list_pane, "Dentist, tomorrow at 8 · You, tomorrow 20:00")

    desk_story(story)


async def keep(home: Path, *ones: tuple[str, str, float]) -> None:
    """As an earlier run left them: made that many seconds ago."""
    notebook = await Notebook.open(home / FILE_NAME)
    for title, when, ago in ones:
        book = AppointmentService(notebook, clock=lambda ago=ago: time.time() - ago)  # type: ignore[misc]
        meant = replace(book.read(when))
        await book.add(title, when, meant, prompt="", zone="", maker=Maker.PERSON)
    await notebook.aclose()


def test_runs_missed_while_the_app_was_off_are_reported_once(
    desk_story: Play, tmp_path: Path
) -> None:
    asyncio.run(keep(tmp_path, ("Stretch", "every hour", 4 * 3600.0), ("Tea", "in 1 h", 7200.0)))

    async def story(person: DeskStory) -> None:
        bubble = person.desk.companion.bubble
        await person.until(lambda: bubble.choices == ["Dismiss"], "nothing is listed")
        assert "while I was away" in bubble.page_text
        assert "Stretch (×4)" in bubble.page_text or "Stretch (×3)" in bubble.page_text
        assert "Tea" in bubble.page_text
        press(person, "Dismiss")
        async with asyncio.timeout(60):
            while await person.desk.engine.notebook.timers.timers():
                await person.idle()
        assert [one.title for one in await appointments(person)] == ["Stretch"]

    async def next_start(person: DeskStory) -> None:
        assert not person.desk.companion.bubble.choices, "reported once"

    desk_story(story)
    desk_story(next_start)


def test_an_entry_is_dragged_to_another_day_with_the_mouse(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        person.desk.chat.window.hide()
        book = person.desk.engine.notebook
        today = date.today()
        await book.todos.add("Buy milk", due=Due(today))
        window = person.desk.side_windows.today
        window.setGeometry(0, 0, 900, 640)
        person.desk.windows.present("today")
        window.show_tab(CALENDAR)
        month, rows = window.calendar.month, window.calendar.day_pane.list
        await person.until(lambda: [one.title for one in rows.entries()] == ["Buy milk"])
        days = [month.first, month.last]
        target = days[0] if days[0] != today else days[1]
        at = (target - month.first).days
        cell = month.item(at // 7, at % 7)
        start = rows.viewport().mapToGlobal(rows.visualItemRect(rows.item(0)).center())
        spot = month.viewport().mapToGlobal(month.visualItemRect(cell).center())
        await asyncio.to_thread(drag, start, spot)
        await person.until(lambda: not rows.entries(), "it stays on its day")
        assert [one.due for one in await book.todos.todos()] == [Due(target)]
        person.click(window.undo.button)
        await person.until(lambda: len(rows.entries()) == 1, "it can't be undone")

    if QGuiApplication.platformName() != "xcb":
        pytest.skip("not on X11")
    desk_story(story, mode=None)
