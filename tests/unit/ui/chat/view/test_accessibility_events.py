"""What is reported to assistive technology while a conversation changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.view.accessibility_events import KnownText, text_change
from tests.unit.ui.chat.doubles import NOW, open_view, person, said, stream

_TEXTS = st.lists(st.text("ab🙂\n", max_size=6), max_size=5).map(tuple)


@pytest.fixture
def listening() -> Iterator[None]:
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def joined(texts: tuple[str, ...]) -> bytes:
    return "\n".join(text for text in texts if text).encode("utf-16-le")


@given(_TEXTS, _TEXTS)
def test_a_change_turns_the_old_text_into_the_new_one(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    change = text_change(before, after)
    if change is None:
        assert joined(before) == joined(after)
        return
    old, removed = joined(before), change.removed.encode("utf-16-le")
    at = 2 * change.position
    assert old[at : at + len(removed)] == removed
    new = old[:at] + change.inserted.encode("utf-16-le") + old[at + len(removed) :]
    assert new == joined(after)


def test_growing_text_is_only_an_insertion() -> None:
    change = text_change(("One.", "Two"), ("One.", "Two and three.", "Four."))
    assert change is not None
    assert (change.position, change.removed, change.inserted) == (8, "", " and three.\nFour.")


class Counted(TextItem):
    """A text that counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0

    @property
    def accessible_text(self) -> str:
        self.reads += 1
        return "text"


def test_only_the_end_of_a_long_message_is_read_again() -> None:
    items: list[Item] = [Counted() for _ in range(100)]
    known = KnownText().updated(items)
    for _ in range(5):
        known = known.updated(items)
    reads = [item.reads for item in items if isinstance(item, Counted)]
    assert sum(reads) == 100 + 5 * 12
    assert reads[0] == 1


def test_nothing_is_remembered_while_nobody_listens(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    stream(view, "a", "One. ")
    view.apply([("a", TurnEnded(MessageState.DONE, NOW))])
    assert view.access.children() == []


@pytest.mark.usefixtures("listening")
def test_messages_that_go_are_no_longer_known(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
    view.open_conversation([])
    assert QAccessible.queryAccessibleInterface(view).childCount() == 0
    stream(view, "b", "One. ", "Two. ")
    view.access.events.report_texts()
    view.apply([("b", TurnEnded(MessageState.DONE, NOW))])
    assert QAccessible.queryAccessibleInterface(view).childCount() == 1


def test_a_scene_hides_the_focus_frame_while_the_focus_is_elsewhere(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"))
    scene: Scene = view.scene
    assert scene.focus_visible
