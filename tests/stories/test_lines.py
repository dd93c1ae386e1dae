"""The lines of a reply are shown at the companion one after another, each with its expression."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import MessageState
from neodeskpet.figure.frame_rate import STREAMING_RATES
from neodeskpet.ui.pet.bubble_painting import TAIL
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import HOLD, ScriptedServer, text

Play = Callable[..., None]
SAID = {
    "en": ("Good morning! Did you sleep well?", "It rains.", "Off we go!"),
    "zh_CN": ("早上好！睡得好吗？", "外面在下雨。", "我们走吧！"),
}


def said_at(person: DeskStory) -> QRect:
    return person.desk.companion.bubble.geometry().adjusted(TAIL, TAIL, -TAIL, -TAIL)


@pytest.mark.parametrize("language", SAID)
def test_lines_play_one_after_another_with_their_expressions(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    first, second, third = SAID[language]
    held = server.reply(
        *(text(part) for part in (f"<messages>\n<item>{first}|", "translated|smile</it", "em>")),
        HOLD,
        *(text(part) for part in (f"<item>{second}||sad</item><item>", f"{third}</item>")),
        text("</messages>"),
        *end(),
    )

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.chat.window.hide()
        worn: list[str] = []
        desk.companion.pet.expression_changed.connect(worn.append)
        bubble = desk.companion.bubble
        await desk.companion.pet.wait_until_loaded()
        await person.until(desk.companion.pet.isExposed, "nobody is there")
        person.type("hello")
        await person.until(lambda: bubble.page_text == first, bubble.page_text)
        await person.until(lambda: "smile" in worn, "no smile while it streams")
        desk.companion.pet.frames.wake(1.0)
        assert desk.companion.pet.frames.frames_per_second() == STREAMING_RATES.active, (
            "frames have lower priority than text"
        )
        desk.companion.pet.placement.move_feet_to(QPoint(0, 0))
        await person.until(lambda: said_at(person).left() < 500, "it doesn't come along")
        room, body = desk.companion.pet.screen().availableGeometry(), said_at(person)
        assert room.contains(body)
        assert not body.intersects(desk.companion.pet.placement.head_rect())
        QCursor.setPos(body.center())
        await person.until(bubble.underMouse, "the pointer isn't on it")
        held.release()
        await person.idle()
        assert bubble.page_text == first, "it is held"
        assert "sad" not in worn
        QTest.mouseClick(bubble, Qt.MouseButton.LeftButton)
        assert bubble.page_text == second
        await person.until(lambda: "sad" in worn, str(worn))
        QCursor.setPos(room.bottomRight())
        await person.until(lambda: bubble.page_text == third, "time doesn't go on")
        reply = await person.reply()
        assert (reply.state, reply.text) == (MessageState.DONE, "\n\n".join(SAID[language]))

        server.reply(text(f"<item>{first}</item><item>{second}</item>"), HOLD, *end())
        person.type("and now?")
        await person.until(lambda: bubble.page_text == first, bubble.page_text)
        desk.engine.chat.stop()
        await person.idle()
        assert not bubble.is_speaking, "stop clears it"

    settings = {"appearance": {"language": language, "reduced_motion": True}}
    settings["mode"] = {"dialect": "tool_tag"}
    desk_story(story, server.url, mode="text", pet=True, settings=settings)
