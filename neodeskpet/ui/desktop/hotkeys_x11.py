"""Hotkeys on X11: grabs of the root window on our own connection (Qt doesn't share its connection);
its events are read by the event loop. When the connection is closed the keys are released.

Num Lock and Caps Lock are modifiers on X11: each key is grabbed with and without them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, Structure, Union, byref, c_int, c_long, c_uint, c_ulong, c_void_p
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from neodeskpet.ui.desktop.hotkeys import HotKey, HotKeyProblem, Modifier, parse_hotkey

_SHIFT, _LOCK, _CONTROL, _ALT, _NUM, _META = 1, 2, 4, 8, 16, 64
_MASKS = {
    Modifier.SHIFT: _SHIFT,
    Modifier.CTRL: _CONTROL,
    Modifier.ALT: _ALT,
    Modifier.META: _META,
}
_HELD = _SHIFT | _CONTROL | _ALT | _META
_LOCKS = (0, _LOCK, _NUM, _LOCK | _NUM)
_KEY_PRESS, _KEY_RELEASE, _MAPPING_CHANGED = 2, 3, 34
_ASYNC = 1


class _KeyEvent(Structure):
    _fields_ = (
        ("type", c_int),
        ("serial", c_ulong),
        ("sent", c_int),
        ("display", c_void_p),
        ("window", c_ulong),
        ("root", c_ulong),
        ("child", c_ulong),
        ("time", c_ulong),
        *((name, c_int) for name in ("x", "y", "root_x", "root_y")),
        ("state", c_uint),
        ("code", c_uint),
        ("same_screen", c_int),
    )


class _Event(Union):
    _fields_ = (("type", c_int), ("key", _KeyEvent), ("padding", c_long * 24))


_failures: list[int] = []


def _count_failure(_display: int, _error: int) -> int:
    _failures.append(1)
    return 0


# The library's default error handler ends the process.
_error_handler = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(_count_failure)


@dataclass(frozen=True, slots=True)
class X11Connection:
    """The library with an open connection."""

    library: ctypes.CDLL
    display: c_void_p
    root: c_ulong


def open_x11() -> X11Connection | None:
    """Return a connection to the display; None without a display."""
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return None
    x11.XOpenDisplay.restype = x11.XSetErrorHandler.restype = c_void_p
    x11.XDefaultRootWindow.restype = c_ulong
    x11.XkbSetDetectableAutoRepeat.argtypes = (c_void_p, c_int, POINTER(c_int))
    display = c_void_p(x11.XOpenDisplay(None))
    if not display:
        return None
    x11.XkbSetDetectableAutoRepeat(display, 1, None)  # held keys: no releases in between
    return X11Connection(x11, display, c_ulong(x11.XDefaultRootWindow(display)))


class X11HotKeys(QObject):
    """A `HotKeys` that owns an open connection."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def __init__(self, x11: X11Connection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._x11: X11Connection | None = x11
        self._wanted: Mapping[str, tuple[str, str]] = {}
        self._held: dict[tuple[int, int], str] = {}  # by key code and modifiers
        self._down: set[int] = set()
        number = x11.library.XConnectionNumber(x11.display)
        self._notifier = QSocketNotifier(number, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        self._wanted = dict(wanted)
        self._let_go()
        for name, (text, _) in wanted.items():
            keys = parse_hotkey(text)
            refusal = HotKeyProblem.UNSUPPORTED if keys is None else self._take(name, keys)
            if refusal is not None:
                self.rejected.emit(name, refusal)
        self._read()  # events that the library has already read don't wake the notifier

    def close(self) -> None:
        if self._x11 is not None:
            self._notifier.setEnabled(False)
            self._x11.library.XCloseDisplay(self._x11.display)
            self._x11 = None

    def _take(self, name: str, keys: HotKey) -> HotKeyProblem | None:
        if self._x11 is None:
            return None
        x11, display, root = self._x11.library, self._x11.display, self._x11.root
        code = x11.XKeysymToKeycode(display, c_ulong(keys.symbol))
        mask = sum(bit for modifier, bit in _MASKS.items() if modifier in keys)
        if not code:
            return HotKeyProblem.UNSUPPORTED
        if (code, mask) in self._held:
            return HotKeyProblem.TAKEN
        before = c_void_p(x11.XSetErrorHandler(_error_handler))
        _failures.clear()
        try:
            for lock in _LOCKS:
                x11.XGrabKey(display, code, mask | lock, root, 0, _ASYNC, _ASYNC)
            x11.XSync(display, 0)
        finally:
            x11.XSetErrorHandler(before)
        if _failures:
            self._free(code, mask)
            return HotKeyProblem.TAKEN
        self._held[code, mask] = name
        return None

    def _free(self, code: int, mask: int) -> None:
        if self._x11 is not None:
            x11 = self._x11
            for lock in _LOCKS:
                x11.library.XUngrabKey(x11.display, code, mask | lock, x11.root)
            x11.library.XSync(x11.display, 0)

    def _let_go(self) -> None:
        for code, mask in self._held:
            self._free(code, mask)
        self._held.clear()
        self._down.clear()

    def _read(self) -> None:
        event = _Event()
        while self._x11 is not None and self._x11.library.XPending(self._x11.display):
            self._x11.library.XNextEvent(self._x11.display, byref(event))
            if event.type == _MAPPING_CHANGED:
                self._update_mapping(event)
            elif event.type == _KEY_RELEASE:
                self._down.discard(event.key.code)
            elif event.type == _KEY_PRESS and event.key.code not in self._down:
                self._down.add(event.key.code)
                name = self._held.get((event.key.code, event.key.state & _HELD))
                if name is not None:
                    self.pressed.emit(name)

    def _update_mapping(self, event: _Event) -> None:
        """Grab the keys again after a change of the keyboard layout: they have other codes."""
        if self._x11 is not None:
            self._x11.library.XRefreshKeyboardMapping(byref(event))
            before = dict(self._held)
            self._let_go()
            for name in dict.fromkeys(before.values()):
                keys = parse_hotkey(self._wanted[name][0])
                if keys is not None:
                    self._take(name, keys)
