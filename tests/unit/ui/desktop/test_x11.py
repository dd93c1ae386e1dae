"""Windows of other programs, on the display's own server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.ui.desktop.window_watcher import X11WindowWatcher
from tests.support.xwindows import XWindows

_FULL, _HIDDEN = "_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_HIDDEN"


@pytest.fixture
def others() -> Iterator[XWindows]:
    made = XWindows()
    yield made
    made.close()


@pytest.fixture
def around(qtbot: QtBot, others: XWindows) -> Iterator[X11WindowWatcher]:
    made = X11WindowWatcher()
    yield made
    made.close()


def test_without_a_window_manager_there_are_none(around: X11WindowWatcher) -> None:
    assert around.windows() == []


def test_they_are_reported_with_their_frames_topmost_first(
    around: X11WindowWatcher, others: XWindows
) -> None:
    plain = others.open(100, 200, 300, 150)
    framed = others.open(500, 200, 300, 150)
    shadowed = others.open(900, 200, 300, 150)
    others.tell(framed, "_NET_FRAME_EXTENTS", 2, 3, 20, 4)
    others.tell(shadowed, "_GTK_FRAME_EXTENTS", 10, 10, 5, 20)
    assert around.windows() == [
        VisibleWindow(shadowed, DesktopArea(910, 205, 1190, 330)),
        VisibleWindow(framed, DesktopArea(498, 180, 803, 354)),
        VisibleWindow(plain, DesktopArea(100, 200, 400, 350)),
    ]
    others.raise_(plain)
    assert [one.window for one in around.windows()] == [plain, shadowed, framed]


def test_full_screen_hidden_and_other_desktops(around: X11WindowWatcher, others: XWindows) -> None:
    film, away, elsewhere, panel, ground = (others.open(50 * n, 9, 90, 90) for n in range(5))
    others.tell_names(film, "_NET_WM_STATE", _FULL)
    others.tell_names(away, "_NET_WM_STATE", _HIDDEN)
    others.tell(elsewhere, "_NET_WM_DESKTOP", 3)
    others.tell_desktop(1)
    for window, kind in ((panel, "DOCK"), (ground, "DESKTOP")):
        others.tell_names(window, "_NET_WM_WINDOW_TYPE", f"_NET_WM_WINDOW_TYPE_{kind}")
    told = [(one.window, one.full, one.firm) for one in around.windows()]
    assert told == [(ground, False, False), (panel, False, True), (film, True, True)]


def test_a_moved_window_is_reported_without_polling(
    qtbot: QtBot, around: X11WindowWatcher, others: XWindows
) -> None:
    window = others.open(100, 200, 300, 150)
    around.windows()
    places: list[list[DesktopArea]] = []
    around.subscribe(lambda: places.append([one.place for one in around.windows()]))
    others.move(window, 120, 260)
    qtbot.waitUntil(lambda: places[-1:] == [[DesktopArea(120, 260, 420, 410)]])
    others.tell_names(window, "_NET_WM_STATE", _HIDDEN)
    qtbot.waitUntil(lambda: places[-1] == [])
    others.tell_names(window, "_NET_WM_STATE")
    qtbot.waitUntil(lambda: places[-1] != [])
    others.destroy(window)
    qtbot.waitUntil(lambda: places[-1] == [])
    qtbot.waitUntil(lambda: not around.has_pending_change)


def test_a_closed_window_is_noticed_before_the_manager_reports_it(
    around: X11WindowWatcher, others: XWindows
) -> None:
    gone, there = others.open(100, 200, 300, 150), others.open(500, 200, 300, 150)
    around.windows()
    others.destroy(gone, listed=True)
    assert [one.window for one in around.windows()] == [there]


def test_nothing_is_reported_after_the_end(qtbot: QtBot, others: XWindows) -> None:
    around = X11WindowWatcher()
    window = others.open(100, 200, 300, 150)
    around.windows()
    told: list[bool] = []
    around.subscribe(lambda: told.append(True))
    others.move(window, 1, 1)
    around.close()
    later = X11WindowWatcher()
    later.windows()
    heard: list[bool] = []
    later.subscribe(lambda: heard.append(True))
    others.move(window, 9, 9)
    qtbot.waitUntil(lambda: bool(heard))
    later.close()
    assert not told
