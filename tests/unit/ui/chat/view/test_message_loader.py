"""Loading: everything is loaded, the newest first, and nothing after another conversation was
opened.
"""

from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.view.message_loader import MessageLoader
from tests.unit.ui.chat.doubles import head_of, open_view, said

LONG = "A paragraph with some words in it.\n\n" * 3000


def test_a_long_message_is_loaded_in_steps(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    messages = [said(f"m{n}", LONG) for n in range(4)]
    view.open_conversation([head_of(message) for message in messages])
    loader = view.findChild(MessageLoader)
    assert isinstance(loader, MessageLoader)
    view.add_loaded_messages(messages)
    assert loader.is_busy
    qtbot.waitUntil(lambda: not loader.is_busy)
    assert all(view.message_text(message.id) == LONG for message in messages)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_a_short_message_is_loaded_at_once(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.open_conversation([head_of(said("a", "One"))])
    view.add_loaded_messages([said("a", "One")])
    assert view.message_text("a") == "One"


def test_the_newest_comes_first(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    messages = [said("a", LONG), said("b", "new")]
    view.open_conversation([head_of(message) for message in messages])
    view.add_loaded_messages(messages)
    assert view.message_text("b") == "new"


def test_another_conversation_ends_it(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    messages = [said(f"m{n}", LONG) for n in range(4)]
    view.open_conversation([head_of(message) for message in messages])
    view.add_loaded_messages(messages)
    view.open_conversation([head_of(said("x", "Other"))])
    loader = view.findChild(MessageLoader)
    assert isinstance(loader, MessageLoader)
    assert not loader.is_busy
    view.add_loaded_messages([said("x", "Other")])
    assert view.message_text("x") == "Other"
