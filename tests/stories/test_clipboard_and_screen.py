"""Access to the clipboard and the screen: it asks, the user sees what is taken, and can undo a
replaced clipboard.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
SIGN = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
sign = QLabel("Platform 7")
sign.setStyleSheet("background: white; color: black; font-size: 36px; padding: 60px;")
sign.setGeometry(700, 700, 320, 200)
sign.show()
QTimer.singleShot(200, lambda: print("shown", flush=True))
app.exec()
"""
"""A window of another program."""


async def asked(person: DeskStory) -> None:
    await person.until(lambda: "Allow once" in person.buttons(), person.shown())


async def ended(person: DeskStory, words: str) -> list[ToolUse]:
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()
    return await person.calls()


def sheet() -> QWidget | None:
    """The window that covers the screen while a part of it is chosen."""
    return next(
        (
            w
            for w in QApplication.topLevelWidgets()
            if "Esc" in w.accessibleName() and w.isVisible()
        ),
        None,
    )


def move(widget: QWidget, spot: QPoint, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """Like `QTest.mouseMove`, which runs the loop within a task."""
    kind, there = QEvent.Type.MouseMove, QPointF(spot)
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(
        widget, QMouseEvent(kind, there, widget.mapToGlobal(there), button, button, none)
    )


async def chooses(person: DeskStory) -> QWidget:
    await person.until(sheet, "nothing is to be chosen")
    found = sheet()
    assert found is not None
    return found


@pytest.mark.parametrize("mode", ["native", "text"])
def test_the_clipboard_is_read_and_written_with_consent(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        clipboard = QGuiApplication.clipboard()
        clipboard.setText("milk\n「末」 and bread")
        server.reply(*calling(mode, ("clipboard.read", {})), *end())
        server.reply(*calling(mode, ("clipboard.write", {"text": "oat milk"})), *end())
        server.reply(text("It is copied."), *end())
        person.type("make it oat milk")
        await asked(person)
        assert len(server.requests) == 1  # nothing of it was sent before
        person.press_in_message("Allow once")
        await person.until(lambda: "What would change" in person.shown(), person.shown())
        assert "-milk" in person.shown()
        assert "+oat milk" in person.shown()
        assert clipboard.text().startswith("milk")
        person.press_in_message("Allow once")
        read, written = await ended(person, "It is copied.")
        assert "and bread" in read.output
        assert "「末」" not in read.output  # foreign text
        assert (clipboard.text(), written.status) == ("oat milk", ToolStatus.SUCCESS)
        person.press_in_message("Undo")
        await person.until(lambda: clipboard.text().startswith("milk"), clipboard.text())
        assert "bread" not in json.dumps(written.data)  # the former content isn't stored on disk

    desk_story(story, server.url, mode=mode)


def test_a_picture_is_read_a_password_never_and_a_newer_content_stays(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        clipboard = QGuiApplication.clipboard()
        red = QImage(40, 30, QImage.Format.Format_RGB32)
        red.fill(QColor("red"))
        clipboard.setImage(red)
        server.reply(*calling("native", ("clipboard.read", {})), *end())
        server.reply(*calling("native", ("clipboard.read", {})), *end())
        server.reply(text("A password."), *end())
        person.type("what is in my clipboard?")
        await asked(person)
        person.press_in_message("Allow once")
        await person.until(lambda: len(server.requests) == 2, "the picture wasn't sent")
        await asked(person)  # the same call again reads again
        marked = QMimeData()
        marked.setText("hunter2")
        marked.setData("x-kde-passwordManagerHint", b"secret")
        clipboard.setMimeData(marked)
        person.press_in_message("Allow once")
        seen, secret = await ended(person, "A password.")
        assert [image.media_type for image in seen.images] == ["image/png"]
        assert secret.status is ToolStatus.DENIED
        assert "hunter2" not in json.dumps(server.requests[-1].body)

        server.reply(*calling("native", ("clipboard.write", {"text": "a"})), *end())
        server.reply(text("Copied."), *end())
        person.type("copy a")
        await asked(person)
        person.press_in_message("Allow once")
        await ended(person, "Copied.")
        clipboard.setText("of the user's own")
        person.press_in_message("Undo")
        bubble = person.desk.companion.bubble
        await person.until(lambda: "undone" in bubble.page_text, "nothing is said")
        assert clipboard.text() == "of the user's own"

    desk_story(story, server.url)


def test_the_user_shows_a_part_of_the_screen(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        behind = QWidget()
        behind.setStyleSheet("background: #FF0000;")
        behind.setGeometry(300, 300, 400, 300)
        behind.show()
        try:
            for area in ("region", "screen"):
                server.reply(*calling("native", ("screen.capture", {"area": area})), *end())
            server.reply(*calling("native", ("screen.capture", {"area": "region"})), *end())
            server.reply(text("Red."), *end())
            person.type("what colour is this?")
            await asked(person)
            assert person.desk.chat.window.isVisible()
            person.press_in_message("Allow once")
            over = await chooses(person)
            assert not person.desk.chat.window.isVisible()
            QTest.mousePress(over, Qt.MouseButton.LeftButton, pos=QPoint(350, 350))
            move(over, QPoint(450, 430), Qt.MouseButton.LeftButton)
            QTest.mouseRelease(over, Qt.MouseButton.LeftButton, pos=QPoint(450, 430))
            await asked(person)
            assert person.desk.chat.window.isVisible()
            person.press_in_message("Allow once")  # the whole screen: nothing to choose
            await person.until(lambda: len(server.requests) == 3, person.shown())
            await asked(person)
            person.press_in_message("Allow once")
            QTest.keyClick(await chooses(person), Qt.Key.Key_Escape)
            region, screen, nothing = await ended(person, "Red.")
            assert "didn't choose" in nothing.error
            await person.until(lambda: person.buttons().count("Show Picture") == 2, person.shown())
            for call in (region, screen):
                assert call.shown is not None
                assert len(call.images) == 1
            picture = await person.desk.engine.storage.store.picture(region.images[0].digest)
            assert picture is not None
            assert QImage.fromData(picture).pixelColor(50, 40) == QColor("#FF0000")
        finally:
            behind.close()
            behind.deleteLater()

    desk_story(story, server.url)


def test_stop_ends_the_choice_and_text_is_read_from_the_chosen_part(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("screen.read", {})), *end())
        person.type("read this")
        await asked(person)
        person.press_in_message("Allow once")
        await chooses(person)
        person.desk.engine.chat.stop()
        await person.until(lambda: sheet() is None, "it still lies over the screen")
        await person.idle()
        assert (await person.reply()).state is MessageState.CANCELLED
        assert person.desk.chat.window.isVisible()

        server.reply(*calling("native", ("screen.read", {"area": "window"})), *end())
        server.reply(text("A train."), *end())
        person.type("read the white window")
        await asked(person)
        person.press_in_message("Allow once")
        over = await chooses(person)
        move(over, QPoint(800, 800))
        assert over.grab().toImage().pixelColor(750, 750) == QColor("white")  # highlighted
        QTest.mouseClick(over, Qt.MouseButton.LeftButton, pos=QPoint(800, 800))
        (read,) = await ended(person, "A train.")
        assert read.output == "Platform 7"
        assert not read.images  # the picture stays here
        assert "Platform 7" in json.dumps(server.requests[-1].body)

    with subprocess.Popen([sys.executable, "-c", SIGN], stdout=subprocess.PIPE) as sign:
        try:
            assert sign.stdout is not None
            sign.stdout.readline()
            desk_story(story, server.url)
        finally:
            sign.kill()
