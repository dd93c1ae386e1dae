"""Whether a compositor runs: it owns a certain selection of the X server."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.compositor import Compositor, CompositorSelection


class Blender:
    """Claims to be a compositor, and composes nothing."""

    def __init__(self) -> None:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XInternAtom.restype = ctypes.c_ulong
        self._x11.XCreateSimpleWindow.restype = self._x11.XDefaultRootWindow.restype = (
            ctypes.c_ulong
        )
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(None))

    def own(self, on: bool) -> None:
        x11, display = self._x11, self._display
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        window = x11.XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0) if on else 0
        atom = ctypes.c_ulong(x11.XInternAtom(display, b"_NET_WM_CM_S0", 0))
        x11.XSetSelectionOwner(display, atom, ctypes.c_ulong(window), ctypes.c_ulong(0))
        x11.XSync(display, 0)

    def close(self) -> None:
        self._x11.XCloseDisplay(self._display)


@pytest.fixture
def blender() -> Iterator[Blender]:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("there is no X server")
    made = Blender()
    yield made
    made.close()


def test_it_appears_and_disappears_while_the_app_runs(qtbot: QtBot, blender: Blender) -> None:
    compositor = Compositor()
    assert not compositor.present
    told: list[bool] = []
    compositor.changed.connect(told.append)
    for on in (True, False):
        blender.own(on)
        compositor.refresh()
        compositor.refresh()
    assert told == [True, False]


def test_the_server_reports_it_without_polling(qtbot: QtBot, blender: Blender) -> None:
    compositor = Compositor()
    told: list[bool] = []
    compositor.changed.connect(told.append)
    for on in (True, False):
        blender.own(on)
        qtbot.waitUntil(lambda on=on: told[-1:] == [on])  # type: ignore[misc]
    assert compositor.findChildren(QTimer) == [], "nothing wakes a hidden app"


def test_a_report_that_comes_after_the_connection_was_closed_is_ignored(blender: Blender) -> None:
    selection = CompositorSelection()
    selection.subscribe()
    blender.own(True)
    selection.close()
    selection.read()
