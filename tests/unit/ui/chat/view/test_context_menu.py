"""The context menu."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import Image
from neodeskpet.ui.chat.items.image_item import ImageItem
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.wide_items import FormulaItem, MarkdownTableItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.unit.ui.chat.doubles import find, open_view, person, said, spot


def menu_at(view: ChatView, where: QPoint) -> QMenu:
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, where, view.viewport().mapToGlobal(where))
    QApplication.sendEvent(view.viewport(), event)
    menus = view.findChildren(QMenu)
    return menus[-1]


def words(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.text()]


def choose(menu: QMenu, name: str) -> None:
    next(action for action in menu.actions() if action.text() == name).trigger()
    menu.close()


ASK = "What happened in this turn"
WHY = "Why did you say that?"
REPLY = [
    "Copy the message",
    "Read aloud",
    "Regenerate the reply",
    "Regenerate with another model…",
    ASK,
    WHY,
    "New conversation from here",
    "Delete the message",
    "Delete this and all following messages",
]
OWN = [*REPLY[:2], "Edit the message", *REPLY[6:]]
COMMON = ["Copy", "Copy as Markdown", "Quote", *REPLY, "Select all"]


def test_at_a_link(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "[one](https://example.org/a) two"))
    place, _ = find(view, "a", MarkdownItem)
    menu = menu_at(view, spot(view, place, 8, 10))
    assert words(menu) == ["Open the link", "Copy the address", *COMMON]
    choose(menu, "Copy the address")
    assert QGuiApplication.clipboard().text() == "https://example.org/a"
    with qtbot.waitSignal(view.link_activated) as told:
        choose(menu_at(view, spot(view, place, 8, 10)), "Open the link")
    assert told.args == ["https://example.org/a"]


@pytest.mark.parametrize(
    ("name", "copied"),
    [("Copy", "One two"), ("Copy as Markdown", "One **two**"), ("Copy the message", "One **two**")],
)
def test_copying(qtbot: QtBot, name: str, copied: str) -> None:
    view = open_view(qtbot, said("a", "One **two**"))
    place, _ = find(view, "a", MarkdownItem)
    menu = menu_at(view, spot(view, place, 8, 10))
    assert words(menu) == COMMON
    assert [action.isEnabled() for action in menu.actions()[:3]] == [False, False, False]
    choose(menu, "Select all")
    choose(menu_at(view, spot(view, place, 8, 10)), name)
    assert QGuiApplication.clipboard().text() == copied


def test_on_an_empty_place(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    menu = menu_at(view, QPoint(40, 40))
    assert words(menu) == ["Copy", "Copy as Markdown", "Quote", "Select all"]
    menu.close()


def test_at_a_picture(qtbot: QtBot) -> None:
    image = Image(1, 0, "d", "image/png", "cat.png")
    view = open_view(qtbot, person("u", "Look", image))
    place, _ = find(view, "u", ImageItem)
    spot_of_it = view.scroller.row_rect(place).topRight() + QPoint(-10, 10)
    own = ["Show the picture", "Reply with this picture", "Copy the picture"]
    assert words(menu_at(view, spot_of_it)) == [*own, *COMMON[:3], *OWN, "Select all"]
    signals = (view.picture_requested, view.quote_requested, view.picture_copy_requested)
    for name, signal in zip(own, signals, strict=True):
        with qtbot.waitSignal(signal) as told:
            choose(menu_at(view, spot_of_it), name)
        assert told.args == [image]


def test_a_selection_is_quoted_as_markdown(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "One **two**"))
    place, _ = find(view, "a", MarkdownItem)
    view.select_all()
    with qtbot.waitSignal(view.passage_quoted) as told:
        choose(menu_at(view, spot(view, place, 8, 10)), "Quote")
    assert told.args == ["One **two**"]


@pytest.mark.parametrize(
    ("name", "copied"),
    [
        ("Copy the table", "a\tb\n1\tc\n" + "\n".join("x | y\t$z$" for _ in range(20))),
        (
            "Copy the table as Markdown",
            "| **a** | b |\n|--|--|\n| 1 | `c` |\n" + "\n".join(["| x \\| y | $z$ |"] * 20),
        ),
    ],
)
def test_a_table_is_copied_completely(qtbot: QtBot, name: str, copied: str) -> None:
    rows = "| x \\| y | $z$ |\n" * 20
    text = f"| **a** | b |\n|--|--|\n| 1 | `c` |\n{rows}"
    view = open_view(qtbot, said("a", text), size=(480, 1200))
    place, _ = find(view, "a", MarkdownTableItem, 1)
    choose(menu_at(view, spot(view, place, 8, 10)), name)
    assert QGuiApplication.clipboard().text() == copied


def test_a_formula_is_copied_as_tex(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "$$\nx^2\n$$"))
    place, _ = find(view, "a", FormulaItem)
    choose(menu_at(view, spot(view, place, 8, 10)), "Copy the formula")
    assert QGuiApplication.clipboard().text() == "x^2"
