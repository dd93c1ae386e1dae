"""The panels of apps: changes by the user, the companion and other programs affect the
same data.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from neodeskpet.tools.builtin.clipboard import ClipboardContent
from neodeskpet.ui.notebook.today_window import TODOS
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.windows.app_panel import AppPanel
from tests.stories.test_apps import act, acting, history_page, says, told
from tests.stories.test_notebook import lines, open_window, press, shows, write
from tests.stories.test_other_programs import comes, connects, open_door
from tests.support.agents import Agent
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def open_panel(person: DeskStory, app: str) -> AppPanel:
    """Open the window of an app as the menu does."""
    person.desk.windows.present(f"panel {app}")
    panel = person.desk.side_windows.panel(app)
    assert panel.isVisible()
    return panel


async def logs(person: DeskStory, pane: ListPane, newest: str) -> None:
    """Wait until the newest action is there: the log is read after the result of the action is
    shown.
    """
    await person.until(lambda: lines(pane)[0].startswith(newest), f"{lines(pane)}: no {newest}")


def test_both_change_to_dos_and_see_the_others_changes(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def first(person: DeskStory) -> None:
        window = open_window(person, TODOS)
        pane, form, log = window.todos.pane, window.todos.form, window.history.log
        press(person, "Add", pane)
        press(person, "Save", form)
        assert form.sheet.error_label.text() == "Enter what is to be done."
        write(form.text, "buy milk")
        QTest.keyClick(form.text, Qt.Key.Key_Return)
        await shows(person, pane, "buy milk")

        await person.desk.engine.tools.apps.host.open("todo")
        server.reply(
            *acting("native", act("todo", "add", text="bake bread"), act("todo", "done", id=1))
        )
        server.reply(text("It is done."), *end())
        person.type("the milk is bought")
        await says(person, "It is done.")
        assert "1: [ ] buy milk" in told(server.requests[0])
        assert "2: [ ] bake bread\n1: [x] buy milk" in told(server.requests[1])
        await shows(person, pane, "bake bread", "buy milk, Done")
        history_page(person)
        lines = await shows(
            person, log, "To-dos: Tick a to-do", "To-dos: Add a to-do", "To-dos: Add a to-do"
        )
        assert "Neo" in lines[0]
        assert "You" in lines[2]
        log.list.setCurrentRow(0)
        press(person, "Undo", log)
        await shows(person, pane, "buy milk", "bake bread")

        person.click(window.tab_buttons[TODOS])
        pane.list.select("2")
        press(person, "Edit", pane)
        write(form.text, "bake rye bread by 17 May 2090 5 pm")
        form.from_text.click()
        press(person, "Save", form)
        due = "bake rye bread, 17 May 2090 17:00"
        await shows(person, pane, due, "buy milk")
        press(person, "Edit", pane)
        write(form.due, "2090-05-18")
        press(person, "Save", form)
        await shows(person, pane, "bake rye bread, 18 May 2090", "buy milk")
        pane.list.select("1")
        press(person, "Done", pane)
        await shows(person, pane, "bake rye bread", "buy milk, Done")
        press(person, "Clear done", pane)
        await shows(person, pane, "bake rye bread")
        press(person, "Delete", pane)
        await shows(person, pane, "Nothing to do.")
        history_page(person)
        await logs(person, log, "To-dos: Delete a to-do")
        log.list.setCurrentRow(0)
        press(person, "Undo", log)
        await shows(person, pane, "bake rye bread")
        person.click(window.tab_buttons[TODOS])
        press(person, "Add", pane)
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert window.isVisible()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert not window.isVisible()

    async def second(person: DeskStory) -> None:
        await shows(person, open_window(person, TODOS).todos.pane, "bake rye bread")

    desk_story(first, server.url, mode="native")
    desk_story(second, server.url, mode="native")


def test_both_look_at_the_files(
    desk_story: Play, server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("theirs")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "list.txt").write_text("oats", encoding="utf-8")
    path = str(tmp_path / "in" / "list.txt")

    def held() -> str:
        return Path(path).read_text(encoding="utf-8")

    async def story(person: DeskStory) -> None:
        pane = open_panel(person, "files").content.pane
        (root,) = await shows(person, pane, str(tmp_path))
        pane.list.opened.emit(str(tmp_path))
        await shows(person, pane, "in")
        assert "files" not in person.desk.engine.tools.apps.host.open_targets
        press(person, "Parent folder", pane)
        await shows(person, pane, root)

        server.reply(*acting("native", act("launcher", "open", app="files")))
        server.reply(
            *acting(
                "native",
                act("files", "open", path=str(tmp_path / "in")),
                act("files", "read", path=path),
                act("files", "read", path="/etc/passwd"),
            )
        )
        server.reply(*acting("native", act("files", "write", path=path, text="rye")))
        server.reply(text("It is written."), *end())
        person.type("write rye into the list")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        await shows(person, pane, "list.txt")
        await person.until(lambda: "What would change" in person.shown(), person.shown())
        assert any(name.startswith("Always in") for name in person.buttons()), person.buttons()
        person.press_in_message("Allow once")
        await says(person, "It is written.")
        assert "oats" in told(server.requests[2])
        assert "root:" not in told(server.requests[2])
        assert held() == "rye"
        log = person.desk.side_windows.panel("files").log.pane
        await shows(
            person,
            log,
            "Write a file",
            "Read a file",
            "Read a file",
            "List files",
        )
        log.list.setCurrentRow(0)
        press(person, "Undo", log)
        await person.until(lambda: held() == "oats", "not undone")

    folders = {"files": {"folders": [str(tmp_path)]}}
    desk_story(story, server.url, mode="native", settings=folders)


def test_the_clipboard_is_shown_to_the_user_and_asks_for_the_companion(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        QGuiApplication.clipboard().setText("my secret plan")
        panel = open_panel(person, "clipboard")
        await shows(person, panel.content.pane, "my secret plan, Text")
        await person.desk.engine.tools.apps.host.open("clipboard")
        server.reply(*acting("native", act("clipboard", "read")))
        server.reply(*acting("native", act("clipboard", "write", text="a better plan")))
        server.reply(text("Copied."), *end())
        person.type("what do you think of it?")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert "my secret plan" not in told(server.requests[0])
        assert QGuiApplication.clipboard().text() == "my secret plan"
        person.press_in_message("Allow once")
        await person.until(lambda: len(server.requests) == 2, "it doesn't go on")
        assert "⟦foreign: clipboard.read⟧\nmy secret plan" in told(server.requests[1])
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Allow once")
        await says(person, "Copied.")
        await shows(person, panel.content.pane, "a better plan")
        lines = await shows(person, panel.log.pane, "Write to the clipboard", "Read the clipboard")
        assert "secret" not in lines[1]
        panel.log.pane.list.setCurrentRow(0)
        press(person, "Undo", panel.log.pane)
        await shows(person, panel.content.pane, "my secret plan, Text")
        held = QMimeData()
        held.setText("hunter2")
        held.setData("x-kde-passwordManagerHint", b"secret")
        QGuiApplication.clipboard().setMimeData(held)
        await shows(person, panel.content.pane, "••••••")
        QGuiApplication.clipboard().clear()
        await shows(person, panel.content.pane, "The clipboard is empty.")

    assert not ClipboardContent().text
    desk_story(story, server.url, mode="native")


def test_another_program_edits_a_note_and_the_panel_shows_it(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, home = person.desk, open_door(person)
        await desk.engine.notebook.notes.add("oats")
        window = history_page(person)
        today = desk.side_windows.today
        notes, todo = today.notes.pane, today.todos.pane
        with Agent("coder").over_stdio(home) as agent:
            await connects(person, agent)
            listed = agent.tools()
            await person.until(listed.done)
            actions = {"note_edit", "todo_done", "file_list", "clipboard_read", "launcher_open"}
            assert actions <= set(listed.result())
            assert not any(name.startswith("live2d") for name in listed.result())

            said = await comes(person, agent.call("note_edit", id=1, text="rye"))
            assert said == ("1: coder: rye", False)
            await shows(person, notes, "coder: rye")
            assert not (await comes(person, agent.call("todo_add", text="mow")))[1]
            assert not (await comes(person, agent.call("todo_done", id=1)))[1]
            await shows(person, todo, "coder: mow, Done")
            lines = await shows(person, window.log, "To-dos: Tick", "To-dos: Add", "Notes: Edit")
            assert "coder" in lines[0]
            assert "no to-do 9" in (await comes(person, agent.call("todo_done", id=9)))[0]

            asked = agent.call("file_list")
            await person.until(
                lambda: "coder asks" in person.desk.companion.bubble.page_text, "not asked"
            )
            assert not asked.done()
            asked.cancel()

            read = agent.windows()
            await person.until(read.done)
            windows = read.result()
            assert "1: coder: rye" in windows["neodeskpet://windows/notes"]
            assert "1: [x] coder: mow" in windows["neodeskpet://windows/todo"]
            assert "the user's own" in windows["neodeskpet://windows/files"]
            assert '<action id="edit"' in windows["neodeskpet://windows/notes"]

    desk_story(story, pet=True)
