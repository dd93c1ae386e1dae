"""Windows: a value of the person's registry key `Run`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Protocol

from neodeskpet.app.autostart.port import own_command

RUN_KEY_PATH = r"Software\Microsoft\Windows\CurrentVersion\Run"
RUN_VALUE_NAME = "NeoDeskPet"


class RegistryValues(Protocol):
    """The texts of one registry key. All raise OSError."""

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
        """Enter this program where it is now, or take it out. Idempotent."""
        if on:
            self._values.write(RUN_VALUE_NAME, subprocess.list2cmdline(own_command()))
        elif self.on:
            self._values.delete(RUN_VALUE_NAME)


if sys.platform == "win32":  # pragma: no cover - never run so far (docs/other-systems.md)
    import winreg

    class PersonsValues:
        """Those of the person's own key."""

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
