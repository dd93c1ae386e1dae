from __future__ import annotations

import asyncio
import ctypes
import json
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication

from neodeskpet.core.proactive import Detection
from neodeskpet.ui.desktop.activity_detector import (
    ActivityDetector,
    FullscreenDetector,
    in_call,
    is_camera_in_use,
    is_microphone_in_use,
)
from neodeskpet.ui.desktop.idle_time import create_idle_time
from neodeskpet.ui.desktop.screen_sharing import ScreenSharing

YES, NO, UNKNOWN = Detection.YES, Detection.NO, Detection.UNKNOWN


def test_a_microphone_that_is_recorded(tmp_path: Path) -> None:
    assert is_microphone_in_use(tmp_path) is UNKNOWN
    for name, state in (("pcm0p", "RUNNING"), ("pcm0c", "closed")):
        folder = tmp_path / "card0" / name / "sub0"
        folder.mkdir(parents=True)
        (folder / "status").write_text(f"state: {state}\n", "ascii")
    assert is_microphone_in_use(tmp_path) is NO, "sound is played"
    (tmp_path / "card0" / "pcm0c" / "sub0" / "status").write_text("state: RUNNING\n", "ascii")
    assert is_microphone_in_use(tmp_path) is YES
    (tmp_path / "card0" / "pcm0c" / "sub0" / "status").unlink()
    (tmp_path / "card0" / "pcm0c" / "sub0" / "status").mkdir()
    assert is_microphone_in_use(tmp_path) is NO, "it can't be read"


def test_a_camera_that_is_open(tmp_path: Path) -> None:
    camera = tmp_path / "video0"
    camera.touch()
    for process in ("1", "2", "self"):
        (tmp_path / "proc" / process / "fd").mkdir(parents=True)
    processes = tmp_path / "proc"
    (processes / "3").mkdir()
    assert is_camera_in_use(processes, list) is UNKNOWN
    (processes / "1" / "fd" / "0").symlink_to("/dev/null")
    assert is_camera_in_use(processes, lambda: [camera]) is NO
    (processes / "2" / "fd" / "7").symlink_to(camera)
    assert is_camera_in_use(processes, lambda: [camera]) is YES


@pytest.mark.parametrize(
    ("recorded", "filmed", "call"),
    [(YES, NO, YES), (UNKNOWN, YES, YES), (UNKNOWN, UNKNOWN, UNKNOWN), (UNKNOWN, NO, NO)],
)
def test_either_is_a_call(recorded: Detection, filmed: Detection, call: Detection) -> None:
    assert in_call(recorded, filmed) is call


def test_without_an_x_server_nothing_is_known() -> None:
    unknown = ScreenSharing(find=lambda: None)
    attention = ActivityDetector(x11=False, find_idle=lambda: None, sharing=unknown)
    noticed = asyncio.run(attention.read_presence())
    assert (noticed.idle, noticed.fullscreen) == (None, UNKNOWN)
    assert noticed.shared is UNKNOWN
    assert not attention.senses().idle
    assert not attention.senses().fullscreen
    assert not attention.senses().shared


def test_a_shared_screen_is_noticed() -> None:
    dump = [{"info": {"state": "running", "props": {"media.class": "Video/Source"}}}]
    sharing = ScreenSharing(lambda: "pw-dump", lambda command: json.dumps(dump))
    attention = ActivityDetector(x11=False, find_idle=lambda: None, sharing=sharing)
    assert attention.senses().shared
    assert attention.notice_now().shared is YES


def on_x11() -> ActivityDetector:
    return ActivityDetector(x11=True, find_idle=partial(create_idle_time, "xcb", {}))


class Root:
    """Sets the properties that a window manager sets on the display's root."""

    def __init__(self) -> None:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XDefaultRootWindow.restype = self._x11.XInternAtom.restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(None))
        self.window = int(self._x11.XDefaultRootWindow(self._display))

    def atom(self, name: str) -> int:
        return int(self._x11.XInternAtom(self._display, name.encode(), 0))

    def put(self, window: int, name: str, kind: str, *values: int) -> None:
        longs = (ctypes.c_long * len(values))(*values)
        given = (ctypes.c_ulong(self.atom(name)), ctypes.c_ulong(self.atom(kind)), 32, 0)
        shown = ctypes.c_ulong(window)
        self._x11.XChangeProperty(self._display, shown, *given, ctypes.byref(longs), len(values))
        self._x11.XSync(self._display, 0)

    def close(self) -> None:
        name = ctypes.c_ulong(self.atom("_NET_ACTIVE_WINDOW"))
        self._x11.XDeleteProperty(self._display, ctypes.c_ulong(self.window), name)
        self._x11.XCloseDisplay(self._display)


def test_the_active_window_fills_the_screen(qapp: QApplication) -> None:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("not on X11")
    screens, root, window = FullscreenDetector(), Root(), QWindow()
    active = "_NET_ACTIVE_WINDOW"
    try:
        ours = int(window.winId())
        root.put(root.window, active, "WINDOW", 0)
        assert screens.current() is NO
        root.put(root.window, active, "WINDOW", ours)
        assert screens.current() is NO
        states = [root.atom(f"_NET_WM_STATE_{name}") for name in ("ABOVE", "FULLSCREEN")]
        root.put(ours, "_NET_WM_STATE", "ATOM", *states)
        assert screens.current() is YES
        root.put(root.window, active, "WINDOW", 0x7FFFFF)
        assert screens.current() is NO, "the window was closed, which is no error"
    finally:
        root.close()
        window.destroy()
    assert screens.current() is UNKNOWN, "there is no window manager"
    attention = on_x11()
    noticed = attention.notice_now()
    assert attention.senses().fullscreen
    assert (noticed.idle is not None) is attention.senses().idle
    screens.close()
    assert attention.idle() == pytest.approx(noticed.idle or 0.0, abs=60.0)
    attention.close()
    assert attention.notice_now().idle is None
    assert attention.idle() is None
    assert attention.notice_now().fullscreen is UNKNOWN


def test_a_closed_detector_leaves_the_display(qapp: QApplication) -> None:
    """A display serves 256 programs, and the tests open the whole desk of one of them often."""
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("not on X11")
    for _ in range(300):
        attention = on_x11()
        assert attention.senses().fullscreen
        attention.close()


def test_a_desk_that_never_asks_needs_no_connection_to_the_display(qapp: QApplication) -> None:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("not on X11")
    many = [on_x11() for _ in range(300)]
    assert many[-1].senses().fullscreen
    many[-1].close()
    assert not many[-1].senses().fullscreen, "it stays closed"
