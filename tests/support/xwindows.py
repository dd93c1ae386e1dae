"""Windows of another program on the X server, and the properties that a window manager would set.

No manager runs on the tests' display: its list of windows is written here, with the same
properties.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

_WINDOW, _CARDINAL, _ATOM = 33, 6, 4
_REPLACE = 0


class XWindows:
    """A connection of its own. `close` removes everything that was set."""

    def __init__(self) -> None:
        x11 = self._x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        for name in ("XDefaultRootWindow", "XInternAtom", "XCreateSimpleWindow"):
            getattr(x11, name).restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(x11.XOpenDisplay(None))
        self._root = ctypes.c_ulong(x11.XDefaultRootWindow(self._display))
        self._stack: list[int] = []

    def open(self, x: int, y: int, width: int, height: int) -> int:
        """Open a window on top of the others; return its number."""
        made = self._x11.XCreateSimpleWindow(
            self._display,
            self._root,
            x,
            y,
            width,
            height,
            0,
            ctypes.c_ulong(0),
            ctypes.c_ulong(0x8899AA),
        )
        self._x11.XMapWindow(self._display, ctypes.c_ulong(made))
        self._stack.append(int(made))
        self._list()
        return int(made)

    def move(self, window: int, x: int, y: int) -> None:
        self._x11.XMoveWindow(self._display, ctypes.c_ulong(window), x, y)
        self._sync()

    def raise_(self, window: int) -> None:
        self._stack.remove(window)
        self._stack.append(window)
        self._x11.XRaiseWindow(self._display, ctypes.c_ulong(window))
        self._list()

    def destroy(self, window: int, *, listed: bool = False) -> None:
        """`listed`: the manager hasn't noticed it yet."""
        self._x11.XDestroyWindow(self._display, ctypes.c_ulong(window))
        if not listed:
            self._stack.remove(window)
        self._list()

    def tell(self, window: int, name: str, *values: int) -> None:
        """Set a property of numbers."""
        self._write(window, name, _CARDINAL, values)

    def tell_names(self, window: int, name: str, *values: str) -> None:
        """Set a property of names."""
        self._write(window, name, _ATOM, [self._atom(one) for one in values])

    def tell_desktop(self, desktop: int) -> None:
        self._write(self._root.value, "_NET_CURRENT_DESKTOP", _CARDINAL, [desktop])

    def close(self) -> None:
        for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CURRENT_DESKTOP"):
            atom = ctypes.c_ulong(self._atom(name))
            self._x11.XDeleteProperty(self._display, self._root, atom)
        self._sync()
        self._x11.XCloseDisplay(self._display)

    def _list(self) -> None:
        self._write(self._root.value, "_NET_CLIENT_LIST_STACKING", _WINDOW, self._stack)

    def _write(self, window: int, name: str, kind: int, values: Sequence[int]) -> None:
        data = (ctypes.c_long * max(1, len(values)))(*values)
        self._x11.XChangeProperty(
            self._display,
            ctypes.c_ulong(window),
            ctypes.c_ulong(self._atom(name)),
            ctypes.c_ulong(kind),
            32,
            _REPLACE,
            ctypes.byref(data),
            len(values),
        )
        self._sync()

    def _atom(self, name: str) -> int:
        return int(self._x11.XInternAtom(self._display, name.encode(), 0))

    def _sync(self) -> None:
        self._x11.XSync(self._display, 0)
