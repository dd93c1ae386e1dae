"""The result of a background prompt is a bubble that leads to the chat; all results are listed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QPushButton

from neodeskpet.conversation.background_prompts import reminder_prompt
from neodeskpet.core.blocks import Role
from neodeskpet.language import set_language
from neodeskpet.notebook.appointment import Maker
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import HOLD, ScriptedServer, text

Play = Callable[..., None]
OPEN = {"en": "Open in chat", "zh_CN": "在聊天中打开"}


def bubble_button(person: DeskStory, words: str) -> QPushButton | None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    return next((one for one in buttons if one.text() == words and one.isVisible()), None)


def rows(person: DeskStory) -> list[str]:
    entries = person.desk.side_windows.background_prompts.list
    return [entries.item(number).text() for number in range(entries.count())]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_an_appointment_runs_a_background_prompt_and_is_answered_in_the_chat(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    async def story(person: DeskStory) -> None:
        desk, book = person.desk, person.desk.engine.notebook.appointments
        set_language(language)
        meant = book.read("every day at 8:00")
        one = await book.add(
            "Tea", "every day at 8:00", meant, prompt="make tea", zone="", maker=Maker.PERSON
        )
        server.reply(text("Your tea is due."), *end())
        await book.run_now(one.id)
        await person.until(lambda: bubble_button(person, OPEN[language]), "no bubble")
        asked = server.requests[0]
        assert "It is no chat" in str(asked.body) and "tools" not in asked.body
        assert await desk.engine.storage.store.history(desk.engine.chat.conversation.id) == []  # type: ignore[union-attr]

        button = bubble_button(person, OPEN[language])
        assert button is not None
        person.click(button)
        await person.until(lambda: "Your tea is due." in person.shown(), "not in the chat")
        assert bubble_button(person, OPEN[language]) is None
        server.reply(text("Enjoy it."), *end())
        person.type("I have it")
        await person.until(lambda: "Enjoy it." in person.shown(), "no answer")
        assert "Your tea is due." in str(server.requests[1].body["messages"])
        await person.idle()
        roles = [message.role for message in await person.messages()]
        assert roles == [Role.ASSISTANT, Role.USER, Role.ASSISTANT]

    settings = {"mode": {"apps": False}}
    desk_story(story, server.url, mode="native", settings=settings)


def test_they_wait_for_each_other_and_for_the_chat_and_are_listed(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk, errands = person.desk, person.desk.engine.models.background_prompts
        desk.side_windows.tasks.present()
        person.click(desk.side_windows.tasks.background_prompts_button)
        await person.until(desk.side_windows.background_prompts.isVisible, "no window")
        assert (
            desk.side_windows.background_prompts.empty.isVisible()
            and not desk.side_windows.background_prompts.open_button.isVisible()
        )
        held = server.reply(text("Well, "), HOLD, text("good."), *end())
        person.type("how are you?")
        await person.until(lambda: "Well" in person.shown(), "no answer")
        server.reply(text("Tea is ready."), *end())
        server.reply({"error": {"message": "no such model"}}, status=404)
        both = [spawn_task(errands.run(reminder_prompt(w)), name=w) for w in ("tea", "plants")]
        await person.until(lambda: len(rows(person)) == 2, "not listed")
        assert [run.stage for run in errands.all_runs] == ["waiting", "waiting"]
        assert len(server.requests) == 1
        held.release()
        await person.until(lambda: all(one.done() for one in both), "not run")
        failed, done = errands.runs
        assert (failed.prompt.instructions_note, done.prompt.instructions_note) == ("plants", "tea")
        assert failed.failure and not done.failure
        assert bubble_button(person, "Open in chat") is not None
        person.click(desk.companion.bubble.findChildren(QPushButton)[0])
        await person.until(lambda: not desk.companion.bubble.findChildren(QPushButton), "it stays")
        window = desk.side_windows.background_prompts
        window.list.setCurrentRow(0)
        assert not window.open_button.isEnabled() and window.reply_text.toPlainText()
        window.list.setCurrentRow(1)
        assert window.reply_text.toPlainText() == "Tea is ready."
        person.click(window.open_button)
        await person.until(lambda: "Tea is ready." in person.shown(), "not in the chat")

    desk_story(story, server.url, mode="native")
