"""The registry of windows: a further window is one entry."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.menu import CompanionMenu
from neodeskpet.ui.theme import LIGHT, Theme
from neodeskpet.ui.windows import WindowEntry, Windows


class Panel(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.worn: Theme | None = None

    def set_theme(self, theme: Theme) -> None:
        self.worn = theme


def entry(qtbot: QtBot, key: str, **more: object) -> WindowEntry:
    panel = Panel()
    qtbot.addWidget(panel)
    return WindowEntry(key, panel, panel.show, **more)  # type: ignore[arg-type]


def test_what_is_registered_can_be_shown_dressed_and_closed(
    qapp: QApplication, qtbot: QtBot
) -> None:
    windows = Windows()
    notes = entry(qtbot, "notes", title="Notes")
    windows.register(notes)
    assert windows.present("notes")
    assert notes.window.isVisible()
    for one in windows.dressed():
        one.set_theme(LIGHT)
    assert isinstance(notes.window, Panel)
    assert notes.window.worn is LIGHT
    windows.close()
    assert not notes.window.isVisible()
    assert not windows.present("nothing of that name")


def test_one_name_is_one_window(qapp: QApplication, qtbot: QtBot) -> None:
    windows = Windows()
    windows.register(entry(qtbot, "notes"))
    with pytest.raises(ValueError, match="notes"):
        windows.register(entry(qtbot, "notes"))


def test_its_place_is_remembered_unless_it_has_none(qapp: QApplication, qtbot: QtBot) -> None:
    windows = Windows()
    notes = entry(qtbot, "notes")
    windows.register(notes)
    windows.register(entry(qtbot, "hint", placed=False))
    assert windows.placed() == ["notes"]
    windows.restore({"notes": QRect(100, 120, 300, 200)})
    assert notes.window.geometry() == QRect(100, 120, 300, 200)
    with qtbot.waitSignal(windows.moved, timeout=5000) as moved:
        notes.window.close()
    assert moved.args == ["notes", QRect(100, 120, 300, 200)]


def test_the_menu_offers_those_with_a_title_and_the_low_ones_beside_quit(
    qapp: QApplication, qtbot: QtBot
) -> None:
    windows = Windows()
    windows.register(entry(qtbot, "settings", title="Settings…", low=True))
    windows.register(entry(qtbot, "notes", title="Notes"))
    windows.register(entry(qtbot, "hint"))
    menu = CompanionMenu(LIGHT, windows.in_menu())
    ids = [one.id for one in menu.entries]
    assert ids[:3] == ["visible", "say", "notes"]
    assert ids[-2:] == ["settings", "quit"]
    assert "hint" not in ids
