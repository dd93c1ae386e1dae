"""Notices: worded in the person's language, with their buttons until they are resolved."""

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Notice
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.ui.chat.items.look import Look
from neodeskpet.ui.chat.items.notice import NoticeItem, lay_buttons
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import companion, find, open_view

UNSUPPORTED = Notice(
    0,
    0,
    "tools_unsupported",
    detail="HTTP 400\n tools",
    actions=(Action.SWITCH_TO_TEXT, Action.RETRY),
)


def test_what_happened_and_what_to_do() -> None:
    item = NoticeItem(UNSUPPORTED)
    what, hint = item.said()
    assert what == "This service can't use tools natively. HTTP 400 tools"
    assert hint.startswith("Switch to text mode")
    assert item.plain == f"{what}\n{hint}"


def test_buttons_until_it_is_resolved(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", UNSUPPORTED, state=MessageState.FAILED))
    _, item = find(view, "a", NoticeItem)
    assert [part.name for part in item.parts(view.scene)] == ["Switch to text mode", "Retry"]
    tall = item.height
    resolved = Notice(0, 0, "tools_unsupported", actions=UNSUPPORTED.actions, resolved=True)
    view.apply([("a", BlockChanged(resolved))])
    assert item.parts(view.scene) == []
    assert item.height < tall
    assert item.spoken == "This service can't use tools natively."


def test_it_can_be_selected(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", UNSUPPORTED))
    view.select_all()
    assert "can't use tools natively" in view.selected_text()


@pytest.mark.parametrize("width", [60, 150, 400])
def test_buttons_break_into_rows(qtbot: QtBot, width: int) -> None:
    look = Look(LIGHT)
    row = lay_buttons(["One", "Another", "A third one"], width, look)
    assert len(row.rects) == 3
    for rect in row.rects:
        assert rect.right() <= max(width, 40)
        assert rect.bottom() <= row.height
    assert (row.height > LIGHT.button_height) == (width < 200)
    assert lay_buttons([], width, look).height == 0
