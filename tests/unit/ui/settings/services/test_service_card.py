from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.services.service_card import ServiceCard
from neodeskpet.ui.settings.settings_ports import EndpointTestVerdict
from neodeskpet.ui.theme import DARK, LIGHT
from tests.unit.ui.settings.doubles import two_services


def card(qtbot: QtBot) -> ServiceCard:
    made = ServiceCard(LIGHT)
    qtbot.addWidget(made)
    made.resize(500, 60)
    made.show()
    return made


def test_it_shows_the_service_and_its_state(qtbot: QtBot) -> None:
    made = card(qtbot)
    endpoint = two_services().endpoints[1]
    made.show_endpoint(endpoint, 1, None)
    assert made.head.accessibleName() == (
        "two, Anthropic, https://two.example, one model, not tested"
    )
    signs = {made.head.sign.text()}
    for state in (EndpointTestVerdict.GOOD, EndpointTestVerdict.FAULT, EndpointTestVerdict.FAILED):
        made.show_endpoint(endpoint, 1, state)
        signs.add(made.head.sign.text())
    assert len(signs) == 4, "no colour is the only sign"
    made.show_endpoint(endpoint.model_copy(update={"on": False}), 1, EndpointTestVerdict.GOOD)
    assert made.head.accessibleName().endswith("off")
    assert not made.switch.isChecked()


def test_it_is_opened_moved_and_switched_by_keys_and_mouse(qtbot: QtBot) -> None:
    made = card(qtbot)
    made.show_endpoint(two_services().endpoints[0], 2, None)
    told: list[object] = []
    for signal in (made.opened, made.moved, made.switched):
        signal.connect(told.append)
    made.head.setFocus()
    made.grab()
    QTest.keyClick(made.head, Qt.Key.Key_Return)
    QTest.keyClick(made.head, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(made.head, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(made.head, Qt.Key.Key_Up)
    QTest.mouseClick(made.switch, Qt.MouseButton.LeftButton)
    QTest.mouseClick(made.head, Qt.MouseButton.LeftButton)
    assert told == [True, -1, 1, False, False]


def test_it_contains_one_form(qtbot: QtBot) -> None:
    made = card(qtbot)
    form = QLabel("form")
    made.set_form(form)
    made.set_theme(DARK)
    assert made.head.isChecked()
    assert form.parentWidget() is made
    made.set_form(None)
    assert not made.head.isChecked()
    assert form.isHidden()


def test_tab_moves_from_the_head_through_the_form(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    box = QVBoxLayout(holder)
    cards = [ServiceCard(LIGHT), ServiceCard(LIGHT)]
    for made in cards:
        box.addWidget(made)
    form = QWidget()
    inner = QVBoxLayout(form)
    fields = [QLineEdit(), QLineEdit()]
    for field in fields:
        inner.addWidget(field)
    cards[0].set_form(form)
    order = [cards[0].switch]
    while len(order) < 4:
        following = order[-1].nextInFocusChain()
        while following.focusPolicy() == Qt.FocusPolicy.NoFocus:
            following = following.nextInFocusChain()
        order.append(following)
    assert order[1:] == [*fields, cards[1].head]


def test_an_untested_service_has_no_circle_before_its_name(qtbot: QtBot) -> None:
    made = card(qtbot)
    made.show_endpoint(two_services().endpoints[0], 2, None)
    name = made.head.title.mapTo(made, made.head.title.rect().topLeft())
    before = made.grab(QRect(4, 8, name.x() - 4, made.height() - 16)).toImage()
    colours = {before.pixel(x, y) for x in range(before.width()) for y in range(before.height())}
    assert len(colours) == 1, "an empty circle looks like a choice"
