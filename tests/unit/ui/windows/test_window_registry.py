"""The registry of windows: a further window is one entry."""

import asyncio

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.theme import LIGHT, Theme
from neodeskpet.ui.windows.window_registry import WindowEntry, WindowRegistry


class Panel(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.worn: Theme | None = None

    def set_theme(self, theme: Theme) -> None:
        self.worn = theme


def entry(key: str, **more: object) -> WindowEntry:
    return WindowEntry(key, Panel, **more)  # type: ignore[arg-type]


def test_a_window_is_made_when_it_is_needed_and_styled_from_then_on(
    qapp: QApplication, qtbot: QtBot
) -> None:
    dressed: list[object] = []
    windows = WindowRegistry()
    windows.window_created.connect(dressed.append)
    windows.register(entry("notes", title="Notes"))
    assert not windows.created_windows()
    assert not dressed
    assert windows.present("notes")
    notes = windows["notes"]
    qtbot.addWidget(notes)
    assert windows.created_windows() == [notes]
    assert notes.isVisible()
    assert dressed == [notes]
    windows.close()
    assert not notes.isVisible()
    assert windows.present("notes")
    assert windows["notes"] is notes
    assert notes.isVisible()
    assert not windows.present("nothing of that name")


def test_it_shows_itself_as_it_likes(qapp: QApplication, qtbot: QtBot) -> None:
    shown: list[str] = []

    class Presented(Panel):
        def present(self) -> None:
            shown.append("by itself")

    windows = WindowRegistry()
    windows.register(WindowEntry("notes", Presented))
    windows.register(WindowEntry("chat", Panel, lambda: shown.append("by another")))
    windows.present("notes")
    qtbot.addWidget(windows["notes"])
    windows.present("chat")
    assert shown == ["by itself", "by another"]
    assert windows.created_windows() == [windows["notes"]]


def test_made_windows_end_their_work(qapp: QApplication, qtbot: QtBot) -> None:
    ended: list[str] = []

    class Busy(Panel):
        async def aclose(self) -> None:
            ended.append("ended")

    windows = WindowRegistry()
    for key in ("notes", "timers"):
        windows.register(WindowEntry(key, Busy))
    windows.register(entry("chat"))
    for key in ("notes", "chat"):
        qtbot.addWidget(windows[key])
    asyncio.run(windows.aclose())
    assert ended == ["ended"]


def test_one_name_is_one_window(qapp: QApplication) -> None:
    windows = WindowRegistry()
    windows.register(entry("notes"))
    with pytest.raises(ValueError, match="notes"):
        windows.register(entry("notes"))


@pytest.mark.parametrize("first", [True, False])
def test_its_place_is_stored_unless_it_has_none(
    qapp: QApplication, qtbot: QtBot, first: bool
) -> None:
    windows = WindowRegistry()
    windows.register(entry("notes"))
    windows.register(entry("hint", remembers_geometry=False))
    assert windows.with_remembered_geometry() == ["notes"]
    if first:
        assert windows["notes"]
    windows.restore_geometry({"notes": QRect(100, 120, 300, 200)})
    notes = windows["notes"]
    qtbot.addWidget(notes)
    assert notes.geometry() == QRect(100, 120, 300, 200)
    notes.show()
    with qtbot.waitSignal(windows.geometry_changed) as moved:
        notes.close()
    assert moved.args == ["notes", QRect(100, 120, 300, 200)]


def test_the_menu_offers_those_with_a_title_and_the_low_ones_beside_quit(
    qapp: QApplication,
) -> None:
    windows = WindowRegistry()
    windows.register(entry("settings", title="Settings…", at_bottom=True))
    windows.register(entry("notes", title="Notes"))
    windows.register(entry("hint"))
    menu = CompanionMenu(LIGHT, windows.in_menu())
    ids = [one.id for one in menu.entries]
    assert ids.index("notes") < ids.index("settings")
    assert ids[-2:] == ["settings", "quit"]
    assert "hint" not in ids


def test_a_note_stands_after_the_titles_of_all_windows(qapp: QApplication) -> None:
    registry = WindowRegistry()
    for key in ("one", "two"):
        registry.register(WindowEntry(key, QWidget))
    first = registry["one"]
    first.setWindowTitle("First")
    registry.set_title_note("Quiet until 18:00")
    assert first.windowTitle() == "First · Quiet until 18:00"
    first.setWindowTitle("Renamed")
    assert first.windowTitle() == "Renamed · Quiet until 18:00"
    registry.set_title_note("Focus until 18:25")
    assert first.windowTitle() == "Renamed · Focus until 18:25"
    assert registry["two"].windowTitle().endswith("Focus until 18:25"), "made later"
    registry.set_title_note("")
    assert first.windowTitle() == "Renamed"
