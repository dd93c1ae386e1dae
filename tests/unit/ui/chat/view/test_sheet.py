"""The ground under pointer, keys and screen readers, without any of them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Role
from neodeskpet.ui.chat.items.card import CardHead
from neodeskpet.ui.chat.view.column import Place
from neodeskpet.ui.chat.view.sheet import Sheet
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.chat.doubles import call, companion, head_of, said


@pytest.fixture
def sheet(qtbot: QtBot) -> Sheet:
    made = Sheet(LIGHT)
    qtbot.addWidget(made)
    made.resize(480, 500)
    return made


def test_what_is_pressed_and_focused_is_told(sheet: Sheet) -> None:
    sheet.loaded([])
    told: list[tuple[object, ...]] = []
    sheet.pressed.connect(lambda *what: told.append(what))
    sheet.focused.connect(lambda *what: told.append(what))
    sheet.column.put(sheet.entry_of(companion("m", call(0))))
    item = sheet.column.item(Place(0, 0))
    assert isinstance(item, CardHead)
    (part, *_) = item.parts(sheet.scene)
    sheet.press(Place(0, 0), item, part)
    sheet.focus_moved(Place(0, 0), part)
    assert told == [(Place(0, 0), item, part), (Place(0, 0), part)]


def test_a_card_opens_and_closes(sheet: Sheet) -> None:
    entry = sheet.entry_of(companion("m", call(0)))
    sheet.column.put(entry)
    head = sheet.column.item(Place(0, 0))
    assert isinstance(head, CardHead)
    closed = len(entry.items)
    sheet.toggle(entry, head.key, Place(0, 0), head)
    assert len(entry.items) > closed


def test_copying_waits_for_what_is_not_loaded(sheet: Sheet) -> None:
    message = said("m", "Hello there")
    sheet.column.open([head_of(message)])
    asked: list[list[str]] = []
    sheet.messages_wanted.connect(asked.append)
    QGuiApplication.clipboard().setText("before")
    sheet.select_all()
    sheet.copy(markdown=False)
    assert asked[-1] == ["m"]
    assert QGuiApplication.clipboard().text() == "before"
    sheet.loaded([sheet.entry_of(message)])
    assert QGuiApplication.clipboard().text() == "Hello there"


def test_copying_can_be_called_off(sheet: Sheet) -> None:
    message = said("m", "Hello there")
    sheet.column.open([head_of(message)])
    QGuiApplication.clipboard().setText("before")
    sheet.select_all()
    sheet.copy(markdown=False)
    sheet.stop_copying()
    sheet.loaded([sheet.entry_of(message)])
    assert QGuiApplication.clipboard().text() == "before"


def test_the_small_buttons_of_each_side(sheet: Sheet) -> None:
    assert [key for key, _ in sheet.actions_of(Role.USER)] == ["copy"]
    assert [key for key, _ in sheet.actions_of(Role.ASSISTANT)] == ["copy", "retry"]
    sheet.own_actions = {Role.USER: (("pin", "Pin"),), Role.ASSISTANT: ()}
    assert sheet.actions_of(Role.USER) == (("pin", "Pin"),)
