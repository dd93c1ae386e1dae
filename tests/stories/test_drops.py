"""What is dropped on the companion or on the chat is taken, and it is asked what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from neodeskpet.core.blocks import Image, Text
from tests.support.desk import DeskStory
from tests.support.pictures import encoded
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag(target: QObject, data: QMimeData) -> bool:
    event = QDragEnterEvent(QPoint(9, 9), COPY, data, LEFT, NONE)
    event.ignore()
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def drop(target: QObject, data: QMimeData) -> None:
    assert drag(target, data)
    QApplication.sendEvent(target, QDropEvent(QPointF(9, 9), COPY, data, LEFT, NONE))


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.bubble.findChildren(QPushButton)
    wanted = next(button for button in buttons if button.text() == name and not button.isHidden())
    QTest.mouseClick(wanted, Qt.MouseButton.LeftButton)


def test_dropped_on_the_companion(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    notes, picture, book = tmp_path / "notes.md", tmp_path / "cat.png", tmp_path / "book.pdf"
    notes.write_text("Buy *milk*.", encoding="utf-8")
    picture.write_bytes(encoded())
    book.write_bytes(b"%PDF\x00\x01")

    async def story(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.bubble
        composer = desk.window.composer
        assert drag(desk.pet, files(notes))
        assert "Drop it on me" in bubble.page_text
        QApplication.sendEvent(desk.pet, QDragLeaveEvent())
        assert not bubble.speaking

        drop(desk.pet, files(notes))
        assert "notes.md" in bubble.page_text
        assert bubble.choices == ["Ask about it", "Add to the message", "Never mind"]
        press(person, "Never mind")
        assert not bubble.speaking
        assert composer.draft() == ""

        drop(desk.pet, files(notes))
        press(person, "Add to the message")
        await person.until(lambda: "Buy *milk*." in composer.draft(), "it isn't quoted")
        composer.set_draft("")

        server.reply(text("A list and a cat."), *end())
        drop(desk.pet, files(notes, picture))
        assert "2 files" in bubble.page_text
        press(person, "Ask about it")
        await person.until(lambda: desk.engine.chat.running, "nothing is asked")
        await person.idle()
        asked, reply = (await person.messages())[-2:]
        said = next(block.text for block in asked.blocks if isinstance(block, Text))
        assert "```md\nBuy *milk*.\n```" in said
        assert said.endswith("What do you make of this?")
        assert any(isinstance(block, Image) for block in asked.blocks)
        assert reply.text == "A list and a cat."

        words = QMimeData()
        words.setText("https://example.org/a")
        drop(desk.pet, words)
        press(person, "Add to the message")
        assert composer.draft() == "https://example.org/a"
        composer.set_draft("")

        drop(desk.pet, files(book))
        press(person, "Ask about it")
        told = composer.attachments
        await person.until(lambda: "book.pdf" in told.told, "nobody says that it can't be taken")
        assert "text files" in told.told
        assert not desk.engine.chat.running

    desk_story(story, server.url)


def test_other_files_on_the_chat(desk_story: Play, tmp_path: Path) -> None:
    code = tmp_path / "main.py"
    code.write_text("print(1)\n", encoding="utf-8")

    async def story(person: DeskStory) -> None:
        window = person.desk.window
        assert drag(window, files(code))
        assert window.drop_zone.isVisible()
        drop(window.drop_zone, files(code))
        wanted = "main.py:\n\n```py\nprint(1)\n```"
        await person.until(lambda: window.composer.draft().strip() == wanted, "it isn't quoted")

        drop(window, files(tmp_path))
        told = window.composer.attachments
        await person.until(lambda: "folder" in told.told, "nothing is said of a folder")

    desk_story(story)
