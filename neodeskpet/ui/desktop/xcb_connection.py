"""Our own connection to the X server with libxcb: Qt doesn't share its connection, and Xlib ends
the process on a query for a window that is gone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import c_uint32, c_void_p

_ANY = 0
_LONGS = 64
"""Default limit of 32-bit values that are read of a property."""
_EVENT_MASK = 1 << 11
_VIEWABLE = 2


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


class _Screens(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("rem", ctypes.c_int), ("index", ctypes.c_int))


class _Event(ctypes.Structure):
    """The common part of events of windows: for a property, `detail` is its name."""

    _fields_ = (
        ("kind", ctypes.c_uint8),
        ("pad", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("window", c_uint32),
        ("detail", c_uint32),
    )


class _Geometry(ctypes.Structure):
    _fields_ = (
        ("head", ctypes.c_uint8 * 8),
        ("root", c_uint32),
        ("x", ctypes.c_int16),
        ("y", ctypes.c_int16),
        ("width", ctypes.c_uint16),
        ("height", ctypes.c_uint16),
    )


class _Translated(ctypes.Structure):
    _fields_ = (
        ("head", ctypes.c_uint8 * 8),
        ("child", c_uint32),
        ("x", ctypes.c_int16),
        ("y", ctypes.c_int16),
    )


class _Attributes(ctypes.Structure):
    _fields_ = (("head", ctypes.c_uint8 * 26), ("map_state", ctypes.c_uint8))


_REPLIES = ("intern_atom", "get_property", "get_geometry", "translate_coordinates")


class XcbConnection:
    """A connection. Raises OSError without an X server. Queries for a window that is gone return
    None.
    """

    def __init__(self) -> None:
        xcb = self._xcb = ctypes.CDLL("libxcb.so.1")
        xcb.xcb_connect.restype = xcb.xcb_get_setup.restype = c_void_p
        xcb.xcb_setup_roots_iterator.restype = _Screens
        for name in (*_REPLIES, "get_window_attributes"):
            getattr(xcb, f"xcb_{name}").restype = _Cookie
            getattr(xcb, f"xcb_{name}_reply").restype = c_void_p
        xcb.xcb_get_property_value.restype = c_void_p
        xcb.xcb_poll_for_event.restype = c_void_p
        self._free = ctypes.CDLL(None).free
        self._connection = c_void_p(xcb.xcb_connect(None, None))
        if self.is_broken:
            self.close()
            raise OSError("no X server")
        setup = c_void_p(xcb.xcb_get_setup(self._connection))
        screens = xcb.xcb_setup_roots_iterator(setup)
        self.root = int(ctypes.cast(screens.data, ctypes.POINTER(c_uint32))[0])

    @property
    def is_broken(self) -> bool:
        """Whether the connection is broken, or never worked."""
        return bool(self._xcb.xcb_connection_has_error(self._connection))

    def close(self) -> None:
        self._xcb.xcb_disconnect(self._connection)

    def atom(self, name: bytes) -> int:
        cookie = self._xcb.xcb_intern_atom(self._connection, 0, len(name), name)
        reply = self._xcb.xcb_intern_atom_reply(self._connection, cookie, None)
        if not reply:
            raise OSError("the X server is gone")
        atom = ctypes.cast(reply, ctypes.POINTER(c_uint32))[2]
        self._free(c_void_p(reply))
        return int(atom)

    def property_values(self, window: int, name: int, most: int = _LONGS) -> list[int] | None:
        """Return a property's 32-bit values; None without this property or window."""
        cookie = self._xcb.xcb_get_property(
            self._connection, 0, c_uint32(window), name, _ANY, 0, most
        )
        reply = self._xcb.xcb_get_property_reply(self._connection, cookie, None)
        if not reply:
            return None
        head = ctypes.cast(reply, ctypes.POINTER(c_uint32))
        kind, count = head[2], head[4]
        values = self._xcb.xcb_get_property_value(c_void_p(reply))
        longs = ctypes.cast(values, ctypes.POINTER(c_uint32))
        found = [int(longs[at]) for at in range(count)] if kind else None
        self._free(c_void_p(reply))
        return found

    def geometry(self, window: int) -> tuple[int, int, int, int] | None:
        """Return left, top, width and height on the screen in its pixels, without a frame."""
        cookie = self._xcb.xcb_get_geometry(self._connection, c_uint32(window))
        other = self._xcb.xcb_translate_coordinates(
            self._connection, c_uint32(window), c_uint32(self.root), 0, 0
        )
        size = self._xcb.xcb_get_geometry_reply(self._connection, cookie, None)
        corner = self._xcb.xcb_translate_coordinates_reply(self._connection, other, None)
        found = None
        if size and corner:
            shape = ctypes.cast(size, ctypes.POINTER(_Geometry)).contents
            at = ctypes.cast(corner, ctypes.POINTER(_Translated)).contents
            found = (at.x, at.y, shape.width, shape.height)
        for reply in (size, corner):
            if reply:
                self._free(c_void_p(reply))
        return found

    def is_viewable(self, window: int) -> bool:
        """Whether the window and all its ancestors are mapped."""
        cookie = self._xcb.xcb_get_window_attributes(self._connection, c_uint32(window))
        reply = self._xcb.xcb_get_window_attributes_reply(self._connection, cookie, None)
        if not reply:
            return False
        state = ctypes.cast(reply, ctypes.POINTER(_Attributes)).contents.map_state
        self._free(c_void_p(reply))
        return bool(state == _VIEWABLE)

    def subscribe(self, window: int, mask: int) -> None:
        """Subscribe to events of this window."""
        values = (c_uint32 * 1)(mask)
        self._xcb.xcb_change_window_attributes(
            self._connection, c_uint32(window), c_uint32(_EVENT_MASK), values
        )
        self._xcb.xcb_flush(self._connection)

    @property
    def socket(self) -> int:
        """Return the socket, readable when there are events."""
        return int(self._xcb.xcb_get_file_descriptor(self._connection))

    def events(self) -> Iterator[tuple[int, int, int]]:
        """Yield the received events: kind, window, and detail."""
        while event := self._xcb.xcb_poll_for_event(self._connection):
            contents = ctypes.cast(event, ctypes.POINTER(_Event)).contents
            found = (contents.kind & 0x7F, contents.window, contents.detail)
            self._free(c_void_p(event))
            yield found
