"""A keyboard and a mouse button of the X server, which act like real ones (XTest)."""

from __future__ import annotations

import ctypes

from neodeskpet.ui.desktop.hotkeys_x11 import open_x11

CONTROL, ALT, NUM_LOCK, SPACE, F9 = 0xFFE3, 0xFFE9, 0xFF7F, 0x20, 0xFFC6


class Keyboard:
    """Presses keys on the server, by X11's numbers of them."""

    def __init__(self) -> None:
        self._test = ctypes.CDLL("libXtst.so.6")
        made = open_x11()
        assert made is not None
        self._x11 = made

    def press(self, *symbols: int) -> None:
        codes = [
            self._x11.library.XKeysymToKeycode(self._x11.display, ctypes.c_ulong(one))
            for one in symbols
        ]
        for down, order in ((1, codes), (0, codes[::-1])):
            for code in order:
                self._test.XTestFakeKeyEvent(self._x11.display, code, down, ctypes.c_ulong(0))
        self._x11.library.XSync(self._x11.display, 0)

    def click(self) -> None:
        """Press and release the first button of the pointer where it is."""
        for down in (1, 0):
            self._test.XTestFakeButtonEvent(self._x11.display, 1, down, ctypes.c_ulong(0))
        self._x11.library.XSync(self._x11.display, 0)

    def close(self) -> None:
        self._x11.library.XCloseDisplay(self._x11.display)
