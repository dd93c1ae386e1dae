"""Notices: in the user's language, with their buttons until they are resolved."""

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import MessageState, Notice
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.language import set_language
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.notice_item import NoticeItem, layout_buttons
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import click, companion, find, open_view

UNSUPPORTED = Notice(
    0,
    0,
    "tools_unsupported",
    detail="HTTP 400\n tools",
    actions=(Action.SWITCH_TO_TEXT, Action.RETRY),
)


def test_the_event_and_the_advice() -> None:
    item = NoticeItem(UNSUPPORTED)
    what, hint = item.message_text()
    assert what == "This service can't use tools natively."
    assert hint.startswith("Switch to text mode")
    assert item.source == f"{what}\n{hint}"
    item.opened = True
    assert item.source == f"{what}\n{hint}\nHTTP 400\n tools"


def test_foreign_text_is_shown_if_ours_gives_no_reason() -> None:
    item = NoticeItem(Notice(0, 0, "request_refused", {"status": "422"}, detail="temp.\n  > 2"))
    assert item.message_text()[0] == "The service refused the request (HTTP 422). temp. > 2"
    assert not item.is_foldable


def test_it_has_buttons_until_it_is_resolved(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", UNSUPPORTED, state=MessageState.FAILED))
    _, item = find(view, "a", NoticeItem)
    assert [part.name for part in item.hit_regions(view.scene)] == [
        "Switch to text mode",
        "Retry",
        "Details",
    ]
    tall = item.height
    resolved = Notice(0, 0, "tools_unsupported", actions=UNSUPPORTED.actions, resolved=True)
    view.apply([("a", BlockChanged(resolved))])
    assert item.hit_regions(view.scene) == []
    assert item.height < tall
    assert item.source == "This service can't use tools natively."


def test_it_can_be_selected(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", UNSUPPORTED))
    view.select_all()
    assert "can't use tools natively" in view.selected_text()


@pytest.mark.parametrize("width", [60, 150, 400])
def test_buttons_break_into_rows(qtbot: QtBot, width: int) -> None:
    look = ItemStyle(LIGHT)
    row = layout_buttons(["One", "Another", "A third one"], width, look)
    assert len(row.rects) == 3
    for rect in row.rects:
        assert rect.right() <= max(width, 40)
        assert rect.bottom() <= row.height
    assert (row.height > LIGHT.button_height) == (width < 200)
    assert layout_buttons([], width, look).height == 0


def test_foreign_text_opens_with_one_click_and_ours_follows_the_language(qtbot: QtBot) -> None:
    reason = "{host} doesn't answer. Is the service running, and is the port right?"
    unreachable = Notice(
        0,
        0,
        "unreachable",
        {"reason": reason, "host": "127.0.0.1:9"},
        detail="[Errno 111] All connection attempts failed",
        actions=(Action.RETRY,),
    )
    view = open_view(qtbot, companion("a", unreachable, state=MessageState.FAILED))
    place, item = find(view, "a", NoticeItem)
    assert isinstance(item, NoticeItem)
    assert "127.0.0.1:9 doesn't answer." in item.source
    assert "Errno" not in item.source
    closed = item.height
    assert [one.name for one in item.hit_regions(view.scene)] == ["Retry", "Details"]
    click(view, place, "details")
    assert "[Errno 111] All connection attempts failed" in item.source
    assert item.height > closed
    set_language("zh_CN")
    try:
        view.retranslate()
        assert "doesn't answer" not in item.source
        assert "127.0.0.1:9" in item.source
    finally:
        set_language("en")


def test_long_foreign_text_is_cut_and_complete_in_the_details() -> None:
    item = NoticeItem(Notice(0, 0, "service_failed", {"status": "500"}, detail="word " * 100))
    assert len(item.source) < 400
    assert "word …" in item.source
    item.opened = True
    assert item.source.count("word") > 100


def test_a_tool_in_it_has_its_readable_name(qtbot: QtBot) -> None:
    notice = Notice(0, 0, "repeated_call", {"tool": "calc.evaluate", "count": "3"})
    view = open_view(qtbot, companion("a", notice))
    view.set_tool_titles({"calc.evaluate": "Calculate"}.__getitem__)
    view.apply([("a", BlockChanged(notice))])
    _, item = find(view, "a", NoticeItem)
    assert "Calculate was called 3 times" in item.source
