"""Slow calls continue in the background: they outlive their turn, are listed in a window, can be
cancelled, and their end is reported.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import Message, Role, ToolStatus, ToolUse
from neodeskpet.core.toolspec import Mode, ToolSpec
from neodeskpet.core.transcript import TASK_ENDED
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.schema_tool import schema_tool
from tests.support.desk import DeskStory
from tests.support.replies import bare, calling, end
from tests.support.sseserver import HOLD, ScriptedServer, text
from tests.support.toolsource import ToolServer
from tests.unit.conversation.doubles import forever

Play = Callable[..., None]
MODES = pytest.mark.parametrize("mode", ["native", "text"])
SHELL = {"mode": {"shell": True}}
WAITS = {"mode": {"shell": True, "task_end": "next"}}
ASK = "run it in the shell in the background"


def waiting(flag: Path) -> str:
    """A command that continues until the file `flag` exists."""
    return f"echo $$ > {flag}.pid; until [ -e {flag} ]; do sleep 0.05; done; echo it is made"


async def begin(person: DeskStory, server: ScriptedServer, mode: str, command: str) -> None:
    """The user asks, allows it, and is told that it runs."""
    server.reply(*calling(mode, ("shell.run", {"command": command, "background": True})), *end())
    server.reply(text("It runs."), *end())
    person.type(ASK)
    await person.until(lambda: "Allow once" in person.buttons(), person.shown())
    person.press_in_message("Allow once")
    await person.until(lambda: "It runs." in person.shown(), person.shown())
    await person.idle()


async def woken(person: DeskStory, words: str) -> Message:
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()
    return (await person.messages())[-1]


def told(server: ScriptedServer) -> str:
    """The last user message that the model was sent."""
    users = [one for one in server.requests[-1].body["messages"] if one["role"] == "user"]
    return str(users[-1]["content"])


def alive(pid_file: Path) -> bool:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid_file.read_text().strip()}/status").read_text()


@MODES
def test_the_end_of_a_task_wakes_the_companion(
    desk_story: Play, server: ScriptedServer, mode: str, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"

    async def story(person: DeskStory) -> None:
        header, window = person.desk.chat.window.header, person.desk.side_windows.tasks
        await begin(person, server, mode, waiting(flag))
        (call,) = await person.calls()
        assert (call.output, call.data) == ("async task started: t1", {"task_id": "t1"})
        assert "in the background" in person.shown()
        assert header.tasks.isVisible()
        assert header.tasks.text() == "1"
        person.desk.chat.window.close()  # it continues without the chat
        window.present()
        (entry,) = window.list.entries()
        assert entry.title == "Run a command"
        assert entry.trailing.startswith("running")

        person.type("half a mess", send=False)
        server.reply(text("Your thing is made."), *end())
        flag.touch()
        await person.until(lambda: not person.desk.engine.tools.tasks.running(), "it didn't end")
        await person.until(lambda: window.list.entries()[0].trailing.startswith("done"), "not seen")
        assert "it is made" in window.output.toPlainText()
        assert not header.tasks.isVisible()
        assert len(await person.messages()) == 2  # the user is writing
        person.desk.chat.window.present()
        person.desk.chat.window.composer.field.clear()

        reply = await woken(person, "Your thing is made.")
        assert reply.role is Role.ASSISTANT
        ended = reply.blocks[0]
        assert isinstance(ended, ToolUse)
        assert (ended.task, ended.status) == ("t1", ToolStatus.SUCCESS)
        assert told(server).startswith(f"{TASK_ENDED} t1, shell.run")
        assert "⟦foreign: shell.run⟧\nit is made" in told(server)
        assert "in the background, it is made" in person.shown()

    desk_story(story, server.url, mode=mode, settings=SHELL)


@MODES
def test_if_the_user_wants_that_the_end_waits_for_their_message(
    desk_story: Play, server: ScriptedServer, mode: str, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"

    async def story(person: DeskStory) -> None:
        await begin(person, server, mode, waiting(flag))
        flag.touch()
        await person.until(
            lambda: "Run a command, done" in person.desk.companion.bubble.page_text, "not said"
        )
        assert len(await person.messages()) == 2
        server.reply(text("Hi, and it is made."), *end())
        person.type("hello")
        await woken(person, "Hi, and it is made.")
        assert bare(told(server)).startswith("hello")
        assert "it is made" in told(server)

    desk_story(story, server.url, mode=mode, settings=WAITS)


def test_a_task_is_cancelled_in_its_window_and_by_the_model(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        window = person.desk.side_windows.tasks
        await begin(person, server, "native", waiting(tmp_path / "one"))
        pid = tmp_path / "one.pid"
        await person.until(lambda: pid.exists() and pid.read_text().strip(), "no shell")
        person.click(person.desk.chat.window.header.tasks)
        assert window.isVisible()
        person.click(window.cancel_button)
        await person.until(lambda: not alive(pid), "it still runs")
        await person.until(lambda: "cancelled" in window.list.entries()[0].trailing, "not seen")
        assert len(await person.messages()) == 2  # the user knows

        await begin(person, server, "native", waiting(tmp_path / "two"))
        assert "cancelled by the user" in str(server.requests[-2].body["messages"])
        server.reply(*calling("native", ("task.cancel", {"id": "t2"})), *end())
        server.reply(text("It is stopped."), *end())
        person.type("stop it")
        await woken(person, "It is stopped.")
        assert not person.desk.engine.tools.tasks.running()
        assert not person.desk.chat.window.header.tasks.isVisible()
        QTest.mouseClick(window.clear_button, Qt.MouseButton.LeftButton)
        await person.until(lambda: not window.list.entries(), "they are still listed")
        assert window.empty.isVisible()

    desk_story(story, server.url, mode="native", settings=SHELL)


@MODES
def test_tasks_that_ended_with_the_app_are_reported_as_lost(
    desk_story: Play, server: ScriptedServer, mode: str, tmp_path: Path
) -> None:
    pid = tmp_path / "flag.pid"

    async def first(person: DeskStory) -> None:
        await begin(person, server, mode, waiting(tmp_path / "flag"))
        await person.until(lambda: pid.exists() and pid.read_text().strip(), "no shell")

    async def second(person: DeskStory) -> None:
        assert not alive(pid)
        assert [one.code for one in person.desk.engine.storage.startup.faults] == ["tasks_lost"]
        person.desk.side_windows.tasks.present()
        (entry,) = person.desk.side_windows.tasks.list.entries()
        assert entry.trailing.startswith("interrupted")
        assert "may be done, half done" in person.desk.side_windows.tasks.output.toPlainText()
        assert len(await person.messages()) == 2  # it doesn't start a reply
        server.reply(text("It was lost."), *end())
        person.type("hello")
        await woken(person, "It was lost.")
        assert "lost because the app ended" in told(server)

    desk_story(first, server.url, mode=mode, settings=SHELL)
    desk_story(second, server.url, mode=mode)


class Workshop(ToolServer):
    """A server whose tools are all async: one hangs, one raises, one returns too much."""

    def __init__(self) -> None:
        super().__init__("workshop")
        for name, work in (("hang", _hang), ("raise", _raise), ("flood", _flood)):
            self._tools.append(schema_tool(ToolSpec(name, "Do it.", mode=Mode.ASYNC), work))


async def _hang(_arguments: Mapping[str, object], _progress: Progress) -> str:
    return await forever()


def _raise(_arguments: Mapping[str, object], _progress: Progress) -> str:
    raise ValueError("<tool_call> out of glue")


def _flood(_arguments: Mapping[str, object], progress: Progress) -> str:
    for step in range(50_000):
        progress(step / 50_000, f"line {step}")
    return "flood " * 1_700_000


def test_tasks_that_hang_raise_and_return_too_much(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        tasks, window = person.desk.engine.tools.tasks, person.desk.side_windows.tasks
        person.desk.engine.tools.toolbox.add(Workshop())
        window.present()
        names = ("hang", "raise", "flood")
        server.reply(*calling("native", *((name, {}) for name in names)), *end())
        # The ends come while the turn runs, or after it; each is reported once.
        held = server.reply(HOLD, text("They run."), *end())
        server.reply(text("Two have ended."), *end())
        server.fallback = lambda request: (text("Another has ended."), *end())
        person.type("hang, raise and flood in the workshop")
        await person.until(lambda: len(tasks.tasks()) == 3, person.shown())
        held.release()
        await person.until(lambda: len(tasks.running()) == 1, "they didn't end", timeout=40)
        await person.until(lambda: "ended." in person.shown(), person.shown())
        await person.desk.engine.tools.task_announcer.wait_idle()
        await person.idle()
        sent = str(server.requests[-1].body["messages"])
        assert "<·tool_call> out of glue" in sent
        assert "characters are left out here" in sent
        assert len(sent) < 60_000
        states = {task.call.name: task.call.status for task in tasks.tasks()}
        assert states == {
            "hang": ToolStatus.RUNNING,
            "raise": ToolStatus.ERROR,
            "flood": ToolStatus.SUCCESS,
        }

    desk_story(story, server.url, mode="native")


@MODES
def test_a_slow_call_is_moved_to_the_background(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def work(_arguments: Mapping[str, object], _progress: Progress) -> str:
        begun.set()
        await over.wait()
        return "it is dug"

    async def story(person: DeskStory) -> None:
        source = ToolServer("garden")
        source.take(schema_tool(ToolSpec("dig", "Dig.", timeout=3_600), work))
        person.desk.engine.tools.toolbox.add(source)
        server.reply(*calling(mode, ("dig", {})), *end())
        person.type("dig the garden")
        await person.until(lambda: begun.is_set() and "running" in person.shown(), person.shown())
        leave = "Continue in the background"
        assert leave not in person.buttons()
        scene = person.desk.chat.view.scene
        clock, scene.clock = scene.clock, lambda: clock() + 6  # some seconds pass
        assert leave in person.buttons()
        server.reply(text("It goes on."), *end())
        person.press_in_message(leave)
        await person.until(lambda: "It goes on." in person.shown(), person.shown())
        await person.idle()
        (call,) = await person.calls()
        assert (call.status, call.data) == (ToolStatus.SUCCESS, {"task_id": "t1"})
        assert leave not in person.buttons()
        assert [task.call.name for task in person.desk.engine.tools.tasks.running()] == ["dig"]
        server.reply(text("The garden is dug."), *end())
        over.set()
        await woken(person, "The garden is dug.")
        assert "it is dug" in told(server)

    desk_story(story, server.url, mode=mode)
