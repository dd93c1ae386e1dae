"""Several conversations: create, switch, rename, pin, delete, a draft for each, export."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu

from neodeskpet.core.blocks import ConversationInfo, MessageState
from neodeskpet.core.errors import KnownError
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.ui.dialog_folders import FolderKind
from tests.support.desk import DeskStory
from tests.support.menus import choose_in_head
from tests.support.replies import bare, calling, end
from tests.support.sseserver import HANG, ScriptedServer, text

Play = Callable[..., None]


def titles(person: DeskStory) -> list[str]:
    """The rows of the sidebar, from the top."""
    model = person.desk.chat.window.sidebar.model
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


async def opens(person: DeskStory, title: str) -> None:
    """Click on the row with this title."""
    side = person.desk.chat.window.sidebar
    person.desk.chat.window.show_sidebar(True)
    index = side.model.index(titles(person).index(title), 0)
    row = side.list.visualRect(index)
    spot = QPoint(row.left() + 20, row.center().y())
    QTest.mouseClick(side.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    await person.until(lambda: info(person).title == title, f"{title} didn't open")
    await shows(person)


def info(person: DeskStory) -> ConversationInfo:
    found = person.desk.engine.chat.conversation
    assert found is not None
    return found


async def shows(person: DeskStory) -> None:
    """Wait until the window shows the open conversation."""
    stored = [m.id for m in await person.messages()]
    view = person.desk.chat.view
    await person.until(
        lambda: [m.message_id for m in view.access.messages()] == stored, "the view lags behind"
    )


async def begins_anew(person: DeskStory) -> None:
    before = info(person).id
    QTest.keyClick(person.desk.chat.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    await person.until(lambda: info(person).id != before, "no new conversation")
    await shows(person)


async def says(person: DeskStory, server: ScriptedServer, words: str, answer: str) -> None:
    server.reply(text(answer), *end())
    person.type(words)
    await person.until(lambda: answer in person.shown(), f"{answer} isn't shown")
    await person.idle()


def test_each_has_its_own_messages(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        await says(person, server, "about cats", "Cats purr.")
        await begins_anew(person)
        await person.until(person.desk.chat.window.welcome.isVisible)
        await says(person, server, "about dogs", "Dogs bark.")
        assert [bare(m["content"]) for m in server.requests[-1].body["messages"][1:]] == [
            "about dogs"
        ]
        assert titles(person) == ["about dogs", "about cats"]
        await opens(person, "about cats")
        await person.until(lambda: "Cats purr." in person.shown())
        await says(person, server, "and?", "They sleep.")
        assert [bare(m["content"]) for m in server.requests[-1].body["messages"][1:]] == [
            "about cats",
            "Cats purr.",
            "and?",
        ]

    async def second(person: DeskStory) -> None:
        await person.until(lambda: "They sleep." in person.shown(), "not the last one used")
        assert info(person).title == "about cats"

    desk_story(first, server.url)
    desk_story(second, server.url)


def test_an_empty_one_is_not_made_twice(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        before = info(person).id
        person.desk.chat.window.sidebar.new_requested.emit()
        person.desk.chat.window.sidebar.new_requested.emit()
        await person.idle()
        assert info(person).id == before
        assert len(await person.desk.engine.storage.store.conversations()) == 1

    desk_story(story)


def test_rename_pin_search_delete(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        side = person.desk.chat.window.sidebar
        await says(person, server, "about cats", "Cats purr.")
        await begins_anew(person)
        await says(person, server, "about dogs", "Dogs bark.")
        person.desk.chat.window.show_sidebar(True)

        side.list.setCurrentIndex(side.model.index(1, 0))
        QTest.keyClick(side.list, Qt.Key.Key_F2)
        editor = side.list.findChild(QLineEdit)
        editor.selectAll()
        QTest.keyClicks(editor, "Felines")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        await person.until(lambda: titles(person) == ["about dogs", "Felines"], "not renamed")

        side.list.menu_requested.emit(side.model.index(1, 0), QPoint(40, 40))
        menu = side.findChildren(QMenu)[0]
        next(action for action in menu.actions() if action.text() == "Pin").trigger()
        menu.close()
        await person.until(lambda: titles(person) == ["Felines", "about dogs"], "not pinned")

        QTest.keyClicks(side.search, "dog")
        assert titles(person) == ["about dogs"]
        side.search.clear()

        side.list.setCurrentIndex(side.model.index(1, 0))
        QTest.keyClick(side.list, Qt.Key.Key_Delete)
        await person.until(lambda: titles(person) == ["Felines"], "not deleted")
        await person.until(lambda: info(person).title == "Felines")
        await person.until(lambda: "Cats purr." in person.shown(), "the other one isn't shown")

    desk_story(story, server.url)


def test_the_last_one_deleted_leaves_an_empty_one(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "about cats", "Cats purr.")
        before = info(person).id
        server.reply(text("And on and on"), HANG)
        person.type("go on")
        await person.until(lambda: person.sees("And on and on"))
        person.desk.chat.window.sidebar.delete_requested.emit([before])
        await person.until(lambda: info(person).id != before, "it wasn't deleted")
        await person.until(lambda: person.desk.chat.window.welcome.isVisible())
        assert server.requests[-1].closed_early.wait(60)
        assert not person.desk.engine.chat.running
        await says(person, server, "hello", "Hello!")

    desk_story(story, server.url)


def test_leaving_during_a_reply_stops_it_and_keeps_its_text(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "about dogs", "Dogs bark.")
        await begins_anew(person)
        server.reply(text("Cats purr and"), HANG)
        person.type("about cats")
        await person.until(lambda: person.sees("Cats purr and"))
        await opens(person, "about dogs")
        await person.until(lambda: "Dogs bark." in person.shown())
        assert server.requests[-1].closed_early.wait(60)
        assert "Cats" not in person.shown()
        assert not person.desk.engine.chat.running
        await opens(person, "about cats")
        await person.until(lambda: "Cats purr and" in person.shown())
        assert (await person.reply()).state is MessageState.CANCELLED

    desk_story(story, server.url)


def test_drafts(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        await says(person, server, "about cats", "Cats purr.")
        person.type("what about their", send=False)
        await begins_anew(person)  # at once, before a timer could have saved it
        await person.until(lambda: composer.draft() == "", "the draft went along")
        await says(person, server, "about dogs", "Dogs bark.")
        person.type("half a dog", send=False)
        await opens(person, "about cats")
        await person.until(lambda: composer.draft() == "what about their", composer.draft())
        await opens(person, "about dogs")
        await person.until(lambda: composer.draft() == "half a dog", composer.draft())

    async def second(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        await person.until(lambda: composer.draft() == "half a dog", composer.draft())
        person.press(Qt.Key.Key_Backspace)
        assert composer.draft() == "half a do"
        server.reply(text("Sent."), *end())
        person.press(Qt.Key.Key_Return)
        await person.until(lambda: "Sent." in person.shown())
        await person.idle()

    async def third(person: DeskStory) -> None:
        await person.until(lambda: "Sent." in person.shown())
        assert person.desk.chat.window.composer.draft() == ""

    desk_story(first, server.url)
    desk_story(second, server.url)
    desk_story(third, server.url)


def test_a_draft_that_could_not_be_saved_is_saved_at_the_end(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def first(person: DeskStory) -> None:
        await says(person, server, "about cats", "Cats purr.")
        told: list[KnownError] = []
        person.desk.chat.presenter.failed.connect(told.append)
        with closing(sqlite3.connect(tmp_path / CONVERSATIONS_FILE)) as other:
            other.execute("BEGIN IMMEDIATE")
            person.type("what about their", send=False)
            await person.until(lambda: told, "it was kept")

    async def second(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        await person.until(lambda: composer.draft() == "what about their", composer.draft())

    desk_story(first, server.url)
    desk_story(second, server.url)


def export(person: DeskStory, entry: str, among: str = "Export") -> QFileDialog:
    """Choose it in the head's menu; return the dialog."""
    choose_in_head(person, entry, among)
    (dialog,) = person.desk.chat.window.findChildren(QFileDialog)
    assert dialog.isVisible()
    return dialog


