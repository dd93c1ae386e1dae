"""The windows there are: one entry each, from which the menu, the theme, their places and the end
of the app read. A further window is one entry. Each is made when it is first wanted: all of them at
the start took a third of a second and thirty megabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.palette.commands import Command
from neodeskpet.ui.windows.place import PlaceKeeper, bring_forward


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """`key` names the window in the menu, the store and `Windows.present`; `make` gives a widget
    that is `Dressed`, once. `present` shows it in front, else its own method of that name, where it
    has one. With a `title` (in English) it is in the companion's menu, `low` beside "Quit"; a
    `hint` stands at the right there. With `placed` its place is remembered.
    """

    key: str
    make: Callable[[], QWidget]
    present: Callable[[], None] | None = None
    title: str = ""
    icon: str = ""
    hint: str = ""
    low: bool = False
    placed: bool = True
    commands: Sequence[Command] = ()
    """What its keys do, for the page of all keys; the window hears them itself."""


@runtime_checkable
class _Presented(Protocol):
    def present(self) -> None: ...


@runtime_checkable
class _Finishing(Protocol):
    async def finish(self) -> None: ...


class Windows(QObject):
    """`moved(key, QRect)` tells the new place of one whose place is remembered, `added(QWidget)`
    that one was made.
    """

    moved = Signal(str, QRect)
    added = Signal(QWidget)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: dict[str, WindowEntry] = {}
        self._made: dict[str, QWidget] = {}
        self._keepers: dict[str, PlaceKeeper] = {}
        self._places: Mapping[str, QRect] = {}

    def register(self, entry: WindowEntry) -> None:
        """Take a window in. Raises ValueError if there is one of that name."""
        if entry.key in self._entries:
            raise ValueError(f"There is a window “{entry.key}” already")
        self._entries[entry.key] = entry

    def __iter__(self) -> Iterator[WindowEntry]:
        return iter(self._entries.values())

    def __getitem__(self, key: str) -> QWidget:
        """The window of this name, which is made when there is none yet. Raises KeyError."""
        return self._made.get(key) or self._make(self._entries[key])

    def _make(self, entry: WindowEntry) -> QWidget:
        window = self._made[entry.key] = entry.make()
        if entry.placed:
            keeper = self._keepers[entry.key] = PlaceKeeper(window)
            keeper.settled.connect(lambda place: self.moved.emit(entry.key, place))
            if entry.key in self._places:
                keeper.restore(self._places[entry.key])
        self.added.emit(window)
        return window

    def made(self) -> list[QWidget]:
        """Those that were wanted before."""
        return list(self._made.values())

    def in_menu(self) -> Iterable[WindowEntry]:
        return [entry for entry in self if entry.title]

    def present(self, key: str) -> bool:
        """Show a window in front; False if there is none of that name."""
        entry = self._entries.get(key)
        if entry is None:
            return False
        if entry.present is not None:
            entry.present()
        elif isinstance(window := self[key], _Presented):
            window.present()
        else:
            bring_forward(window)
        return True

    def placed(self) -> list[str]:
        """The names of those whose place is remembered."""
        return [entry.key for entry in self if entry.placed]

    def restore(self, places: Mapping[str, QRect]) -> None:
        """Take the remembered places, before the windows are shown."""
        self._places = places
        for key, place in places.items():
            if key in self._keepers:
                self._keepers[key].restore(place)

    async def finish(self) -> None:
        """Let each end what it has begun."""
        for window in self.made():
            if isinstance(window, _Finishing):
                await window.finish()

    def close(self) -> None:
        for window in self.made():
            window.close()

    def delete(self) -> None:
        """Let Qt delete them when its loop turns."""
        for window in self.made():
            window.deleteLater()
