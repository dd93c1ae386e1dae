"""The entry that starts the app at login on Linux."""

from __future__ import annotations

import configparser
import shlex
import sys
from pathlib import Path

from neodeskpet.app.autostart.linux import DesktopEntry, entry_text


def test_it_is_written_and_taken_away(tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path / "autostart")
    assert not entry.on
    entry.switch(False)
    entry.switch(True)
    entry.switch(True)
    assert entry.on
    read = configparser.RawConfigParser()
    read.read(tmp_path / "autostart" / "neodeskpet.desktop", encoding="utf-8")
    assert read["Desktop Entry"]["Type"] == "Application"
    assert shlex.split(read["Desktop Entry"]["Exec"]) == [sys.executable, "-m", "neodeskpet"]
    entry.switch(False)
    assert not entry.on


def test_strange_paths_are_quoted() -> None:
    text = entry_text(['/home/a b/50% "$x"/python'], Path("/home/a b"))
    assert 'Exec="/home/a b/50%% \\\\"\\\\$x\\\\"/python"' in text
    assert "Path=/home/a b" in text
