"""The registry of windows: one entry each, used by the menu, the theme, the stored geometry and the
shutdown. A new window is one entry. Each is created on demand: creating all at the start took a
third of a second and 30 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject, QRect, Signal, Slot
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.commands import Command
from neodeskpet.ui.windows.window_geometry import WindowGeometryKeeper, bring_to_front


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """`key` identifies the window in the menu, the store and `WindowRegistry.present`; `create`
    returns a widget that is `Themed`, once. `present` brings it to the front; by default its own
    method of that name, if any. With a `title` (in English) it is in the companion's menu,
    `at_bottom` near "Quit"; a `hint` is shown at the right there. With `remembers_geometry` its
    geometry is stored.
    """

    key: str
    create: Callable[[], QWidget]
    present: Callable[[], None] | None = None
    title: str = ""
    icon: str = ""
    hint: str = ""
    at_bottom: bool = False
    remembers_geometry: bool = True
    commands: Sequence[Command] = ()
    """Its shortcuts for the shortcuts page; the window handles them itself."""


@runtime_checkable
class _Presentable(Protocol):
    def present(self) -> None: ...


@runtime_checkable
class _Closable(Protocol):
    async def aclose(self) -> None: ...


class WindowRegistry(QObject):
    """Signals: `geometry_changed(key, QRect)` for windows with stored geometry,
    `window_created(QWidget)`.
    """

    geometry_changed = Signal(str, QRect)
    window_created = Signal(QWidget)
    presented = Signal(str)
    """The key of a window that was brought to the front."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: dict[str, WindowEntry] = {}
        self._made: dict[str, QWidget] = {}
        self._keepers: dict[str, WindowGeometryKeeper] = {}
        self._places: Mapping[str, QRect] = {}
        self._note = ""

    def register(self, entry: WindowEntry) -> None:
        """Register a window. Raises ValueError if the key exists."""
        if entry.key in self._entries:
            raise ValueError(f"There is a window “{entry.key}” already")
        self._entries[entry.key] = entry

    def __iter__(self) -> Iterator[WindowEntry]:
        return iter(self._entries.values())

    def __getitem__(self, key: str) -> QWidget:
        """Return the window of this key, created on demand. Raises KeyError."""
        return self._made.get(key) or self._make(self._entries[key])

    def _make(self, entry: WindowEntry) -> QWidget:
        window = self._made[entry.key] = entry.create()
        window.windowTitleChanged.connect(self._complete_title)
        window.setWindowTitle(window.windowTitle() + _title_end(self._note))
        if entry.remembers_geometry:
            geometry = self._keepers[entry.key] = WindowGeometryKeeper(window)
            geometry.geometry_changed.connect(
                lambda place: self.geometry_changed.emit(entry.key, place)
            )
            if entry.key in self._places:
                geometry.restore(self._places[entry.key])
        self.window_created.emit(window)
        return window

    def created_windows(self) -> list[QWidget]:
        """Return the windows that were created."""
        return list(self._made.values())

    def set_title_note(self, note: str) -> None:
        """Add a note to the end of the titles of all windows; "" removes it."""
        before, self._note = self._note, note
        for window in self.created_windows():
            title = window.windowTitle()
            window.setWindowTitle(title.removesuffix(_title_end(before)) + _title_end(note))

    @Slot(str)
    def _complete_title(self, title: str) -> None:
        # By sender(): a connected function that holds the window would keep it alive.
        window = self.sender()
        if (
            self._note
            and isinstance(window, QWidget)
            and not title.endswith(_title_end(self._note))
        ):
            window.setWindowTitle(title + _title_end(self._note))

    def in_menu(self) -> Iterable[WindowEntry]:
        return [entry for entry in self if entry.title]

    def present(self, key: str) -> bool:
        """Bring a window to the front; return False if there is none of this key."""
        entry = self._entries.get(key)
        if entry is None:
            return False
        if entry.present is not None:
            entry.present()
        elif isinstance(window := self[key], _Presentable):
            window.present()
        else:
            bring_to_front(window)
        self.presented.emit(key)
        return True

    def with_remembered_geometry(self) -> list[str]:
        """Return the keys of windows with stored geometry."""
        return [entry.key for entry in self if entry.remembers_geometry]

    def restore_geometry(self, places: Mapping[str, QRect]) -> None:
        """Restore stored geometry, before the windows are shown."""
        self._places = places
        for key, place in places.items():
            if key in self._keepers:
                self._keepers[key].restore(place)

    async def aclose(self) -> None:
        """Close all created windows."""
        for window in self.created_windows():
            if isinstance(window, _Closable):
                await window.aclose()

    def close(self) -> None:
        for window in self.created_windows():
            window.close()

    def delete_all(self) -> None:
        """Let Qt delete the windows in the next event loop iteration."""
        for window in self.created_windows():
            window.deleteLater()


def _title_end(note: str) -> str:
    return f" · {note}" if note else ""
