"""Versions in the view: only the difference changes, and the reading position stays."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image, Message, MessageHead, MessageState, Role, ShownPath, Text
from neodeskpet.core.turn.turn_events import TextAppended
from neodeskpet.ui.chat.items.message_footer import FooterItem, VersionsItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.support.reader import focused
from tests.unit.ui.chat.doubles import (
    click,
    companion,
    entry,
    find,
    head_of,
    open_view,
    person,
    said,
)

LONG = "\n\n".join(f"Paragraph {n}" for n in range(60))


def head(message: Message, version: int = 1, versions: int = 1) -> MessageHead:
    return replace(head_of(message), version=version, versions=versions)


def two_versions(qtbot: QtBot, *above: Message) -> ChatView:
    """`above`, then version 2 of 2 of a question, and its answer."""
    view = open_view(qtbot, *above)
    new, answer = person("q2", "Again"), said("a2", LONG)
    after = above[-1].id if above else ""
    view.show_path(ShownPath(after, [head(new, 2, 2), head(answer)]), [new, answer])
    return view


def top_of(view: ChatView, message_id: str) -> int:
    number = view.column.number_of(message_id)
    assert number is not None
    return view.column.message_top(number) - view.scroller.top


def test_the_arrows_request_a_version(qtbot: QtBot) -> None:
    view = two_versions(qtbot)
    view.scroller.scroll_by(-10_000)
    place, item = find(view, "q2", VersionsItem)
    assert [p.name for p in item.hit_regions(view.scene)][-1] == "Previous version"
    assert item.accessible_text == "Version 2 of 2"
    with qtbot.waitSignal(view.version_requested) as asked:
        click(view, place, "version.older")
    assert asked.args == ["q2", -1]


def test_an_answer_has_them_in_its_last_line(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("q", "Hello"))
    view.show_path(ShownPath("q", [head(said("a", "Hi"), 2, 3)]), [said("a", "Hi")])
    place, footer = find(view, "a", FooterItem)
    assert footer.accessible_text.startswith("Version 2 of 3 · ")
    for key, by in (("version.older", -1), ("version.newer", 1)):
        with qtbot.waitSignal(view.version_requested) as asked:
            click(view, place, key)
        assert asked.args == ["a", by]


def test_the_reading_position_stays(qtbot: QtBot) -> None:
    view = two_versions(qtbot, person("q", "First"), said("a", LONG))
    view.scroller.scroll_by(-10_000)
    view.scroller.scroll_by(top_of(view, "q2") - 100)
    assert top_of(view, "q2") == 100
    kept = entry(view, "a")
    old, more = person("q1", LONG), said("a1", LONG)
    view.show_path(ShownPath("a", [head(old, 1, 2), head(more)]), [old, more])
    assert top_of(view, "q1") == 100
    assert entry(view, "a") is kept, "the messages above aren't rebuilt"


def test_the_end_of_a_long_answer_stays_under_the_mouse(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("q", "Hello"))
    old, new = said("a1", LONG), said("a2", LONG + "\n\nand more" * 20)
    view.show_path(ShownPath("q", [head(new, 2, 2)]), [new], fresh=True)
    place, _ = find(view, "a2", FooterItem)
    before = view.scroller.row_rect(place).top()
    view.show_path(ShownPath("q", [head(old, 1, 2)]), [old])
    place, _ = find(view, "a1", FooterItem)
    assert view.scroller.row_rect(place).top() == before


def test_discarded_messages_are_requested_again(qtbot: QtBot) -> None:
    view = two_versions(qtbot, person("q", "First"), said("a", "One"))
    old = person("q1", "Old")
    for _ in range(2):
        with qtbot.waitSignal(view.messages_wanted) as asked:
            view.show_path(ShownPath("a", [head(old, 1, 2)]), [])
        assert asked.args == [["q1"]]


def test_the_focus_stays_at_the_arrow(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("q", "Hello"))
    view.show_path(ShownPath("q", [head(said("a2", "Two"), 2, 3)]), [said("a2", "Two")])
    with qtbot.waitActive(view):
        view.activateWindow()
    view.setFocus()
    while focused(view) != "Next version":
        QTest.keyClick(view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(view.version_requested) as asked:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert asked.args == ["a2", 1]
    view.show_path(ShownPath("q", [head(said("a3", "Three"), 3, 3)]), [said("a3", "Three")])
    assert focused(view) == "Previous version", "there is no next one"


def test_a_reply_that_runs_in_another_version_is_shown_on_return(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("q", "Hello"))
    running = companion("a2", Text(0, 0, "Tw"), state=MessageState.RUNNING)
    view.show_path(ShownPath("q", [head(running, 2, 2)]), [running], fresh=True)
    view.apply([("a2", TextAppended(0, "o"))])
    assert view.message_text("a2") == "Two"
    assert find(view, "a2", VersionsItem)
    view.show_path(ShownPath("q", [head(said("a1", "One"), 1, 2)]), [said("a1", "One")])
    view.apply([("a2", TextAppended(0, " and"))])
    assert view.message_text("a2") == ""
    back = replace(running, blocks=(Text(0, 0, "Two and"),))
    view.show_path(ShownPath("q", [head(back, 2, 2)]), [back])
    view.apply([("a2", TextAppended(0, " more"))])
    assert view.message_text("a2") == "Two and more"


def test_a_message_with_only_pictures_has_its_buttons_too(qtbot: QtBot) -> None:
    image = Image(0, 0, "d", "image/png", "cat.png")
    view = open_view(qtbot, Message("u", Role.USER, (image,), MessageState.DONE, 1.0))
    _, item = find(view, "u", VersionsItem)
    assert [part.name for part in item.hit_regions(view.scene)] == ["Copy", "Edit", "More…"]


class TestRewriting:
    def test_a_message_is_edited_in_its_place_and_cancelled(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
        before = view.grab().toImage()
        view.edit_message("a")
        assert view.message_editing.editor is None, "only the user's text"
        view.edit_message("u")
        editor = view.message_editing.editor
        assert editor is not None and editor.isVisible()
        assert editor.composer.draft() == "Hello"
        assert editor.geometry().bottom() < top_of(view, "a")
        QTest.keyClicks(editor.composer.field, " you")
        QTest.keyClick(editor.composer.field, Qt.Key.Key_Escape)
        assert view.message_editing.editor is None
        view.clear_focus()
        assert view.grab().toImage() == before

    def test_enter_sends_the_edit(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
        view.edit_message("u")
        editor = view.message_editing.editor
        assert editor is not None
        field = editor.composer.field
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        tall = editor.height()
        QTest.keyClicks(field, "you")
        assert editor.height() == tall > 0
        with qtbot.waitSignal(view.message_edited) as told:
            QTest.keyClick(field, Qt.Key.Key_Return)
        assert told.args == ["u", "Hello\nyou"]
        assert view.message_editing.editor is None

    def test_the_edit_ends_when_its_message_is_removed(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"))
        view.edit_message("u")
        view.show_path(ShownPath("", [head(person("v", "x"))]), [person("v", "x")])
        assert view.message_editing.editor is None
