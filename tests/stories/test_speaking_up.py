"""Proactive remarks: in the bubble at a good moment, otherwise in the inbox."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.blocks import Role
from neodeskpet.core.proactive import Detection, RemarkKind, UserPresence
from neodeskpet.ui.settings.proactive_page import ProactivePage
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
FREE = UserPresence(60.0, Detection.NO, Detection.NO, Detection.UNKNOWN)
WORDS = {
    "en": ("Why?", "Less of this", "Open in chat", "because you paused", "none of these for a day"),
    "zh_CN": ("为什么？", "少说这类话", "在聊天中打开", "因为你停了几分钟", "今天不再提了"),
}


class Presence:
    """A user who acts as the story says."""

    def __init__(self) -> None:
        self.noticed = FREE

    async def read_presence(self) -> UserPresence:
        return self.noticed


def settings(language: str) -> dict[str, dict[str, object]]:
    return {
        "appearance": {"language": language, "reduced_motion": True},
        "initiative": {"on": True, "quiet_from": 0, "quiet_to": 0},
    }


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    wanted = [one for one in buttons if one.text() == name and not one.isHidden()]
    assert wanted, person.desk.companion.bubble.choices
    person.click(wanted[0])


async def standing(person: DeskStory) -> Presence:
    desk, presence = person.desk, Presence()
    desk.chat.window.hide()
    desk.notifiers.remarks.scheduler.presence = presence
    await desk.companion.pet.wait_until_loaded()
    await person.until(desk.companion.pet.isExposed, "nobody is there")
    desk.companion.bubble.clear()
    return presence


@pytest.mark.parametrize("language", WORDS)
def test_it_speaks_in_a_pause_and_says_why(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    why, less, in_chat, reason, promise = WORDS[language]
    said = "Nice and quiet here." if language == "en" else "这里真安静。"

    async def story(person: DeskStory) -> None:
        desk = person.desk
        presence = await standing(person)
        bubble, speaker = desk.companion.bubble, desk.notifiers.remarks.scheduler
        presence.noticed = UserPresence(1.0, Detection.NO, Detection.NO)
        server.reply(text(said), *end())
        assert speaker.offer(RemarkKind.IDLE, "")
        await speaker.check()
        assert (bubble.page_text, server.requests) == ("", []), "the user types"
        presence.noticed = FREE
        await speaker.check()
        assert bubble.page_text == said
        assert bubble.choices == [in_chat, why, less]
        press(person, why)
        assert reason in bubble.page_text.replace(" ", "") or reason in bubble.page_text
        press(person, less)
        await person.until(lambda: promise in bubble.page_text, bubble.page_text)
        assert not speaker.offer(RemarkKind.IDLE, "")
        undo = "Undo" if language == "en" else "撤销"
        assert bubble.choices == [undo]
        press(person, undo)
        await person.until(lambda: not bubble.choices, "it can't be taken back")
        await speaker.reduce(RemarkKind.IDLE)

        desk.notifiers.remarks.report_task("Tea is ready.")
        await speaker.check()
        assert "Tea" not in bubble.page_text, "not again within a quarter of an hour"
        left = speaker.waiting[0]
        speaker.clock = lambda: left.at + 2000
        await speaker.check()
        desk.menu.menu.actions["inbox"].trigger()
        inbox = desk.side_windows.inbox
        await person.until(lambda: inbox.list.entries(), "the inbox is empty")
        assert inbox.full_text.text() == "Tea is ready."
        assert inbox.reason_label.text()
        person.click(inbox.open_button)
        await person.until(lambda: not inbox.list.entries(), "it stays")
        last = (await person.messages())[-1]
        assert (last.role, last.text) == (Role.ASSISTANT, "Tea is ready.")
        await person.until(desk.chat.window.isVisible, "the chat isn't shown")

    desk_story(story, server.url, pet=True, settings=settings(language))


def test_without_a_model_it_has_lines_of_its_own_and_switched_off_it_says_nothing(
    desk_story: Play,
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await standing(person)
        speaker = desk.notifiers.remarks.scheduler
        desk.engine.settings.change("initiative", "on", False)
        assert not speaker.offer(RemarkKind.IDLE, "")
        desk.notifiers.remarks.report_task("Done.")
        assert desk.companion.bubble.page_text == "Done.", "as ever"
        desk.companion.bubble.clear()
        desk.engine.settings.change("initiative", "on", True)
        speaker.offer(RemarkKind.IDLE, "")
        desk.notifiers.remarks.check()
        await person.until(
            lambda: "Open in chat" in desk.companion.bubble.choices, "it says nothing"
        )
        words = desk.companion.bubble.page_text
        press(person, "Open in chat")
        await person.until(desk.chat.window.isVisible, "the chat isn't shown")
        assert (await person.messages())[-1].text == words
        page = desk.side_windows.settings.pages["initiative"]
        assert isinstance(page, ProactivePage)
        assert "shared screen" in page.noticed.text()

    desk_story(story, pet=True, settings=settings("en"))
