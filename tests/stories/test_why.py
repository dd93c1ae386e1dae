"""The memories that a reply was given are shown, corrected, pinned, opened and forgotten."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import Role
from neodeskpet.language import format_error, set_language
from neodeskpet.ui.chat.items.user_message import WHY_ACTION
from neodeskpet.ui.chat.view.context_menu import open_message_menu
from neodeskpet.ui.windows.memory_cards import MemoryCard
from tests.stories.test_memory import ask, begin_anew
from tests.support.desk import DeskStory
from tests.support.sseserver import ScriptedServer

Play = Callable[..., None]
SECRET = "xyzzyplughword"


async def why(person: DeskStory) -> list[MemoryCard]:
    """The sources of the last answer, as the window shows them."""
    reply, window = await person.reply(), person.desk.side_windows.reply_reasons
    person.desk.chat.view.action_requested.emit(reply.id, WHY_ACTION)
    await person.until(lambda: window.isVisible() and window.about.text(), "the window didn't come")
    await window._work.wait_until_idle()
    return window.cards


async def said_yesterday(person: DeskStory, server: ScriptedServer) -> None:
    await ask(person, server, f"My locker code is {SECRET}")
    await ask(person, server, "The kettle in the kitchen is red")
    await begin_anew(person)


def test_the_sources_of_an_answer_are_shown_corrected_pinned_and_opened(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await ask(person, server, "Good morning")
        assert await why(person) == []
        assert "no memories" in desk.side_windows.reply_reasons.about.text()
        QTest.keyClick(desk.side_windows.reply_reasons, Qt.Key.Key_Escape)
        assert not desk.side_windows.reply_reasons.isVisible()
        await said_yesterday(person, server)

        await ask(person, server, "Which colour is the kettle in the kitchen?")
        now = desk.engine.chat.conversation
        (card, *_) = await why(person)
        assert "The kettle in the kitchen is red" in card.text.text()
        assert "You said" in card.about.text() and "%" not in card.about.text()

        person.click(card.correct)
        assert card.field.toPlainText() == "The kettle in the kitchen is red"
        card.field.setPlainText("The kettle in the kitchen is blue")
        person.click(card.save)
        await desk.side_windows.reply_reasons._work.wait_until_idle()
        (card, *_) = desk.side_windows.reply_reasons.cards
        assert "blue" in card.text.text() and "corrected by you" in card.about.text()
        person.click(card.pin)
        await desk.side_windows.reply_reasons._work.wait_until_idle()
        (card, *_) = desk.side_windows.reply_reasons.cards
        assert "pinned" in card.about.text() and card.pin.text() == "Unpin"
        await desk.engine.chat.open_new()
        body = await ask(person, server, "And what colour does the kitchen's kettle have?")
        assert "User: The kettle in the kitchen is blue" in body and "kitchen is red" not in body

        person.click(card.source_buttons[0])
        there = card.item.sources[0]
        await person.until(
            lambda: desk.chat.view.scene.focused_message == there.message, "not gone to"
        )
        shown = desk.engine.chat.conversation
        assert shown is not None and now is not None
        assert shown.id == there.conversation != now.id

    desk_story(story, server.url)


def test_an_open_edit_stays_while_another_item_is_deleted(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        window = person.desk.side_windows.reply_reasons
        await said_yesterday(person, server)
        await ask(person, server, "My locker code, and the kettle in the kitchen?")
        cards = {one.text.text(): one for one in await why(person)}
        kettle, locker = (
            cards["The kettle in the kitchen is red"],
            cards[f"My locker code is {SECRET}"],
        )
        person.click(locker.forget)
        await window._work.wait_until_idle()
        (kettle,) = [one for one in window.cards if one.item.id == kettle.item.id]
        person.click(kettle.correct)
        kettle.field.setPlainText("The kettle in the kitchen is blue")
        window.memory_actions.apply_pending()  # the seconds for "Undo" are over
        await window._work.wait_until_idle()
        assert kettle in window.cards and kettle.is_editing
        person.click(kettle.save)
        await window._work.wait_until_idle()
        (text,) = [one.text.text() for one in window.cards if one.item.id == kettle.item.id]
        assert text == "The kettle in the kitchen is blue"

    desk_story(story, server.url)


def test_deleted_with_one_press_and_in_no_byte(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await said_yesterday(person, server)
        await ask(person, server, "What is my locker code?")
        (card, *_) = await why(person)
        assert SECRET in card.text.text()
        person.click(card.forget)
        await desk.side_windows.reply_reasons._work.wait_until_idle()
        assert not any(SECRET in one.text.text() for one in desk.side_windows.reply_reasons.cards)
        person.click(desk.side_windows.reply_reasons.undo.button)  # not yet
        await desk.side_windows.reply_reasons._work.wait_until_idle()
        (card, *_) = desk.side_windows.reply_reasons.cards
        person.click(card.forget)
        desk.side_windows.reply_reasons.close()
        await desk.side_windows.reply_reasons._work.wait_until_idle()
        await begin_anew(person)
        assert SECRET not in await ask(person, server, "What is my locker code?")

    async def later(person: DeskStory) -> None:
        await person.desk.engine.memory.indexer.catch_up()
        await begin_anew(person)
        assert SECRET not in await ask(person, server, "What is my locker code?")
        kept = [path for path in person.desk.engine.storage.home.rglob("*") if path.is_file()]
        assert [path.name for path in kept if SECRET.encode() in path.read_bytes()] == []

    desk_story(story, server.url)
    desk_story(later, server.url)


def test_in_chinese_from_the_menu_of_the_message(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.engine.settings.change("appearance", "language", "zh_CN")
        await ask(person, server, "我家厨房的水壶是红色的")
        await begin_anew(person)
        await ask(person, server, "厨房的水壶是什么颜色？")
        reply = await person.reply()
        entry = desk.chat.view.column.entry(reply.id)
        assert entry is not None
        menu = open_message_menu(desk.chat.view, entry, desk.chat.window.pos())
        (action,) = [one for one in menu.actions() if one.text() == "为什么这么说？"]
        action.trigger()
        menu.close()
        await person.until(
            lambda: (
                desk.side_windows.reply_reasons.isVisible()
                and desk.side_windows.reply_reasons.cards
            ),
            "no cards",
        )
        (card, *_) = desk.side_windows.reply_reasons.cards
        assert "你说过" in card.about.text()
        assert card.forget.text() == "忘掉" and "水壶是红色" in card.text.text()
        own = next(m for m in await person.messages() if m.role is Role.USER)
        entry = desk.chat.view.column.entry(own.id)
        assert entry is not None
        menu = open_message_menu(desk.chat.view, entry, desk.chat.window.pos())
        assert "为什么这么说？" not in [one.text() for one in menu.actions()]
        menu.close()

    try:
        desk_story(story, server.url)
    finally:
        set_language("en")


def test_an_item_that_was_deleted_meanwhile_is_reported(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await said_yesterday(person, server)
        await ask(person, server, "Which colour is the kettle in the kitchen?")
        (card, *_) = await why(person)
        told: list[str] = []
        desk.chat.presenter.failed.connect(lambda error: told.append(format_error(error)))
        desk.chat.presenter.go_to("nowhere", card.item.sources[0].message)
        await person.until(lambda: told, "nothing was said")
        assert "no longer exists" in told[0]

    desk_story(story, server.url)
