"""Pressing parts: the results, and the place of the field for a reason."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import MessageState, Text, ToolStatus
from neodeskpet.ui.chat.items.item import HitRegion, ItemAction
from neodeskpet.ui.chat.items.message_footer import FooterItem
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons, CardHead, CardLinks
from neodeskpet.ui.chat.view.message_column import RowPosition
from tests.support.menus import choose_in_menu
from tests.unit.ui.chat.doubles import (
    call,
    click,
    companion,
    find,
    head_of,
    open_view,
    part,
    said,
)

LONG = "\n\n".join(f"Paragraph {n}" for n in range(60))


def test_the_field_for_a_reason_scrolls_with_its_card(qtbot: QtBot) -> None:
    blocks = [Text(0, 0, LONG), call(1, ToolStatus.ASKING)]
    view = open_view(qtbot, companion("a", *blocks, state=MessageState.RUNNING))
    place, buttons = find(view, "a", ApprovalButtons)
    click(view, place, "more")
    choose_in_menu("No, with a reason…")
    field = view.reason_field
    assert isinstance(buttons, ApprovalButtons)
    for _ in range(2):
        inside = buttons.form_rect(view.scene)
        assert inside is not None
        wanted = inside.translated(view.scroller.row_rect(place).topLeft()).toRect()
        assert QRect(field.mapTo(view.viewport(), QPoint()), field.size()) == wanted
        view.scroller.scroll_by(-40)


def test_the_text_copied_disappears_again(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "Hello"))
    click(view, find(view, "a", FooterItem)[0], "message.copy")
    assert view.scene.copied == "message a"
    qtbot.waitUntil(lambda: view.scene.copied == "")


def test_arguments_are_copied_too(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    place, _head = find(view, "a", CardHead)
    click(view, place, "toggle")
    click(view, find(view, "a", CardLinks)[0], "copy")
    assert QGuiApplication.clipboard().text() == '{"query": "rain"}'


def test_a_missing_message_can_not_be_pressed(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    _, head = find(view, "a", CardHead)
    toggle = part(view, head, "toggle")
    view.open_conversation([head_of(said("b", "x"))])
    view.press_region(RowPosition(0, 0), head, toggle)
    assert isinstance(head, CardHead)
    assert not head.opened


def test_an_answer_needs_a_question(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    place, head = find(view, "a", CardHead)
    answers: list[object] = []
    view.approval_given.connect(lambda *answer: answers.append(answer))
    rect = part(view, head, "toggle").rect
    once = ConsentAnswer.ONCE
    view.press_region(
        place, head, HitRegion("once", rect, "Allow once", ItemAction.APPROVE, answer=once)
    )
    assert answers == []
