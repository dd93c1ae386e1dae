"""The bubble shows a reply and a question only while the user doesn't see them in the chat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.desk import DeskStory
from tests.support.notebook import noted
from tests.support.replies import calling, end
from tests.support.sseserver import HOLD, ScriptedServer, text
from tests.unit.figure.sprites.packs import pet

Play = Callable[..., None]
ASKS = {"mode": {"ask_before_every_change": True}}
LONG = "\n\n".join(f"Paragraph {number} of a long reply." for number in range(60))


def test_a_question_is_in_the_bubble_while_its_card_is_out_of_view(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        bubble, window, scroller = desk.companion.bubble, desk.chat.window, desk.chat.view.scroller
        await desk.companion.pet.wait_until_loaded()
        server.reply(text(LONG), *calling("native", ("note.add", {"text": "milk"})), *end())
        server.reply(text("Noted."), *end())
        person.type("note milk")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        await person.until(lambda: not bubble.isVisible(), "the bubble asks as well as the card")
        assert bubble.has_question and bubble.choices == []
        scroller.scroll_by(-2_000)
        await person.until(lambda: bubble.shows_question, "the card was scrolled away")
        await person.until(
            lambda: bubble.page_text.startswith("Add the note “milk”?"), bubble.page_text
        )
        composer = window.composer
        place = composer.mapToGlobal(composer.rect().topLeft())
        assert not bubble.geometry().intersects(composer.rect().translated(place))
        scroller.scroll_to_end()
        await person.until(lambda: not bubble.isVisible(), "the card is back")
        window.showMinimized()
        await person.until(lambda: bubble.shows_question, "the chat is minimised")
        window.showNormal()
        await person.until(lambda: not bubble.isVisible(), "the chat is back")
        window.hide()
        await person.until(lambda: bubble.shows_question, "the chat is closed")
        person.click(person.button("Add", bubble))
        await person.idle()
        assert noted(desk.engine.storage.home)
        assert "Noted." in (await person.texts())[-1]

    desk_story(story, server.url, settings=ASKS, mode="native", pet=True)


def test_a_reply_is_in_the_bubble_while_the_chat_is_closed(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        bubble, window = desk.companion.bubble, desk.chat.window
        await desk.companion.pet.wait_until_loaded()
        held = server.reply(text("Your train leaves at nine. "), HOLD, text("Platform 3."), *end())
        person.type("when does it leave?")
        await person.until(lambda: person.sees("leaves at nine"), person.shown())
        await person.until(lambda: bool(bubble.page_text), "no text")
        assert not bubble.isVisible(), "it is read in the chat"
        window.hide()
        await person.until(bubble.isVisible, "nobody reads the reply")
        held.release()
        await person.idle()
        await person.until(
            lambda: bubble.page_text == "Your train leaves at nine. Platform 3.", bubble.page_text
        )
        person.click(person.button("Open in chat", bubble))
        assert window.isVisible()
        await person.until(lambda: not bubble.isVisible(), "it is in the chat now")

    desk_story(story, server.url, pet=True)


def test_a_further_companion_asks_in_its_own_bubble_and_pill(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    figure = str(pet(tmp_path / "models" / "Blobby", 11).parent)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        await desk.companions.invite(figure)
        await person.until(lambda: figure in desk.companions.windows, "nobody comes")
        guest = desk.companions.windows[figure]
        await person.until(lambda: guest.pet.appeared_at is not None, "it isn't drawn", 60.0)
        guest.pet.chat_requested.emit()
        await person.until(
            lambda: desk.companion_identity.name == "Blobby", "its conversation isn't opened"
        )
        server.reply(*calling("native", ("note.add", {"text": "milk"})), *end())
        server.reply(text("Noted."), *end())
        person.type("note milk")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        await person.until(lambda: not guest.bubble.isVisible(), "the card is seen")
        assert guest.pill is not None
        pill = guest.pill.pill.window
        await person.until(lambda: pill.accessibleName() == "Add the note “milk”?", "no pill")
        assert pill.isVisible() and not desk.state_pill.pill.window.isVisible()
        desk.chat.window.showMinimized()
        await person.until(lambda: guest.bubble.shows_question, "it doesn't ask")
        assert not desk.companion.bubble.shows_question
        person.click(pill)
        await person.until(lambda: guest.bubble.is_used, "the focus isn't on the question")
        assert desk.chat.window.isMinimized(), "the question is in the bubble"
        person.click(person.button("Add", guest.bubble))
        await person.idle()
        assert noted(desk.engine.storage.home)
        await person.until(lambda: not pill.isVisible(), "the pill still asks")

    desk_story(story, server.url, settings=ASKS, mode="native", pet=True)
