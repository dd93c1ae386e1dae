"""The setting "start at login", and which way this system has for it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

from neodeskpet.app.autostart.linux import DesktopEntry
from neodeskpet.app.autostart.macos import LaunchAgent
from neodeskpet.app.autostart.port import Autostart
from neodeskpet.language import tr

_log = logging.getLogger(__name__)


def find_autostart() -> Autostart | None:
    """That of this system; None where we know none."""
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents")
    if sys.platform == "win32":  # pragma: no cover - never run so far (docs/other-systems.md)
        from neodeskpet.app.autostart.windows import PersonsValues, RunValue

        return RunValue(PersonsValues())
    if not sys.platform.startswith("linux"):
        return None
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if Path(config).is_absolute() else Path.home() / ".config"
    return DesktopEntry(base / "autostart")


class LoginStartSetting:
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

    def synchronize(self, wanted: bool) -> None:
        """At the start: the desktop's own settings may have taken the entry away, and the person
        the program to another place.
        """
        if not wanted:
            return
        try:
            if self._entry is None or not self._entry.on:
                self._put_back()
            elif self._entry.stale:
                self._entry.switch(True)
        except OSError as error:
            _log.warning("Starting at login can't be looked at: %s", error)

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
