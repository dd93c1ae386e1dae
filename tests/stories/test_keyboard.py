"""The keyboard, wherever the focus is: Esc stops, letters are written, Esc closes a list."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import MessageState
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import HANG, ScriptedServer, text

Play = Callable[..., None]


def test_esc_stops_the_reply_with_the_focus_in_the_conversation(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("A long story"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("A long story"))
        person.desk.chat.view.setFocus()
        QTest.keyClick(person.desk.chat.view, Qt.Key.Key_Escape)
        await person.idle()
        assert (await person.reply()).state is MessageState.CANCELLED

    desk_story(story, server.url)


def test_letters_typed_in_the_conversation_go_to_the_composer(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("Hello!"), *end())
        person.type("hi")
        await person.idle()
        person.desk.chat.view.setFocus()
        QTest.keyClicks(person.desk.chat.view, "W")
        field = person.desk.chat.window.composer.field
        await person.until(field.hasFocus, "the composer took no focus")
        QTest.keyClicks(field, "ell")
        assert field.text() == "Well"
        QTest.keyClick(person.desk.chat.view, "c", Qt.KeyboardModifier.ControlModifier)
        assert field.text() == "Well"

    desk_story(story, server.url)


def test_esc_closes_the_search_and_then_the_list_over_a_narrow_window(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        window = person.desk.chat.window
        await person.desk.engine.storage.store.create_conversation("Cats")
        window.resize(400, 600)
        person.desk.engine.chat.send("hi")
        await person.idle()
        window.show_sidebar(True)
        side = window.sidebar
        await person.until(lambda: side.model.rowCount() == 2)
        side.search.setFocus()
        QTest.keyClicks(side.search, "cats")
        assert side.model.rowCount() == 1
        QTest.keyClick(side.search, Qt.Key.Key_Escape)
        assert (side.search.text(), side.model.rowCount()) == ("", 2)
        assert window.is_sidebar_visible()
        QTest.keyClick(side.search, Qt.Key.Key_Escape)
        assert not window.is_sidebar_visible()

        window.show_sidebar(True)
        QTest.keyClick(window.composer.field, Qt.Key.Key_Escape)
        assert not window.is_sidebar_visible()

    desk_story(story)
