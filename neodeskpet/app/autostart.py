"""Starts the app at login.

Each system has its own way: a desktop entry (Linux), a launch agent (macOS), a registry value
(Windows).
"""

from __future__ import annotations

import logging
import os
import plistlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from neodeskpet.language import tr


class Autostart(Protocol):
    """Starts the app when the user logs in. All methods raise OSError."""

    @property
    def on(self) -> bool: ...

    @property
    def stale(self) -> bool:
        """Whether autostart is on, but the program is no longer at the path that the
        entry names.
        """
        ...

    def switch(self, on: bool) -> None: ...


def own_command() -> list[str]:
    """Return the command that starts this program at its current path, in the state in which the
    session ended.
    """
    frozen = bool(getattr(sys, "frozen", False))
    return [*([sys.executable] if frozen else [sys.executable, "-m", "neodeskpet"]), "--login"]


_DISABLED_LINES = ("Hidden=true", "X-GNOME-Autostart-enabled=false")
"""Lines with which desktops disable an entry without deleting it."""
_SOURCE_ROOT = Path(__file__).resolve().parents[2]


class DesktopEntry:
    """An autostart file in `folder`, which the user's desktop reads at login (or deletes)."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "neodeskpet.desktop"

    @property
    def on(self) -> bool:
        try:
            lines = self._file.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return False
        return not any(line.replace(" ", "") in _DISABLED_LINES for line in lines)

    @property
    def stale(self) -> bool:
        if not self.on:
            return False
        program = next(
            filter(None, map(_tried_program, self._file.read_text("utf-8").splitlines())), ""
        )
        return not Path(program).is_file()

    def switch(self, on: bool) -> None:
        """Write the entry for the current path of this program, or delete it. Idempotent."""
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(entry_text(own_command(), _SOURCE_ROOT), encoding="utf-8")


def entry_text(command: list[str], folder: Path) -> str:
    """Return a desktop entry that runs `command` in `folder`."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=NeoDeskPet",
        # A desktop ignores the entry when the program is missing: uninstalling leaves this file.
        f"TryExec={_escaped(command[0])}",
        f"Exec={' '.join(_quoted(word) for word in command)}",
        f"Path={_escaped(str(folder))}",
        "X-GNOME-Autostart-enabled=true",
    )
    return "\n".join(lines) + "\n"


def _tried_program(line: str) -> str:
    """Return the program of a `TryExec` line; "" for another line."""
    name, _, value = line.partition("=")
    return value.replace("\\\\", "\\") if name == "TryExec" else ""


def _quoted(word: str) -> str:
    """Quote a word for the command, then escape it as a string, as the specification requires."""
    inner = "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word)
    return _escaped(f'"{inner}"').replace("%", "%%")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


LAUNCH_AGENT_LABEL = "io.github.neodeskpet.NeoDeskPet"


class LaunchAgent:
    """A file in `folder` (`~/Library/LaunchAgents`), which launchd reads at login."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"{LAUNCH_AGENT_LABEL}.plist"

    @property
    def on(self) -> bool:
        return self._file.exists()

    @property
    def stale(self) -> bool:
        if not self.on:
            return False
        try:
            words = plistlib.loads(self._file.read_bytes())["ProgramArguments"]
            return not Path(words[0]).is_file()
        except (plistlib.InvalidFileException, LookupError, TypeError):
            return True

    def switch(self, on: bool) -> None:
        """Write the agent for the current path of this program, or delete it. Idempotent."""
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        agent = {
            "Label": LAUNCH_AGENT_LABEL,
            "ProgramArguments": own_command(),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
        }
        self._file.write_bytes(plistlib.dumps(agent))


RUN_KEY_PATH = r"Software\Microsoft\Windows\CurrentVersion\Run"
RUN_VALUE_NAME = "NeoDeskPet"


class RegistryValues(Protocol):
    """The text values of one registry key. All methods raise OSError."""

    def read(self, name: str) -> str | None: ...

    def write(self, name: str, text: str) -> None: ...

    def delete(self, name: str) -> None: ...


class RunValue:
    def __init__(self, values: RegistryValues) -> None:
        self._values = values

    @property
    def on(self) -> bool:
        return self._values.read(RUN_VALUE_NAME) is not None

    @property
    def stale(self) -> bool:
        command = self._values.read(RUN_VALUE_NAME)
        if command is None:
            return False
        quoted = command.startswith('"')
        program = command[1:].partition('"')[0] if quoted else command.partition(" ")[0]
        return not Path(program).is_file()

    def switch(self, on: bool) -> None:
        """Add the current path of this program to the registry, or remove it. Idempotent."""
        if on:
            self._values.write(RUN_VALUE_NAME, subprocess.list2cmdline(own_command()))
        elif self.on:
            self._values.delete(RUN_VALUE_NAME)


if sys.platform == "win32":  # pragma: no cover - never run so far (docs/other-systems.md)
    import winreg

    class PersonsValues:
        """The text values of the current user's registry key."""

        def read(self, name: str) -> str | None:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY_PATH) as key:
                    return str(winreg.QueryValueEx(key, name)[0])
            except FileNotFoundError:
                return None

        def write(self, name: str, text: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY_PATH) as key:
                winreg.SetValueEx(key, name, 0, winreg.REG_SZ, text)

        def delete(self, name: str) -> None:
            with winreg.OpenKey(
                winreg.HKEY_CURRENT_USER, RUN_KEY_PATH, access=winreg.KEY_SET_VALUE
            ) as key:
                winreg.DeleteValue(key, name)


_log = logging.getLogger(__name__)


def find_autostart() -> Autostart | None:
    """Return the autostart of this system; None if it is not supported."""
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents")
    if sys.platform == "win32":  # pragma: no cover - never run so far (docs/other-systems.md)
        return RunValue(PersonsValues())
    if not sys.platform.startswith("linux"):
        return None
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if Path(config).is_absolute() else Path.home() / ".config"
    return DesktopEntry(base / "autostart")


class LoginStartSetting:
    """Keeps the setting and the system's autostart entry equal. `change(section, name, value)`
    changes a setting; `show_error(what, hint)` reports a failure.
    """

    def __init__(
        self,
        entry: Autostart | None,
        change: Callable[[str, str, object], None],
        show_error: Callable[[str, str], None],
    ) -> None:
        self._entry = entry
        self._change = change
        self._show_error = show_error

    def synchronize(self, wanted: bool) -> None:
        """Compare setting and entry at the start: the desktop's own settings may have removed the
        entry, or the user may have moved the program.
        """
        if not wanted:
            return
        try:
            if self._entry is None or not self._entry.on:
                self._put_back()
            elif self._entry.stale:
                self._entry.switch(True)
        except OSError as error:
            _log.warning("The autostart entry can't be read: %s", error)

    def switch(self, on: bool) -> None:
        """Switch autostart; on failure the setting is reset and the error is reported."""
        if self._entry is None:
            if on:
                self._show_error(tr("Starting at login is not supported on this system."), "")
                self._put_back()
            return
        try:
            self._entry.switch(on)
        except OSError as error:
            self._show_error(tr("The start at login could not be changed."), str(error))
            if on:
                self._put_back()

    def _put_back(self) -> None:
        self._change("companion", "start_at_login", False)
