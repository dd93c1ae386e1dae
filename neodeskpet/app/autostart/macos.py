"""macOS: a launch agent of the person's."""

from __future__ import annotations

import plistlib
from pathlib import Path

from neodeskpet.app.autostart.port import own_command

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
        """Write the agent for this program where it is now, or take it away. Idempotent."""
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
