"""The commands there are: one entry each. The menus, the keys, the palette and the page of all
keys read them; a further command is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.ui.windows.window_events import WindowEvents

ANYWHERE = N_("In all windows")
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


@dataclass(frozen=True, slots=True)
class Command:
    """Something a person can have done. `title` is English, marked for translation. `keys` are as
    QKeySequence writes them ("Ctrl+N"); the first is the one that menus show. `words` find it in
    the palette too, in any language. Without `run` it is only told of: a part of a window takes
    these keys itself. With `quiet` it isn't in the palette (it means something in its place alone).
    """

    id: str
    title: str
    run: Callable[[], object] | None = None
    keys: tuple[str, ...] = ()
    icon: str = ""
    search_terms: str = ""
    hidden_in_palette: bool = False
    name: Callable[[], str] | None = None
    """What it is called now, in the person's language, where that changes (show, hide)."""


class CommandRegistry:
    """All commands, by group: where their keys hold, in English."""

    def __init__(self) -> None:
        self._groups: dict[str, list[Command]] = {}
        self._by_id: dict[str, Command] = {}

    def register(self, group: str, commands: Iterable[Command], within: str = "") -> None:
        """Take commands in; those of a window have ids of their own `within` it ("chat.new").
        Raises ValueError if there is one of that id.
        """
        for command in commands:
            command_id = f"{within}.{command.id}" if within else command.id
            if command_id in self._by_id:
                raise ValueError(f"There is a command “{command_id}” already")
            self._by_id[command_id] = command
            self._groups.setdefault(group, []).append(command)

    def palette_commands(self) -> dict[str, Command]:
        """Those that can be called by their names, by id."""
        return {
            key: one
            for key, one in self._by_id.items()
            if one.run is not None and not one.hidden_in_palette
        }

    def shortcut_groups(self) -> list[tuple[str, list[Command]]]:
        """Each group that has any, with its commands that have keys."""
        found = ((group, [one for one in has if one.keys]) for group, has in self._groups.items())
        return [(group, has) for group, has in found if has]

    def run(self, command_id: str) -> bool:
        """Have it done; False if there is none of that id."""
        command = self._by_id.get(command_id)
        if command is None or command.run is None:
            return False
        command.run()
        return True


def format_keys(keys: str) -> str:
    """Keys as this system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def bind_shortcuts(
    commands: Iterable[Command],
    window: QWidget,
    deeds: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """Have the keys of these commands heard while this window is the active one. What they do is
    in `deeds`, by id, where it isn't in the commands themselves.
    """
    for command in commands:
        run = (deeds or {}).get(command.id, command.run)
        if run is not None:
            for keys in command.keys:
                shortcut = QShortcut(QKeySequence(keys), window)
                shortcut.activated.connect(run)


class ApplicationShortcuts(QObject):
    """Has the keys of some commands heard in all windows of the application, also where a field
    would take them (Ctrl+K cuts a line there). Only what has the focus is listened to, and the
    `windows` themselves, for when nothing in them has it.
    """

    def __init__(
        self, app: QApplication, commands: Iterable[Command], windows: Iterable[QWidget]
    ) -> None:
        super().__init__()
        self._deeds = {
            QKeySequence(keys).toString(): command.run
            for command in commands
            if command.run is not None
            for keys in command.keys
        }
        self._windows: list[QWidget] = []
        self._watched: QWidget | None = None
        for window in windows:
            self.add_window(window)
        app.focusChanged.connect(self._watch)

    def add_window(self, window: QWidget) -> None:
        self._windows.append(window)
        if window is self._watched:
            window.removeEventFilter(self)
        WindowEvents.for_window(window).subscribe(_KEY_EVENTS, self._press)

    def _watch(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None and before is self._watched and before not in self._windows:
            before.removeEventFilter(self)
        self._watched = now
        if now is not None and now not in self._windows:
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() in _KEY_EVENTS and self._press(event)

    def _press(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        deed = self._deeds.get(QKeySequence(event.keyCombination()).toString())
        if deed is None:
            return False
        event.accept()  # of an override: the key comes to us then
        if event.type() is QEvent.Type.KeyPress:
            deed()
        return True
