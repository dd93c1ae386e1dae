"""The agent that starts the app at login on macOS."""

from __future__ import annotations

import plistlib
import sys
from pathlib import Path

from neodeskpet.app.autostart import LAUNCH_AGENT_LABEL, LaunchAgent


def test_it_is_written_and_removed(tmp_path: Path) -> None:
    agent = LaunchAgent(tmp_path / "LaunchAgents")
    assert not agent.on
    assert not agent.stale
    agent.switch(False)
    agent.switch(True)
    agent.switch(True)
    assert agent.on
    read = plistlib.loads((tmp_path / "LaunchAgents" / f"{LAUNCH_AGENT_LABEL}.plist").read_bytes())
    assert read["Label"] == LAUNCH_AGENT_LABEL
    assert read["RunAtLoad"] is True
    assert read["ProgramArguments"] == [sys.executable, "-m", "neodeskpet", "--login"]
    assert not agent.stale
    file = tmp_path / "LaunchAgents" / f"{LAUNCH_AGENT_LABEL}.plist"
    for strange in (b"no list", plistlib.dumps({"ProgramArguments": ["/gone/neodeskpet"]})):
        file.write_bytes(strange)
        assert agent.stale
    agent.switch(False)
    assert not agent.on
