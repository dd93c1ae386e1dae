"""A long conversation keeps only the messages near the visible ones loaded."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Message, MessageState
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.ui.chat.view.chat_view import _KEPT, _MAX_LOADED, ChatView
from tests.unit.ui.chat.doubles import NOW, open_view, said, serve, stream


def talk(view: ChatView, count: int, begin: int = 0) -> list[Message]:
    found = [said(f"m{number}", f"Message {number}.") for number in range(begin, begin + count)]
    for message in found:
        view.add_message(message)
    return found


def end_turn(view: ChatView, name: str) -> None:
    stream(view, name, "The last words.")
    view.apply([(name, TurnEnded(MessageState.DONE, NOW))])


def test_far_messages_are_unloaded_and_loaded_again(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    kept = {message.id: message for message in talk(view, _MAX_LOADED)}
    end_turn(view, "last")
    assert view.column.loaded_count() == _KEPT
    assert view.column.entry("m0") is None and view.column.entry("last") is not None

    asked: list[str] = []

    def load(ids: list[str]) -> None:
        asked.extend(ids)
        view.add_loaded_messages([kept[one] for one in ids])

    view.messages_wanted.connect(load)
    tall = view.column.total
    view.verticalScrollBar().setValue(0)
    assert "m0" in asked and view.column.entry("m0") is not None
    assert view.column.total == tall, "the heights were known"
    assert "Message 0." in view.message_text("m0")


def test_an_endless_conversation_loads_no_more_with_each_message(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    most = 0
    for number in range(12):
        talk(view, 50, 50 * number)
        end_turn(view, f"reply {number}")
        most = max(most, view.column.loaded_count())
    assert len(view.column) == 12 * 51
    assert most <= _MAX_LOADED


def test_scrolling_back_through_everything_unloads_the_end(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    messages = [said(f"m{number}", "Some words.\n\n" * 8) for number in range(400)]
    serve(view, messages)
    bar = view.verticalScrollBar()
    while bar.value() > 0:
        bar.setValue(bar.value() - view.scroller.viewport_height)
        assert view.column.loaded_count() <= _MAX_LOADED
    qtbot.waitUntil(lambda: view.column.entry("m0") is not None)
    assert view.column.entry("m399") is None


def test_what_the_user_opened_or_selected_stays(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    talk(view, _MAX_LOADED)
    opened = view.column.entry("m3")
    assert opened is not None
    opened.toggle("group 0")
    view.select_all()
    end_turn(view, "last")
    assert view.column.loaded_count() == _MAX_LOADED + 1
    view.selection.clear()
    end_turn(view, "very last")
    assert view.column.loaded_count() == _KEPT
    assert view.column.entry("m3") is opened
