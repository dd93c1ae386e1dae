"""Linux: an entry in the desktop's autostart folder (XDG)."""

from __future__ import annotations

from pathlib import Path

from neodeskpet.app.autostart.port import own_command

_DISABLED_LINES = ("Hidden=true", "X-GNOME-Autostart-enabled=false")
"""How desktops switch an entry off that they leave there."""
_SOURCE_ROOT = Path(__file__).resolve().parents[3]


class DesktopEntry:
    """A file in `folder`, which the person's desktop reads at login (or deletes)."""

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
        """Write the entry for this program where it is now, or take it away. Idempotent."""
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(entry_text(own_command(), _SOURCE_ROOT), encoding="utf-8")


def entry_text(command: list[str], folder: Path) -> str:
    """A desktop entry that runs `command` in `folder`."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=NeoDeskPet",
        # A desktop passes the entry over when the program is gone: its removal leaves this file.
        f"TryExec={_escaped(command[0])}",
        f"Exec={' '.join(_quoted(word) for word in command)}",
        f"Path={_escaped(str(folder))}",
        "X-GNOME-Autostart-enabled=true",
    )
    return "\n".join(lines) + "\n"


def _tried_program(line: str) -> str:
    """The program that a line of an entry looks for."""
    name, _, value = line.partition("=")
    return value.replace("\\\\", "\\") if name == "TryExec" else ""


def _quoted(word: str) -> str:
    """As the specification wants it: quoted for the command, then escaped as a string."""
    inner = "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word)
    return _escaped(f'"{inner}"').replace("%", "%%")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
