"""The windows there are: one entry each, from which the menu, the theme, their places and the end
of the app read. A further window is one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.theme import Dressed
from neodeskpet.ui.window_place import PlaceKeeper


@dataclass(frozen=True, slots=True)
class WindowEntry:
    """`key` names the window in the menu, the store and `Windows.present`; `window` is `Dressed`.
    `present` shows it in front. With a `title` (in English) it is in the companion's menu, `low`
    beside "Quit"; a `hint` stands at the right there. With `placed` its place is remembered.
    """

    key: str
    window: QWidget
    present: Callable[[], None]
    title: str = ""
    icon: str = ""
    hint: str = ""
    low: bool = False
    placed: bool = True


class Windows(QObject):
    """`moved(key, QRect)` tells the new place of one whose place is remembered."""

    moved = Signal(str, QRect)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: dict[str, WindowEntry] = {}
        self._keepers: dict[str, PlaceKeeper] = {}

    def register(self, entry: WindowEntry) -> None:
        """Take a window in. Raises ValueError if there is one of that name."""
        if entry.key in self._entries:
            raise ValueError(f"There is a window “{entry.key}” already")
        self._entries[entry.key] = entry
        if entry.placed:
            keeper = self._keepers[entry.key] = PlaceKeeper(entry.window)
            keeper.settled.connect(lambda place, key=entry.key: self.moved.emit(key, place))

    def __iter__(self) -> Iterator[WindowEntry]:
        return iter(self._entries.values())

    def in_menu(self) -> Iterable[WindowEntry]:
        return [entry for entry in self if entry.title]

    def present(self, key: str) -> bool:
        """Show a window in front; False if there is none of that name."""
        entry = self._entries.get(key)
        if entry is not None:
            entry.present()
        return entry is not None

    def dressed(self) -> list[Dressed]:
        """All of them, to be painted with the theme."""
        return [cast(Dressed, entry.window) for entry in self]

    def placed(self) -> list[str]:
        """The names of those whose place is remembered."""
        return list(self._keepers)

    def restore(self, places: Mapping[str, QRect]) -> None:
        """Take the remembered places, before the windows are shown."""
        for key, place in places.items():
            self._keepers[key].restore(place)

    def close(self) -> None:
        """Close all, and let Qt delete them when its loop turns."""
        for entry in self:
            entry.window.close()

    def delete(self) -> None:
        for entry in self:
            entry.window.deleteLater()
