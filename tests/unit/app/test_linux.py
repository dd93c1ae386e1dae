"""The entry that starts the app at login on Linux."""

from __future__ import annotations

import configparser
import shlex
import sys
from pathlib import Path

from neodeskpet.app.autostart import DesktopEntry, entry_text


def test_it_is_written_and_removed(tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path / "autostart")
    assert not entry.on
    entry.switch(False)
    entry.switch(True)
    entry.switch(True)
    assert entry.on
    read = configparser.RawConfigParser()
    read.read(tmp_path / "autostart" / "neodeskpet.desktop", encoding="utf-8")
    assert read["Desktop Entry"]["Type"] == "Application"
    assert shlex.split(read["Desktop Entry"]["Exec"]) == [
        sys.executable,
        "-m",
        "neodeskpet",
        "--login",
    ]
    assert read["Desktop Entry"]["TryExec"] == sys.executable
    entry.switch(False)
    assert not entry.on


def test_unusual_paths_are_quoted() -> None:
    text = entry_text(['/home/a b/50% "$x"/python'], Path("/home/a b"))
    assert 'Exec="/home/a b/50%% \\\\"\\\\$x\\\\"/python"' in text
    assert "Path=/home/a b" in text


def test_a_program_that_was_moved_makes_it_stale(tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path)
    assert not entry.stale
    entry.switch(True)
    assert not entry.stale
    program = tmp_path / "a \\ program"
    (tmp_path / "neodeskpet.desktop").write_text(entry_text([str(program)], tmp_path), "utf-8")
    assert entry.stale
    program.touch()
    assert not entry.stale
    (tmp_path / "neodeskpet.desktop").write_text("[Desktop Entry]\n", "utf-8")
    assert entry.stale


def test_an_entry_that_the_desktop_switched_off_is_off(tmp_path: Path) -> None:
    entry = DesktopEntry(tmp_path)
    file = tmp_path / "neodeskpet.desktop"
    for line in ("Hidden=true", "X-GNOME-Autostart-enabled=false"):
        entry.switch(True)
        assert entry.on
        file.write_text(f"{file.read_text('utf-8')}{line}\n", "utf-8")
        assert not entry.on
        assert not entry.stale