def save(dialog: QFileDialog, file: Path) -> None:
    dialog.selectFile(str(file))
    dialog.accept()


def test_export(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("calc.evaluate", {"expression": "6*7"})), *end())
        await says(person, server, "what is 6*7?", "It is 42. 好")
        markdown, data = tmp_path / "out.md", tmp_path / "out.json"
        save(export(person, "Markdown…"), markdown)
        await person.until(lambda: markdown.exists() and markdown.read_text("utf-8"))
        written = markdown.read_text("utf-8")
        assert written.startswith("# what is 6*7?")
        assert "It is 42. 好" in written
        assert 'Calculate {"expression": "6*7"}' in written
        saved = person.desk.chat.window.export_bar
        await person.until(saved.isVisible, "it doesn't say where")
        assert saved.text.full_text() == f"Saved as {markdown}"
        person.click(saved.close_button)

        await person.until(lambda: not person.desk.chat.window.findChildren(QFileDialog))
        dialog = export(person, "JSON, to be imported again…")
        assert dialog.directory().absolutePath() == str(tmp_path)
        save(dialog, data)
        await person.until(lambda: data.exists() and data.read_text("utf-8").endswith("}\n"))
        read = json.loads(data.read_text("utf-8"))
        assert [m["role"] for m in read["messages"]] == ["user", "assistant"]
        assert [b["kind"] for b in read["messages"][1]["blocks"]] == ["tool_use", "text"]

    async def next_start(person: DeskStory) -> None:
        await person.until(lambda: "42" in person.shown())
        dialog = export(person, "Markdown…")
        assert dialog.directory().absolutePath() == str(tmp_path)
        dialog.reject()

    desk_story(story, server.url)
    desk_story(next_start, server.url)


def test_an_export_starts_in_the_users_documents(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "hello", "Hello!")
        dialog = export(person, "Markdown…")
        begins = Path(dialog.directory().absolutePath())
        assert begins == person.desk.chat.window.folders.start_folder(FolderKind.DOCUMENTS)
        assert begins != Path.cwd()
        dialog.reject()

    desk_story(story, server.url)


def test_a_failed_export_is_reported(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await says(person, server, "hello", "Hello!")
        told: list[str] = []
        person.desk.chat.presenter.problem_reported.connect(lambda what, why: told.append(what))
        dialog = export(person, "Markdown…")
        dialog.fileSelected.emit("/nowhere/out.md")  # the folder is deleted by then
        dialog.reject()
        await person.until(lambda: told)
        assert told == ["The file could not be written."]

    desk_story(story, server.url)
