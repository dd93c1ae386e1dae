"""Watches the positions of other programs' windows, if the desktop reports them (X11). The X server
reports changes; nothing is polled.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QPoint, QRect, QSize, QSocketNotifier, QTimer
from PySide6.QtGui import QGuiApplication

from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.ui.desktop.session import is_wayland
from neodeskpet.ui.desktop.xcb_connection import XcbConnection
from neodeskpet.ui.pet.screen_geometry import to_area


class WindowWatcher(Protocol):
    """Reads positions of windows only, never titles or contents."""

    def windows(self) -> Sequence[VisibleWindow]:
        """Return all visible windows, topmost first, in device-independent pixels; our own among
        them, by Qt's ids. Called in the window's thread: some milliseconds at most.
        """
        ...

    def subscribe(self, changed: Callable[[], object]) -> None:
        """Call `changed` when a window appeared, disappeared, moved or was resized."""
        ...

    def close(self) -> None: ...


_MAX_WINDOWS = 1_000
"""Maximum number of listed windows."""
_DEBOUNCE_MS = 16
"""Milliseconds within which events count as one change."""
_PROPERTY, _STRUCTURE = 1 << 22, 1 << 17
_PROPERTY_NOTIFY = 28
_PLACES = frozenset({17, 18, 19, 21, 22})
"""DestroyNotify, UnmapNotify, MapNotify, ReparentNotify, ConfigureNotify."""
_ALL_DESKTOPS = 0xFFFFFFFF
"""The desktop number of a window that is on all desktops."""
_ROOT = (
    "_NET_CLIENT_LIST_STACKING",
    "_NET_CURRENT_DESKTOP",
    "_NET_WORKAREA",
)
_OWN = (
    "_NET_WM_STATE",
    "_NET_WM_DESKTOP",
    "_NET_FRAME_EXTENTS",
    "_GTK_FRAME_EXTENTS",
    "_NET_WM_WINDOW_TYPE",
)
_KINDS = (
    "_NET_WM_STATE_HIDDEN",
    "_NET_WM_STATE_FULLSCREEN",
    "_NET_WM_WINDOW_TYPE_NORMAL",
    "_NET_WM_WINDOW_TYPE_DIALOG",
    "_NET_WM_WINDOW_TYPE_DOCK",
    "_NET_WM_WINDOW_TYPE_UTILITY",
)
_FIRM = _KINDS[2:]


@dataclass(frozen=True, slots=True)
class _WindowProperties:
    """Properties of a window. `frame` (left, right, top, bottom) is outside of it; a negative one
    is inside: a shadow that the window draws itself.
    """

    hidden: bool
    full: bool
    firm: bool
    desktop: int
    frame: tuple[int, int, int, int]


class X11WindowWatcher:
    """A `WindowWatcher`. Raises OSError without an X server."""

    def __init__(self) -> None:
        server = self._server = XcbConnection()
        self._atoms = {name: server.atom(name.encode()) for name in (*_ROOT, *_OWN, *_KINDS)}
        self._roots = {self._atoms[name] for name in _ROOT}
        self._owns = {self._atoms[name] for name in _OWN}
        self._traits: dict[int, _WindowProperties] = {}
        self._changed: Callable[[], object] = lambda: None
        self._owner = QObject()
        self._gather = QTimer(self._owner, singleShot=True, interval=_DEBOUNCE_MS)
        self._gather.timeout.connect(self._tell)
        server.subscribe(server.root, _PROPERTY)
        self._notifier = QSocketNotifier(server.socket, QSocketNotifier.Type.Read, self._owner)
        self._notifier.activated.connect(self._read)

    @property
    def has_pending_change(self) -> bool:
        """Whether a change is about to be reported."""
        return self._gather.isActive()

    def subscribe(self, changed: Callable[[], object]) -> None:
        self._changed = changed

    def windows(self) -> Sequence[VisibleWindow]:
        listed = self._root_longs("_NET_CLIENT_LIST_STACKING")
        self._traits = {key: self._traits[key] for key in self._traits if key in set(listed)}
        here = self._root_longs("_NET_CURRENT_DESKTOP")
        desktops = {_ALL_DESKTOPS, *here[:1]}
        found = [self._see(window, desktops if here else set()) for window in reversed(listed)]
        self._take_events()  # a reply may include events that don't wake the notifier
        return [one for one in found if one is not None]

    def close(self) -> None:
        self._changed = lambda: None
        self._notifier.setEnabled(False)
        self._gather.stop()
        self._owner.deleteLater()
        self._server.close()

    def _see(self, window: int, desktops: set[int]) -> VisibleWindow | None:
        traits = self._traits.get(window)
        if traits is None:
            self._server.subscribe(window, _PROPERTY | _STRUCTURE)
            traits = self._traits[window] = self._look_at(window)
        elsewhere = bool(desktops) and traits.desktop not in desktops
        if traits.hidden or elsewhere or not self._server.is_viewable(window):
            return None
        place = self._server.geometry(window)
        if place is None:
            return None
        left, top, width, height = place
        west, east, north, south = traits.frame
        outer = QRect(left - west, top - north, width + west + east, height + north + south)
        return VisibleWindow(window, _on_desktop(outer), traits.full, traits.firm)

    def _look_at(self, window: int) -> _WindowProperties:
        def longs(name: str) -> list[int]:
            return self._server.property_values(window, self._atoms[name]) or []

        states = longs("_NET_WM_STATE")
        kinds = longs("_NET_WM_WINDOW_TYPE")
        frame, shadow = longs("_NET_FRAME_EXTENTS"), longs("_GTK_FRAME_EXTENTS")
        if len(shadow) == 4:
            frame = [-one for one in shadow]
        west, east, north, south = frame if len(frame) == 4 else (0, 0, 0, 0)
        return _WindowProperties(
            hidden=self._atoms["_NET_WM_STATE_HIDDEN"] in states,
            full=self._atoms["_NET_WM_STATE_FULLSCREEN"] in states,
            firm=not kinds or any(self._atoms[name] in kinds for name in _FIRM),
            desktop=next(iter(longs("_NET_WM_DESKTOP")), _ALL_DESKTOPS),
            frame=(west, east, north, south),
        )

    def _root_longs(self, name: str) -> list[int]:
        return (
            self._server.property_values(self._server.root, self._atoms[name], _MAX_WINDOWS) or []
        )

    def _read(self) -> None:
        if self._server.is_broken:  # the socket of a broken connection is always readable
            self._notifier.setEnabled(False)
            return
        self._take_events()

    def _take_events(self) -> None:
        moved = False
        for kind, window, detail in self._server.events():
            if kind == _PROPERTY_NOTIFY and window != self._server.root:
                if detail in self._owns:
                    self._traits.pop(window, None)
                    moved = True
            else:
                moved = moved or kind in _PLACES or detail in self._roots
        if moved and not self._gather.isActive():
            self._gather.start()

    def _tell(self) -> None:
        self._changed()


def _on_desktop(place: QRect) -> DesktopArea:
    """Convert screen pixels to device-independent ones: Qt keeps a screen's corner and scales the
    positions inside it.
    """
    for screen in QGuiApplication.screens():
        corner, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        within = QRect(corner, screen.geometry().size() * ratio)
        if within.contains(place.center()):
            shift = (place.topLeft() - corner) / ratio
            size = QSize(round(place.width() / ratio), round(place.height() / ratio))
            place = QRect(corner + QPoint(shift.x(), shift.y()), size)
            break
    return to_area(place)


class ScriptedWindowWatcher:
    """A `WindowWatcher`."""

    def __init__(self, windows: Sequence[VisibleWindow] = ()) -> None:
        self._windows = tuple(windows)
        self._changed: Callable[[], object] = lambda: None
        self.closed = False

    def set_windows(self, *windows: VisibleWindow) -> None:
        """Set the windows, topmost first."""
        self._windows = windows
        self._changed()

    def windows(self) -> Sequence[VisibleWindow]:
        return self._windows

    def subscribe(self, changed: Callable[[], object]) -> None:
        self._changed = changed

    def close(self) -> None:
        self.closed = True


_log = logging.getLogger(__name__)

WATCHERS: Mapping[str, Callable[[], WindowWatcher]] = {"xcb": X11WindowWatcher}


def create_window_watcher(
    platform: str,
    environ: Mapping[str, str] = os.environ,
    makers: Mapping[str, Callable[[], WindowWatcher]] = WATCHERS,
) -> WindowWatcher | None:
    """Return the watcher for `platform` (Qt's name); None if unsupported: Wayland doesn't report
    windows of other programs, and its X server only knows a few.
    """
    maker = makers.get(platform)
    if maker is None or is_wayland(environ):
        return None
    try:
        return maker()
    except (OSError, AttributeError) as error:
        _log.info("The positions of other windows can't be watched: %s", error)
        return None
