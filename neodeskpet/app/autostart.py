"""Start at login: an entry in the desktop's autostart folder (XDG), on Linux alone so far."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from neodeskpet.language import tr

_ROOT = Path(__file__).resolve().parents[2]


class Autostart(Protocol):
    """What starts the app when the person logs in. Both raise OSError."""

    @property
    def on(self) -> bool: ...

    def switch(self, on: bool) -> None: ...


class DesktopEntry:
    """A file in `folder`, which the person's desktop reads at login (or deletes)."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "neodeskpet.desktop"

    @property
    def on(self) -> bool:
        return self._file.exists()

    def switch(self, on: bool) -> None:
        """Write the entry for this program where it is now, or take it away. Idempotent."""
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        frozen = bool(getattr(sys, "frozen", False))
        command = [sys.executable] if frozen else [sys.executable, "-m", "neodeskpet"]
        self._file.write_text(entry_text(command, _ROOT), encoding="utf-8")


def find_autostart() -> Autostart | None:
    """That of this system; None where we know none."""
    if not sys.platform.startswith("linux"):
        return None
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if Path(config).is_absolute() else Path.home() / ".config"
    return DesktopEntry(base / "autostart")


class StartAtLogin:
    """The setting and the desktop's entry kept the same. `change(section, name, value)` changes a
    setting; `trouble(what, hint)` says what couldn't be done.
    """

    def __init__(
        self,
        entry: Autostart | None,
        change: Callable[[str, str, object], None],
        trouble: Callable[[str, str], None],
    ) -> None:
        self._entry = entry
        self._change = change
        self._trouble = trouble

    def look(self, wanted: bool) -> None:
        """At the start: the desktop's own settings may have taken the entry away."""
        if wanted and not (self._entry is not None and self._entry.on):
            self._put_back()

    def switch(self, on: bool) -> None:
        """Where it can't be, the switch goes back and it is said."""
        if self._entry is None:
            if on:
                self._trouble(tr("Starting at login isn't there yet on this system."), "")
                self._put_back()
            return
        try:
            self._entry.switch(on)
        except OSError as error:
            self._trouble(tr("Starting at login could not be changed."), str(error))
            if on:
                self._put_back()

    def _put_back(self) -> None:
        self._change("companion", "start_at_login", False)


def entry_text(command: list[str], folder: Path) -> str:
    """A desktop entry that runs `command` in `folder`."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=NeoDeskPet",
        f"Exec={' '.join(_quoted(word) for word in command)}",
        f"Path={_escaped(str(folder))}",
        "X-GNOME-Autostart-enabled=true",
    )
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    """As the specification wants it: quoted for the command, then escaped as a string."""
    inner = "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word)
    return _escaped(f'"{inner}"').replace("%", "%%")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
