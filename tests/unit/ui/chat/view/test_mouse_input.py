"""The mouse: what is shown while it moves."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QClipboard, QGuiApplication, Qt, QTextDocument, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.message_footer import FooterItem
from neodeskpet.ui.chat.items.text_documents import is_allowed_link
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.tool_card_items import CardHead
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.support.reader import expanded
from tests.unit.ui.chat.doubles import call, companion, drag, find, move, open_view, said, spot

LINK = "[here](https://example.org/page) and text"


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://example.org", True),
        ("HTTP://example.org", True),
        ("mailto:a@b.c", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("/etc/passwd", False),
        ("data:text/html,x", False),
        ("", False),
    ],
)
def test_links_that_may_be_opened(address: str, allowed: bool) -> None:
    assert is_allowed_link(address) is allowed


def shape(view: ChatView) -> Qt.CursorShape:
    return view.viewport().cursor().shape()


def test_the_cursor_shows_what_is_below(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LINK), companion("b", call(0)))
    text, _ = find(view, "a", MarkdownItem)
    card, _ = find(view, "b", CardHead)
    move(view, spot(view, text, 10, 10))
    assert shape(view) is Qt.CursorShape.PointingHandCursor
    move(view, spot(view, text, 200, 10))
    assert shape(view) is Qt.CursorShape.IBeamCursor
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    away = view.grab().toImage()
    move(view, spot(view, card, 30, 10))
    assert shape(view) is Qt.CursorShape.PointingHandCursor
    assert view.grab().toImage() != away
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.grab().toImage() == away


def test_the_address_is_shown_before_anything_is_opened(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LINK))
    place, _ = find(view, "a", MarkdownItem)
    move(view, spot(view, place, 10, 10))
    qtbot.waitUntil(lambda: QToolTip.text() == "https://example.org/page")
    move(view, spot(view, place, 300, 10))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def as_shown(text: str) -> str:
    """Return how a tooltip or a label shows a text if Qt guesses its format: a picture is
    U+FFFC.
    """
    if not Qt.mightBeRichText(text):
        return text
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()


def test_an_address_that_looks_like_html_is_text(qtbot: QtBot) -> None:
    """Hovering over it opened the file."""
    view = open_view(qtbot, said("a", r"[x](<http://a/\<img src=/path.png\>>)"))
    place, _ = find(view, "a", MarkdownItem)
    move(view, spot(view, place, 3, 10))
    qtbot.waitUntil(QToolTip.isVisible)
    assert as_shown(QToolTip.text()) == "http://a/<img src=/path.png>"
    QToolTip.hideText()


def test_an_empty_view_has_nothing_below_the_mouse(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    away = view.grab().toImage()
    move(view, QPoint(50, 50))
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(50, 50)
    )
    assert shape(view) is Qt.CursorShape.ArrowCursor
    assert view.grab().toImage() == away


def test_selecting_a_link_does_not_open_it(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", LINK))
    told: list[str] = []
    view.link_activated.connect(told.append)
    place, _ = find(view, "a", MarkdownItem)
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mousePress(view.viewport(), left, none, spot(view, place, 4, 10))
    move(view, spot(view, place, 25, 10), held=True)
    QTest.mouseRelease(view.viewport(), left, none, spot(view, place, 25, 10))
    assert told == []
    assert view.selected_text()


def test_other_buttons_press_nothing(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("b", call(0)))
    place, _ = find(view, "b", CardHead)
    right, none = Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(view.viewport(), right, none, spot(view, place, 30, 10))
    assert not expanded(view, "web.search")


def test_the_wheel_scrolls_and_updates_the_hovered_part(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "\n\n".join(f"Paragraph {n}" for n in range(60))))
    bar = view.verticalScrollBar()
    top = bar.value()
    event = QWheelEvent(
        QPointF(100, 100),
        QPointF(view.viewport().mapToGlobal(QPoint(100, 100))),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)
    assert bar.value() < top
    view.add_message(said("b", "More"))
    assert bar.value() < bar.maximum()
    assert view.scene.hovered_message == "a"


def test_an_icon_has_a_tooltip(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "Hello"))
    place, footer = find(view, "a", FooterItem)
    for part in footer.hit_regions(view.scene):
        move(view, spot(view, place, round(part.rect.center().x()), round(part.rect.center().y())))
        qtbot.waitUntil(lambda name=part.name: QToolTip.text() == name)


def test_a_selection_can_be_pasted_with_the_middle_button(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One two three"))
    clipboard = QGuiApplication.clipboard()
    place, _ = find(view, "a", MarkdownItem)
    drag(view, spot(view, place, 0, 10), spot(view, place, 300, 10))
    if clipboard.supportsSelection():  # only X11 has it
        assert clipboard.text(QClipboard.Mode.Selection) == "One two three"


def test_the_number_of_a_footnote_shows_its_text(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "So[^1] it is.\n\n[^1]: As the *Book* says."))
    place, item = find(view, "a", MarkdownItem)
    assert isinstance(item, MarkdownItem)
    layout = item.document(view.scene).firstBlock().layout()
    across = layout.lineAt(0).cursorToX(2)[0] + 3
    move(view, spot(view, place, across, item.height / 2 - 3))
    qtbot.waitUntil(lambda: QToolTip.text() == "As the Book says.")
    QToolTip.hideText()
