"""The menus: seven rows, one set of actions. The user's actions are reported, set values aren't."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.companion_menu import (
    CONDITIONAL_ENTRIES,
    URGENT,
    CompanionMenu,
    EntryKind,
    HintMenu,
)
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.windows.window_registry import WindowEntry

WINDOWS = [
    WindowEntry("chat", QWidget, title="Open chat", hint="double-click"),
    WindowEntry("today", QWidget, title="Today…"),
    WindowEntry("memory", QWidget, title="What I know about you…"),
    WindowEntry("dice", QWidget, title="Dice"),
    WindowEntry("gallery", QWidget, title="Characters…"),
    WindowEntry("guests", QWidget, title="Invite another companion…"),
    WindowEntry("inbox", QWidget, title="Missed messages…"),
    WindowEntry("settings", QWidget, title="Settings…", at_bottom=True),
]


class Heard:
    """The reports of the menu."""

    def __init__(self, menu: CompanionMenu) -> None:
        self.events: list[tuple[object, ...]] = []
        menu.chosen.connect(lambda entry: self.events.append(("chosen", entry)))
        menu.switched.connect(lambda entry, on: self.events.append(("switched", entry, on)))


def rows(menu: QMenu) -> list[str]:
    """Return the visible rows."""
    return [
        action.text().split("\t")[0]
        for action in menu.actions()
        if action.isVisible() and not action.isSeparator()
    ]


def submenu(menu: QMenu, title: str) -> QMenu:
    found = (action.menu() for action in menu.actions() if action.text().startswith(title))
    inside = next(found)
    assert isinstance(inside, QMenu)
    return inside


def test_every_action_reports_itself(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    heard = Heard(menu)
    for entry_id in CONDITIONAL_ENTRIES:
        menu.set_available(entry_id, True)
    for entry in menu.entries:
        menu.actions[entry.id].trigger()
    expected: list[tuple[object, ...]] = []
    for entry in menu.entries:
        match entry.kind:
            case EntryKind.PLAIN:
                expected.append(("chosen", entry.id))
            case EntryKind.SWITCH:
                expected.append(("switched", entry.id, True))
    assert heard.events == expected


def test_there_are_seven_rows_and_the_rest_is_in_two_submenus(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    menu.set_name("Neo")
    made = menu.menu()
    qtbot.addWidget(made)
    assert rows(made) == [
        *("Open chat", "Say something…", "Today…"),
        *("Quiet and position", "More", "Settings…", "Quit"),
    ]
    assert rows(submenu(made, "Quiet and position")) == [
        *("Quiet for an hour", "Quiet until tomorrow"),
        *("Hide Neo", "Always on top", "Click-through"),
    ]
    assert rows(submenu(made, "More")) == [
        *("What Neo knows about you…", "Missed messages…", "Dice"),
        "Characters and companions…",
    ]


def test_activities_are_under_more_when_they_are_offered(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    made = menu.menu()
    qtbot.addWidget(made)
    assert "Play hide and seek" not in rows(submenu(made, "More"))
    menu.set_available("seek", True)
    assert rows(submenu(made, "More"))[-1] == "Play hide and seek"
    menu.set_available("seek", False)
    assert not menu.actions["seek"].isVisible()


def test_the_tray_has_the_short_menu(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    menu.set_name("Neo")
    made = menu.tray_menu()
    qtbot.addWidget(made)
    short = ["Hide Neo", "Open chat", "Today…", "Quiet for an hour", "Settings…", "Quit"]
    assert rows(made) == short
    menu.set_urgent("Turn off click-through", "pointer")
    assert rows(made) == ["Turn off click-through", *short]
    menu.set_urgent("")
    assert rows(made) == short


def test_a_copy_in_another_menu_does_the_same(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    heard = Heard(menu)
    copy = menu.copy("click_through")
    assert (copy.text(), copy.isCheckable()) == (menu.actions["click_through"].text(), True)
    copy.trigger()
    assert heard.events == [("switched", "click_through", True)]
    assert menu.actions["click_through"].isChecked() and copy.isChecked()
    menu.set_switch("click_through", False)
    assert not copy.isChecked()
    menu.set_available("click_through", False)
    assert not copy.isVisible()


def test_quiet_says_until_when_and_a_click_ends_it(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    made = menu.tray_menu()
    qtbot.addWidget(made)
    heard = Heard(menu)
    menu.set_quiet(True, "17:20")
    assert "Quiet until 17:20" in rows(made) and "Quiet for an hour" not in rows(made)
    menu.actions["quiet"].trigger()
    assert heard.events == [("switched", "quiet", False)]
    menu.set_quiet(True)
    assert "Quiet" in rows(made)
    menu.set_quiet(False)
    assert "Quiet for an hour" in rows(made)


def test_set_values_are_not_reported(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    heard = Heard(menu)
    menu.set_switch("on_top", True)
    menu.set_visible(False)
    menu.set_quiet(True)
    assert heard.events == []
    assert menu.actions["on_top"].isChecked()


def test_show_becomes_hide(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    menu.set_name("Mimi")
    assert menu.actions["visible"].text() == "Hide Mimi"
    menu.set_visible(False)
    assert menu.actions["visible"].text() == "Show Mimi"
    menu.set_name("Salt & Pepper")
    assert menu.actions["visible"].text() == "Show Salt && Pepper"


def test_badges_are_at_their_row_and_at_more(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    made = menu.menu()
    qtbot.addWidget(made)
    menu.set_badge("today", "2 due")
    menu.set_badge("inbox", "3")
    assert menu.actions["today"].text() == "Today…\t2 due"
    assert submenu(made, "More").title() == "More\t3"
    menu.set_badge("inbox", "")
    assert submenu(made, "More").title() == "More"


def test_the_urgent_row_is_bold_and_has_an_icon(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    assert not menu.actions[URGENT].isVisible()
    menu.set_urgent("Tea: done", "bell")
    action = menu.actions[URGENT]
    assert action.isVisible() and action.font().bold() and not action.icon().isNull()


def test_the_menus_are_updated_before_they_appear(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT)
    asked: list[int] = []
    menu.about_to_show.connect(lambda: asked.append(1))
    shown = menu.popup(QPoint(50, 50))
    qtbot.addWidget(shown)
    assert shown.isVisible() and asked
    assert menu.popup(QPoint(60, 60)) is shown
    shown.close()


def test_another_theme_redraws_the_icons(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    before = menu.actions["quit"].icon().cacheKey()
    menu.set_theme(DARK)
    assert menu.actions["quit"].icon().cacheKey() != before


def test_hints_end_at_the_right_edge_and_badges_have_a_tint(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT, WINDOWS)
    menu.set_badge("today", "2 due")
    menu.set_badge("inbox", "12")
    shown = menu.popup(QPoint(100, 100))
    qtbot.waitUntil(shown.isVisible)
    assert isinstance(shown, HintMenu)
    hints = {
        action.text().split("\t")[0]: shown.hint_area(action)
        for action in shown.actions()
        if not shown.hint_area(action).isNull()
    }
    assert list(hints) == ["Open chat", "Today…", "More"]
    assert hints["Open chat"].right() == hints["Today…"].right() > hints["More"].right()
    picture = shown.grab().toImage()
    for name, badge in (("Open chat", False), ("Today…", True), ("More", True)):
        left = QPoint(hints[name].left() - 3, hints[name].center().y())
        has_tint = picture.pixelColor(left) == QColor(LIGHT.person)
        assert has_tint is badge, name
    shown.close()
