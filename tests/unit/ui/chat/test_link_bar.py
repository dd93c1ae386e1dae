"""The question before a link opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.notice_bars import LinkConfirmationBar, ascii_address
from neodeskpet.ui.theme import DARK, LIGHT

LONG = "https://example.com/" + "very/long/" * 40 + "?q=x"


class Browser:
    """A browser that can be told to refuse."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.is_supported = True

    def __call__(self, url: QUrl) -> bool:
        self.opened.append(url.toString())
        return self.is_supported


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def bar(qtbot: QtBot, browser: Browser) -> LinkConfirmationBar:
    made = LinkConfirmationBar(LIGHT, open_url=browser)
    qtbot.addWidget(made)
    made.resize(420, 200)
    return made


def title(bar: LinkConfirmationBar) -> str:
    label = bar.findChild(QLabel)
    assert label is not None
    return label.text()


def press(widget: object) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]


def test_it_shows_the_whole_address_and_opens_nothing_yet(
    bar: LinkConfirmationBar, browser: Browser
) -> None:
    bar.show_address(LONG)
    assert not bar.isHidden()
    assert bar.shown.toPlainText() == LONG
    assert title(bar) == "Open example.com in the browser?"
    assert browser.opened == []


def test_open(bar: LinkConfirmationBar, browser: Browser) -> None:
    told: list[str] = []
    bar.opened.connect(told.append)
    bar.show_address("https://example.com/a")
    press(bar.open)
    assert browser.opened == told == ["https://example.com/a"]
    assert bar.isHidden()
    assert bar.address() == ""


def test_copy(bar: LinkConfirmationBar, browser: Browser) -> None:
    bar.show_address("https://example.com/a?b=1")
    press(bar.copy)
    assert QGuiApplication.clipboard().text() == "https://example.com/a?b=1"
    assert browser.opened == []
    assert bar.isHidden()


def test_cancel_and_escape(bar: LinkConfirmationBar, browser: Browser) -> None:
    bar.show_address("https://example.com/")
    press(bar.cancel)
    assert bar.isHidden()
    bar.show_address("https://example.com/")
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert browser.opened == []


def test_the_focus_returns_to_where_it_was(qtbot: QtBot, browser: Browser) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = LinkConfirmationBar(LIGHT, open_url=browser)
    box, field = QVBoxLayout(window), QLineEdit()
    box.addWidget(field)
    box.addWidget(bar)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    field.setFocus()
    bar.show_address("https://example.com/")
    assert bar.open.hasFocus()
    press(bar.cancel)
    assert field.hasFocus()
    bar.show_address("https://example.com/")
    field.setFocus()
    bar.dismiss()
    assert field.hasFocus()


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "/etc/passwd", ""]
)
def test_other_kinds_can_only_be_copied(
    bar: LinkConfirmationBar, browser: Browser, address: str
) -> None:
    bar.show_address(address)
    assert bar.open.isHidden()
    assert title(bar) == "NeoDeskPet doesn't open this kind of link. You can copy it."
    assert browser.opened == []


@pytest.mark.parametrize("address", ["HTTPS://example.com/", "mailto:neo@example.com"])
def test_allowed_kinds(bar: LinkConfirmationBar, address: str) -> None:
    bar.show_address(address)
    assert not bar.open.isHidden()


def test_a_host_that_imitates_another_is_shown_in_ascii(bar: LinkConfirmationBar) -> None:
    bar.show_address("https://аpple.com/")
    assert "xn--" in bar.shown.toPlainText()


def test_a_failure_to_open_is_reported(bar: LinkConfirmationBar, browser: Browser) -> None:
    browser.is_supported = False
    bar.show_address("https://example.com/")
    press(bar.open)
    assert not bar.isHidden()
    assert title(bar) == "No program on this computer opened the link. You can copy it."


def test_a_long_address_is_wrapped_and_limited(bar: LinkConfirmationBar) -> None:
    bar.show()
    bar.show_address("https://example.com/a")
    low = bar.shown.height()
    bar.show_address(LONG)
    assert low < bar.shown.height() <= 96
    assert bar.shown.horizontalScrollBar().maximum() == 0


def test_another_theme_and_language_keep_the_question(bar: LinkConfirmationBar) -> None:
    bar.show_address("https://example.com/")
    bar.set_theme(DARK)
    bar.retranslate()
    assert title(bar) == "Open example.com in the browser?"


@given(st.text())
def test_any_text_is_shown_as_plain_text(text: str) -> None:
    assert ascii_address(text).isascii()
