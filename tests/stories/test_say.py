"""A message is sent to the companion without the chat window, and the reply appears in
its bubble.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QInputMethodEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import Image, Role, Text
from neodeskpet.language import tr
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def seen(person: DeskStory) -> bool:
    """Whether the line is completely on the screen, and the face isn't covered."""
    desk = person.desk
    place, screen = (
        desk.quick_message.line.frameGeometry(),
        desk.companion.pet.screen().availableGeometry(),
    )
    return screen.contains(place) and not place.intersects(desk.companion.pet.placement.head_rect())


def click(person: DeskStory, *, twice: bool = False) -> None:
    pet = person.desk.companion.pet
    spot = QPointF(pet.width() / 2, pet.height() / 2)
    kinds = [QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease]
    kinds += [QEvent.Type.MouseButtonDblClick] if twice else []
    for kind in kinds:
        QApplication.sendEvent(
            pet, QMouseEvent(kind, spot, pet.mapToGlobal(spot), LEFT, LEFT, NONE)
        )


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_line_beside_the_companion(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    hello = "你好" if language == "zh_CN" else "Hello"

    async def story(person: DeskStory) -> None:
        desk = person.desk
        line, field, bubble = (
            desk.quick_message.line,
            desk.quick_message.line.composer.field,
            desk.companion.bubble,
        )
        desk.chat.window.close()
        await person.until(desk.companion.pet.isVisible)
        await desk.companion.pet.wait_until_loaded()
        desk.menu.menu.actions["say"].trigger()
        await person.until(field.hasFocus, "the line took no focus")
        await person.until(lambda: seen(person), "it stands in the way")
        assert field.accessibleName() == tr("Say something")

        # An input method: its Enter ends the composition, and sends nothing
        QApplication.sendEvent(field, QInputMethodEvent("ni hao", []))
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert not desk.engine.chat.running
        done = QInputMethodEvent("", [])
        done.setCommitString(hello)
        QApplication.sendEvent(field, done)
        picture = QImage(40, 30, QImage.Format.Format_RGB32)
        picture.fill(Qt.GlobalColor.red)
        QGuiApplication.clipboard().setImage(picture)
        field.paste()
        await person.until(lambda: not line.composer.attachments.has_pending)
        await person.until(lambda: seen(person), "the picture is in the way")
        server.reply(text("Nice to see you."), *end())
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert not line.isVisible()
        await person.until(lambda: bubble.page_text == "Nice to see you.", bubble.page_text)
        await person.idle()
        assert not desk.chat.window.isVisible()
        mine, answer = await person.messages()
        assert mine.role is Role.USER
        assert any(isinstance(block, Image) for block in mine.blocks)
        assert any(isinstance(block, Text) and block.text == hello for block in mine.blocks)
        assert answer.role is Role.ASSISTANT
        if language != "en":
            return  # the rest has no text

        # Esc closes it, the draft stays; it stays beside a figure that grows
        desk.menu.menu.actions["say"].trigger()
        await person.until(field.hasFocus, "the line took no focus")
        field.insertPlainText("and so")
        desk.engine.settings.change("companion", "scale", 1.6)
        await person.until(lambda: seen(person), "it stands in the way")
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert not line.isVisible()
        assert field.text() == "and so"
        field.clear()

        # A click shows it if that is chosen, two clicks the chat
        click(person)
        desk.engine.settings.change("companion", "click_to_say", True)
        click(person)
        await person.until(line.isVisible, "a click didn't show it")
        QTest.keyClick(field, Qt.Key.Key_Escape)
        click(person, twice=True)
        await person.until(desk.chat.window.isActiveWindow, "two clicks didn't show the chat")
        assert not line.isVisible()

        # Without the figure it is near the lower edge, and closes when it isn't needed
        desk.companion.pet.hide()
        desk.menu.menu.actions["say"].trigger()
        await person.until(field.hasFocus, "the line took no focus")
        assert desk.chat.window.screen().availableGeometry().contains(line.frameGeometry())
        desk.chat.window.activateWindow()
        await person.until(lambda: not line.isVisible(), "it stays")

    desk_story(
        story,
        server.url,
        pet=True,
        settings={"appearance": {"language": language, "reduced_motion": True}},
    )
