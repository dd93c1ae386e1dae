"""Someone asks what happened in a turn, and copies the answer into a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from neodeskpet.settings.secrets import key_name
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
ASKS = {"mode": {"ask_before_every_change": True}}
KEY = "sk-abcdefghijklmnopqrstuvwxyz"
INSPECT = "What happened in this turn"


def rows(person: DeskStory) -> Iterator[QTreeWidgetItem]:
    tree = person.desk.side_windows.inspector.tree
    waiting = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    while waiting:
        row = waiting.pop(0)
        assert row is not None
        yield row
        waiting = [row.child(at) for at in range(row.childCount())] + waiting


def titles(person: DeskStory) -> list[str]:
    return [f"{row.text(0)} {row.text(1)}".strip() for row in rows(person)]


async def read(person: DeskStory, title: str, number: int = 0) -> str:
    """Choose a line; return the text beside it."""
    window = person.desk.side_windows.inspector
    row = [row for row in rows(person) if row.text(0) == title][number]
    window.tree.setCurrentIndex(QModelIndex())  # a selected one would not be read again
    window.detail_text.setPlainText("…")
    window.tree.setCurrentItem(row)
    await person.until(lambda: window.detail_text.toPlainText() != "…", title)
    return window.detail_text.toPlainText()


async def inspect(person: DeskStory) -> None:
    person.press_in_message(INSPECT)
    await person.until(person.desk.side_windows.inspector.isVisible, "it isn't shown")
    await person.until(lambda: "Round 1" in " ".join(titles(person)), str(titles(person)))


async def report(person: DeskStory) -> str:
    person.click(person.button("Copy as a bug report", person.desk.side_windows.inspector))
    told = person.desk.side_windows.inspector.status_label
    await person.until(lambda: "copied" in told.text(), told.text())
    told.clear()
    return QGuiApplication.clipboard().text()


def test_a_turn_with_a_retry_and_a_denied_tool(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await person.desk.engine.storage.secrets.set_async(key_name(server.url), KEY)
        busy = {"error": {"message": f"busy, {KEY}"}}
        server.reply(busy, status=503, headers={"Retry-After": "0"})
        server.reply(*calling("native", ("note.add", {"text": "my secret plan"})), *end())
        server.reply(text("Then not."), *end())
        person.type("note my plan")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        person.press_in_message("Deny…")
        QTest.keyClick(person.desk.chat.view.viewport().focusWidget(), Qt.Key.Key_Return)
        await person.idle()

        await inspect(person)
        shown = "\n".join(titles(person))
        assert "Round 1 test-model" in shown
        assert "Round 2 test-model" in shown
        assert "failed (HTTP 503)" in shown
        assert "Retry, or another model" in shown
        assert "Tool: Add a note you said no" in shown
        assert shown.count("Request to test-model") == 3

        sent = await read(person, "Sent", 1)
        assert "note my plan\\n⟦/person⟧" in sent
        assert "note_add" in await read(person, "Received", 1)
        assert "It asked for permission; the answer came after" in await read(
            person, "Tool: Add a note"
        )
        assert "Add a note · note.add (own)" in await read(person, "Model input")
        failed = await read(person, "Request to test-model")
        assert "/chat/completions" in failed
        assert "busy" in failed
        everything = [await read(person, row.text(0)) for row in list(rows(person))]
        assert KEY not in "\n".join(everything)
        assert "Authorization: [hidden]" in failed

        brief = await report(person)
        assert "## Round 2" in brief
        assert "Tool: Add a note — you said no" in brief
        assert "plan" not in brief
        person.desk.side_windows.inspector.include_texts.setChecked(True)
        whole = await report(person)
        assert "my secret plan" in whole
        assert "Then not." in whole
        assert KEY not in brief + whole

    desk_story(story, server.url, settings=ASKS)


def test_a_message_of_yesterday_shows_what_is_stored(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def yesterday(person: DeskStory) -> None:
        server.reply(*calling("native", ("time.now", {})), *end())
        server.reply(text("It is noon."), *end())
        person.type("what time is it")
        await person.idle()

    async def today(person: DeskStory) -> None:
        await person.until(lambda: "noon" in person.shown(), person.shown())
        await inspect(person)
        shown = "\n".join(titles(person))
        assert "Tool: Check the time done" in shown
        assert "Round 2" in shown
        assert "Request" not in shown
        whole = await read(person, "Total")
        assert "Tokens: 20 in, 10 out" in whole
        assert "only the stored details" in whole
        QTest.keyClick(person.desk.side_windows.inspector.tree, Qt.Key.Key_Escape)
        assert not person.desk.side_windows.inspector.isVisible()

    desk_story(yesterday, server.url)
    desk_story(today, server.url)
