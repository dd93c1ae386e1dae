"""The commands: one entry each. Menus, shortcuts, the palette and the page of shortcuts read them,
so a new command is one line.
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
    """A command. `title` is English, an N_ text. `keys` are written as for QKeySequence ("Ctrl+N");
    menus show the first. `search_terms` also find it in the palette, in any language. Without `run`
    it is only documentation: a part of a window handles these keys. With `hidden_in_palette` it
    isn't in the palette.
    """

    id: str
    title: str
    run: Callable[[], object] | None = None
    keys: tuple[str, ...] = ()
    icon: str = ""
    search_terms: str = ""
    hidden_in_palette: bool = False
    name: Callable[[], str] | None = None
    """Returns the current title if it changes (show, hide), translated."""


class CommandRegistry:
    """All commands by group; a group tells in English where its keys work."""

    def __init__(self) -> None:
        self._groups: dict[str, list[Command]] = {}
        self._by_id: dict[str, Command] = {}

    def register(self, group: str, commands: Iterable[Command], within: str = "") -> None:
        """Add commands; a window's command ids get the prefix `within` ("chat.new"). Raises
        ValueError if the id exists.
        """
        for command in commands:
            command_id = f"{within}.{command.id}" if within else command.id
            if command_id in self._by_id:
                raise ValueError(f"There is a command “{command_id}” already")
            self._by_id[command_id] = command
            self._groups.setdefault(group, []).append(command)

    def palette_commands(self) -> dict[str, Command]:
        """Return the commands of the palette, by id."""
        return {
            key: one
            for key, one in self._by_id.items()
            if one.run is not None and not one.hidden_in_palette
        }

    def shortcut_groups(self) -> list[tuple[str, list[Command]]]:
        """Return each group with its commands that have keys."""
        found = ((group, [one for one in has if one.keys]) for group, has in self._groups.items())
        return [(group, has) for group, has in found if has]

    def run(self, command_id: str) -> bool:
        """Run a command; return False if there is none of this id."""
        command = self._by_id.get(command_id)
        if command is None or command.run is None:
            return False
        command.run()
        return True


def format_keys(keys: str) -> str:
    """Return keys in the notation of the platform."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def bind_shortcuts(
    commands: Iterable[Command],
    window: QWidget,
    actions: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """Bind the keys of these commands while this window is active. `actions` has the functions by
    id that aren't in the commands themselves.
    """
    for command in commands:
        run = (actions or {}).get(command.id, command.run)
        if run is not None:
            for keys in command.keys:
                shortcut = QShortcut(QKeySequence(keys), window)
                shortcut.activated.connect(run)


class ApplicationShortcuts(QObject):
    """Handles the keys of some commands in all windows of the application, even if a field would
    use them (Ctrl+K cuts a line there). Filters only the focused widget, and the `windows`
    themselves in case nothing in them has the focus.
    """

    def __init__(
        self, app: QApplication, commands: Iterable[Command], windows: Iterable[QWidget]
    ) -> None:
        super().__init__()
        self._actions = {
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
        self._watch(None, app.focusWidget())  # of a chat that was opened first

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
        deed = self._actions.get(QKeySequence(event.keyCombination()).toString())
        if deed is None:
            return False
        event.accept()  # of the override: we get the key press then
        if event.type() is QEvent.Type.KeyPress:
            deed()
        return True
