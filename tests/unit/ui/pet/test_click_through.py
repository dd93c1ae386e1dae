"""Visible pixels are clickable: 2,600 points on two screens, at 100 to 225 %; frames are read back
only as often as necessary for that.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor, QGuiApplication, QRasterWindow
from pytestqt.qtbot import QtBot

from neodeskpet.ui.pet.click_through import ClickThrough
from neodeskpet.ui.pet.gl_surface import AlphaMap
from tests.support.unmeasured import unmeasured_children

KINDS = ("within", "between", "one screen fewer", "shown again")


class CountedPixels:
    """All of it opaque; counts how often it was read."""

    def __init__(self) -> None:
        self.read = 0

    def alphas(self, width: int, height: int) -> AlphaMap:
        self.read += 1
        size = 4 * width * height
        return AlphaMap((ctypes.c_ubyte * size)(*b"\xff" * size), width, height)


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
@pytest.mark.parametrize("scales", [("1", "1.25"), ("1.5", "1.75"), ("2", "2.25")])
def test_it_takes_clicks_exactly_where_it_is_visible(cache: Path, scales: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "tests.support.touchprobe", str(cache), *scales]
    with unmeasured_children():
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["probes"] >= 800
    assert told["opaque"] >= 200
    assert told["hidden"] == 1, "a hidden figure stays hidden, whatever the screens do"
    assert {kind: told[f"wrong {kind}"] for kind in KINDS} == dict.fromkeys(KINDS, 0)
    assert told["far"] == 2
    assert told["arrivals"] == 80  # twice 40 on the figure, and as many beside it
    assert told["wrong arrivals"] == 0, "before the place of the pointer is known"


def test_frames_without_movement_are_read_back_rarely(qtbot: QtBot) -> None:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("only an X server has such shapes")
    window = QRasterWindow()
    window.setGeometry(600, 600, 40, 40)
    window.show()
    qtbot.waitExposed(window)
    QCursor.setPos(2, 2)
    through, pixels = ClickThrough(window), CountedPixels()
    through.set_pointer(QPoint(2, 2))
    through.set_visible(True)
    through.frame_drawn(pixels)
    assert pixels.read == 1
    time.sleep(0.31)
    through.frame_drawn(pixels)
    assert pixels.read == 2, (
        "the first frame without movement always: the earlier one was taken during the movement"
    )
    for _ in range(11):
        time.sleep(0.17)
        through.frame_drawn(pixels)
    assert pixels.read == 2
    time.sleep(0.17)
    through.frame_drawn(pixels)
    assert pixels.read == 3, "the figure moves a step in each of them, too"
    window.resize(60, 60)
    qtbot.waitUntil(lambda: window.width() == 60)
    through.frame_drawn(pixels)
    assert pixels.read == 4, "with another size it is elsewhere"
    through.set_visible(False)
    window.destroy()
