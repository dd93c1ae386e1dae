"""The summary of older messages is shown in the chat, read, edited and regenerated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neodeskpet.conversation.prompt import ConversationSummary
from neodeskpet.language import set_language
from neodeskpet.ui.chat.items.message_annotations import SummaryMark
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import Request, ScriptedServer, text

Play = Callable[..., None]
LONG = "字" * 7_000
MARKS = {"en": "The messages above are summarized", "zh_CN": "以上内容以摘要代替"}


def mark(person: DeskStory) -> SummaryMark | None:
    """The mark below the message that it belongs to."""
    entries = person.desk.chat.view.column.entries
    found = [i for one in entries if one is not None for i in one.items]
    return next((one for one in found if isinstance(one, SummaryMark)), None)


def told(request: Request) -> str:
    return str(request.body["messages"])


async def summary(person: DeskStory) -> ConversationSummary | None:
    info = person.desk.engine.chat.conversation
    assert info is not None
    return await person.desk.engine.memory.summaries.summaries.get(info.id)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_is_read_and_edited_and_used_in_the_next_request_and_after_the_next_start(
    desk_story: Play, server: ScriptedServer, language: str
) -> None:
    async def ask(person: DeskStory, number: int, *, written: str = "") -> None:
        server.reply(text(f"Answer {number}."), *end())
        if written:
            server.reply(text(written), *end())
        person.desk.engine.chat.send(f"question {number} {LONG}")
        await person.until(lambda: f"Answer {number}." in person.shown(), "no answer")
        await person.idle()
        await person.desk.engine.memory.summaries.wait_idle()

    async def story(person: DeskStory) -> None:
        desk, window = person.desk, person.desk.side_windows.summary
        set_language(language)
        desk.show_chat()
        for number in range(2):
            await ask(person, number)
        assert mark(person) is None
        await ask(person, 2, written="They spoke of signs.")
        await person.until(lambda: mark(person) is not None, "no mark")
        found = mark(person)
        assert found is not None and found.accessible_text == MARKS[language]

        desk.chat.view.action_requested.emit("", found.key)
        await person.until(lambda: window.field.toPlainText() == "They spoke of signs.", "empty")
        assert not window.save.isEnabled()
        window.field.setPlainText("They spoke of tea.")
        person.click(window.save)
        await person.until(lambda: not window.save.isEnabled(), "not saved")
        kept = await summary(person)
        assert kept is not None and kept.text == "They spoke of tea."

        await ask(person, 3)
        asked = told(server.requests[-1])
        assert "They spoke of tea." in asked and "signs" not in asked
        await ask(person, 4, written="Of tea and more.")
        assert "They spoke of tea." in told(server.requests[-1])
        await person.until(lambda: "and more" in window.field.toPlainText(), "the old one")

        server.reply(text("Only of signs."), *end())
        person.click(window.regenerate)
        await person.until(lambda: window.field.toPlainText() == "Only of signs.", "the old one")
        assert "question 0" in told(server.requests[-1])
        assert "tea" not in told(server.requests[-1])
        person.click(window.undo.button)
        await person.until(lambda: "Of tea" in window.field.toPlainText(), "not brought back")

    async def after(person: DeskStory) -> None:
        desk, window = person.desk, person.desk.side_windows.summary
        set_language(language)
        desk.show_chat()
        until = desk.chat.view.scene
        await person.until(lambda: until.summarised_until, "nothing is known of it after a restart")
        await person.until(
            lambda: desk.chat.view.go_to(until.summarised_until), "the conversation isn't here"
        )
        await person.until(lambda: mark(person) is not None, "no mark after a restart")
        desk.chat.view.action_requested.emit("", "summary")
        await person.until(lambda: "Of tea" in window.field.toPlainText(), "nothing kept")
        heads = await desk.engine.storage.store.heads(desk.engine.chat.conversation.id)  # type: ignore[union-attr]
        window.field.setPlainText("written while it is deleted elsewhere")
        await desk.engine.chat.delete_message(heads[0].id, below=False)
        await person.until(lambda: mark(person) is None, "the mark stays")
        person.click(window.save)
        await person.until(lambda: not window.field.toPlainText(), "it is kept")
        assert await summary(person) is None and not window.save.isEnabled()

    settings = {"memory": {"learn": False, "recall": False}, "service": {"titles": False}}
    desk_story(story, server.url, settings=settings)
    desk_story(after, server.url, settings=settings)


def test_it_is_deleted_after_a_confirmation(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        desk, window = person.desk, person.desk.side_windows.summary
        server.reply(text("Hello."), *end())
        person.type("hi")
        await person.until(lambda: "Hello." in person.shown(), "no answer")
        await person.idle()
        reply, info = await person.reply(), desk.engine.chat.conversation
        assert info is not None
        book = desk.engine.memory.summaries.summaries
        assert await book.update(info.id, ConversationSummary(reply.id, "A greeting."), before=None)
        await person.until(lambda: mark(person) is not None, "no mark")
        desk.chat.view.action_requested.emit("", "summary")
        await person.until(lambda: window.delete.isEnabled(), "not shown")
        window.field.setPlainText("x" * 4_001)
        assert not window.save.isEnabled() and "1 character too many" in window.about.text()
        window.field.setPlainText("Two greetings.")
        assert await book.update(
            info.id,
            ConversationSummary(reply.id, "Three."),
            before=ConversationSummary(reply.id, "A greeting."),
        )
        person.click(window.save)
        await person.until(lambda: window.undo.isVisible(), "it isn't said")
        assert window.field.toPlainText() == "Two greetings."
        person.click(window.save)
        await person.until(lambda: not window.save.isEnabled(), "not saved")
        server.reply({"error": {"message": "no"}}, status=404)
        person.click(window.regenerate)
        await person.until(lambda: "could not" in window.undo.text.text(), "it isn't said")
        assert window.field.toPlainText() == "Two greetings."
        person.click(window.delete)
        assert await book.get(info.id) is not None
        person.click(window.undo.button)
        await person.until(lambda: mark(person) is None, "the mark stays")
        assert await book.get(info.id) is None and not window.field.toPlainText()

    settings = {"memory": {"learn": False, "recall": False}, "service": {"titles": False}}
    desk_story(story, server.url, settings=settings)
