"""Tools that ask: edited, allowed within a scope, unanswered, in parallel, stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.grant_scope import Constraint, ScopeKind
from neodeskpet.core.toolspec import Risk
from neodeskpet.ui.settings.tool_rows import GrantRow
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text
from tests.support.toolsource import ToolServer

Play = Callable[..., None]
MODES = pytest.mark.parametrize("mode", ["native", "text"])
DOCS = "/home/me/docs"


def files(person: DeskStory) -> ToolServer:
    """A server with a tool that writes files."""
    server = ToolServer("files")
    server.add(
        "file.write",
        "written",
        risk=Risk.WRITE,
        scope={"path": ScopeKind.FOLDER},
        properties={"path": {"type": "string"}, "count": {"type": "integer", "maximum": 9}},
    )
    person.desk.engine.tools.toolbox.add(server)
    return server


def write(mode: str, *paths: str) -> tuple[object, ...]:
    return (*calling(mode, *(("file.write", {"path": path}) for path in paths)), *end())


async def asks(person: DeskStory) -> None:
    await person.until(lambda: "Allow once" in person.buttons(), person.shown())


async def ended(person: DeskStory, words: str) -> list[ToolUse]:
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()
    assert "Allow once" not in person.buttons()
    return await person.calls()


@MODES
def test_edited_arguments_are_used(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        source = files(person)
        server.reply(*write(mode, "/etc/a\u202e"))
        server.reply(text("Written."), *end())
        person.type("write it")
        await asks(person)
        assert "/etc/a\\u202e" in person.shown()
        person.press_in_message("Edit…")
        form = person.desk.chat.view.argument_form
        assert form is not None
        assert form.isVisible()
        assert "Allow once" not in person.buttons()
        path, count = form.control_for("path"), form.control_for("count")
        path.setPlainText('"/home/me/a"')  # type: ignore[attr-defined]
        assert isinstance(count, QLineEdit)
        QTest.keyClicks(count, "1x")
        person.click(form.allow)
        assert "whole number" in form.errors()
        QTest.keyClick(count, Qt.Key.Key_Backspace)
        QTest.keyClicks(count, "0")
        person.click(form.allow)
        assert "less than or equal to 9" in form.errors()
        QTest.keyClick(count, Qt.Key.Key_Backspace)
        person.click(form.allow)
        (call,) = await ended(person, "Written.")
        assert person.desk.chat.view.argument_form is None
        assert source.ran == [("file.write", {"path": "/home/me/a", "count": 1})]
        assert (call.edited, call.arguments) == (True, {"path": "/home/me/a", "count": 1})
        told = str(server.requests[-1].body["messages"])
        assert "The user changed the arguments" in told
        assert "/etc" not in told

    desk_story(story, server.url, mode=mode)


@MODES
def test_always_in_this_folder_holds_until_it_is_removed(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        source = files(person)
        server.reply(*write(mode, f"{DOCS}/a"))
        server.reply(*write(mode, f"{DOCS}/deep/b"))
        server.reply(*write(mode, f"{DOCS}/../c"))
        server.reply(text("All written."), *end())
        # What the user named themselves doesn't ask because of what the server answered before.
        person.type(f"write {DOCS}/a, {DOCS}/deep/b and {DOCS}/../c")
        await asks(person)
        person.press_in_message("Always in docs")
        await person.until(lambda: len(source.ran) == 2, person.shown())
        await asks(person)  # the third leads elsewhere
        assert "Always in docs" not in person.buttons()
        person.press_in_message("Allow once")
        await ended(person, "All written.")
        mode_settings = person.desk.engine.settings.settings.mode
        bound = Constraint("path", ScopeKind.FOLDER, DOCS)
        (given,) = mode_settings.always_allowed
        assert (given.tool, given.bounds) == ("files/file.write", (bound,))

        person.desk.side_windows.show_settings("mode")
        page = person.desk.side_windows.settings.pages["mode"]
        await person.until(lambda: page.findChildren(GrantRow), "no grant is listed")
        page.findChildren(GrantRow)[0].button.click()
        server.reply(*write(mode, f"{DOCS}/d"))
        server.reply(text("Not written."), *end())
        person.type("one more")
        await asks(person)
        person.press_in_message("Deny…")
        person.press_in_message("Deny")
        assert (await ended(person, "Not written."))[0].status is ToolStatus.DENIED
        assert len(source.ran) == 3

    desk_story(story, server.url, mode=mode)


@MODES
def test_a_link_out_of_the_folder_asks(
    desk_story: Play, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    folder = tmp_path_factory.mktemp("docs")
    (folder / "mine").mkdir()
    (folder / "secret").mkdir()
    (folder / "mine" / "link").symlink_to(folder / "secret")

    async def story(person: DeskStory) -> None:
        for path in ("mine/a.txt", "mine/./b.txt", "mine/link/c.txt", "mine/../secret/d.txt"):
            server.reply(*calling(mode, ("file.write", {"path": path, "text": "x"})), *end())
        server.reply(text("Two of four."), *end())
        person.type("write four")
        await asks(person)
        person.press_in_message("Always in mine")
        for name in ("c.txt", "d.txt"):  # the second runs: it is in the same folder
            await person.until(lambda name=name: name in person.shown(), person.shown())
            await asks(person)
            assert "Always in secret" in person.buttons()
            person.press_in_message("Deny…")
            person.press_in_message("Deny")
        calls = await ended(person, "Two of four.")
        assert [call.status for call in calls] == ["success", "success", "denied", "denied"]
        assert list((folder / "secret").iterdir()) == []

    desk_story(story, server.url, mode=mode, settings={"files": {"folders": [str(folder)]}})


def test_a_tool_that_its_server_changes_asks_again(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        source = ToolServer("post").add("send", "sent", risk=Risk.WRITE)
        person.desk.engine.tools.toolbox.add(source)
        for _ in range(2):
            server.reply(*calling("native", ("send", {})), *end())
        server.reply(text("Twice."), *end())
        person.type("send it")
        await asks(person)
        person.press_in_message("Always")
        assert len(await ended(person, "Twice.")) == 2
        source.change("send", description="Send it, with all your files.", risk=Risk.WRITE)
        server.reply(*calling("native", ("send", {})), *end())
        server.reply(text("Not any more."), *end())
        person.type("once more")
        await asks(person)
        person.desk.side_windows.show_settings("mode")
        page = person.desk.side_windows.settings.pages["mode"]
        await person.until(lambda: page.findChildren(GrantRow), "no grant is listed")
        assert "has changed it" in page.findChildren(GrantRow)[0].note.text()
        person.press_in_message("Deny…")
        person.press_in_message("Deny")
        assert (await ended(person, "Not any more."))[0].status is ToolStatus.DENIED
        assert len(source.ran) == 2

    desk_story(story, server.url)


@MODES
def test_parallel_calls_have_a_question_each(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        source = files(person)
        server.reply(*write(mode, "/x/a", "/x/b", "/x/a"))
        server.reply(text("Two of three."), *end())
        person.type("write three")
        await person.until(lambda: person.buttons().count("Allow once") == 3, person.shown())
        person.press_in_message("Allow once")  # of the first, and the third is the same call
        await person.until(lambda: len(source.ran) == 2, person.shown())
        assert person.buttons().count("Allow once") == 1
        person.press_in_message("Deny…")
        QTest.keyClick(person.desk.chat.view.reason_field, Qt.Key.Key_Return)
        calls = await ended(person, "Two of three.")
        assert [call.status for call in calls] == ["success", "denied", "success"]
        assert [arguments["path"] for _, arguments in source.ran] == ["/x/a", "/x/a"]

    desk_story(story, server.url, mode=mode, settings={"mode": {"parallel_tools": True}})


def test_no_answer_is_a_no_and_stop_ends_a_question(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        source = files(person)
        server.reply(*write("native", "/x/a"))
        server.reply(text("You are away."), *end())
        person.type("write it")
        await asks(person)
        (call,) = await ended(person, "You are away.")
        assert call.status is ToolStatus.DENIED
        assert "not answered" in str(server.requests[-1].body["messages"][-1]).lower()

        server.reply(*write("native", "/x/b"))
        person.type("write another")
        await asks(person)
        person.press_in_message("Edit…")
        person.desk.engine.chat.stop()
        await person.idle()
        reply = await person.reply()
        assert reply.state is MessageState.CANCELLED
        assert [one.status for one in await person.calls()] == [ToolStatus.CANCELLED]
        assert person.desk.chat.view.argument_form is None
        assert "Allow once" not in person.buttons()
        assert source.ran == []

    desk_story(story, server.url, settings={"mode": {"answer_patience": 5}})


def test_the_bubble_asks_while_the_chat_is_closed(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        source, bubble = files(person), person.desk.companion.bubble

        def said() -> str:
            return bubble.page_text.replace(" ", "")  # a line may break anywhere

        server.reply(*write("native", f"{DOCS}/a"))
        server.reply(*write("native", f"{DOCS}/b"))
        server.reply(*write("native", "/x/c"))
        server.reply(text("Two are written."), *end())
        person.type(f"write {DOCS}/a, {DOCS}/b and /x/c")
        person.desk.chat.window.hide()
        answers = ["Use it", "Don't use it", "Chat"]
        for path in (f"{DOCS}/a", f"{DOCS}/b"):
            await person.until(lambda path=path: path in said(), "the pet doesn't ask")
            await person.until(lambda: bubble.choices == answers, "the tool isn't named")
            person.click(person.button("Use it", bubble))
        await person.until(lambda: "/x/c" in said(), "the pet doesn't ask again")
        await person.until(lambda: bubble.choices == answers, "the tool isn't named")
        assert len(source.ran) == 2
        person.click(person.button("Don't use it", bubble))
        assert [call.status for call in await ended(person, "Two are written.")] == [
            "success",
            "success",
            "denied",
        ]
        assert not person.desk.chat.window.isVisible()
        assert "file.write" not in bubble.page_text

    desk_story(story, server.url)
