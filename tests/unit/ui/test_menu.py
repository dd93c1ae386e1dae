"""One table of actions: what the person does is told, what is set is only shown."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.companion_menu import OPTIONAL_ENTRIES, CompanionMenu, EntryKind
from neodeskpet.ui.theme import DARK, LIGHT


class Heard:
    """What the menu told."""

    def __init__(self, menu: CompanionMenu) -> None:
        self.render: list[tuple[object, ...]] = []
        menu.chosen.connect(lambda entry: self.render.append(("chosen", entry)))
        menu.switched.connect(lambda entry, on: self.render.append(("switched", entry, on)))
        menu.mode_chosen.connect(lambda mode: self.render.append(("mode", mode)))


def test_every_action_tells_what_it_is(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    heard = Heard(menu)
    for play in OPTIONAL_ENTRIES:
        menu.set_available(play.id, True)
    for entry in menu.entries:
        menu.actions[entry.id].trigger()
    expected: list[tuple[object, ...]] = []
    for entry in menu.entries:
        match entry.kind:
            case EntryKind.PLAIN:
                expected.append(("chosen", entry.id))
            case EntryKind.SWITCH:
                expected.append(("switched", entry.id, True))
            case EntryKind.MODE:
                expected.append(("mode", entry.id))
    assert heard.render == expected


def test_plays_are_there_when_they_are_offered(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    assert not any(menu.actions[play.id].isVisible() for play in OPTIONAL_ENTRIES)
    menu.set_available("seek", True)
    assert menu.actions["seek"].isVisible()
    menu.set_available("seek", False)
    assert not menu.actions["seek"].isVisible()


def test_what_is_set_is_not_told(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    heard = Heard(menu)
    menu.set_mode("text")
    menu.set_switch("on_top", True)
    menu.set_visible(False)
    assert heard.render == []
    assert menu.actions["text"].isChecked()
    assert menu.actions["on_top"].isChecked()


def test_one_mode_at_a_time(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    for mode in ("native", "text", "auto"):
        menu.set_mode(mode)
        ticked = [m for m in ("native", "text", "auto") if menu.actions[m].isChecked()]
        assert ticked == [mode]


def test_show_becomes_hide(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    menu.set_name("Mimi")
    assert menu.actions["visible"].text() == "Hide Mimi"
    menu.set_visible(False)
    assert menu.actions["visible"].text() == "Show Mimi"
    menu.set_name("Neo")
    assert menu.actions["visible"].text() == "Show Neo"


def test_the_menus_share_the_actions(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT)
    one, other = menu.menu(), menu.menu()
    qtbot.addWidget(one)
    qtbot.addWidget(other)
    shown = [action.objectName() for action in one.actions() if not action.isSeparator()]
    assert shown == [entry.id for entry in menu.entries]
    assert one.actions()[0] is other.actions()[0]
    assert sum(action.isSeparator() for action in one.actions()) == 3


def test_popping_up_returns_at_once(qtbot: QtBot) -> None:
    menu = CompanionMenu(LIGHT)
    shown = menu.popup(QPoint(50, 50))
    qtbot.addWidget(shown)
    assert shown.isVisible()
    assert menu.popup(QPoint(60, 60)) is shown
    shown.close()


def test_another_theme_draws_the_icons_anew(qapp: QApplication) -> None:
    menu = CompanionMenu(LIGHT)
    before = menu.actions["quit"].icon().cacheKey()
    menu.set_theme(DARK)
    assert menu.actions["quit"].icon().cacheKey() != before
