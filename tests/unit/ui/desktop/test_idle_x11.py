from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.desktop.idle_time import X11IdleTime


@pytest.fixture
def idle(qapp: QApplication) -> Iterator[X11IdleTime]:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("not on X11")
    made = X11IdleTime()
    yield made
    made.close()


def test_a_key_or_a_movement_is_noticed(idle: X11IdleTime) -> None:
    before = idle.seconds()
    assert before >= 0.0
    xtest, x11 = ctypes.CDLL("libXtst.so.6"), ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    while idle.seconds() <= 0.05:
        os.sched_yield()
    waited = idle.seconds()
    xtest.XTestFakeRelativeMotionEvent(display, 1, 1, 0)
    x11.XSync(display, 0)
    x11.XCloseDisplay(display)
    assert idle.seconds() < waited
