"""The switch "start at login": it follows the system, and says when it is impossible."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from neodeskpet.app.autostart import LoginStartSetting, find_autostart


def test_it_is_in_the_folder_of_the_desktop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    entry = find_autostart()
    assert entry is not None
    entry.switch(True)
    assert (tmp_path / "autostart" / "neodeskpet.desktop").exists()


def test_on_other_systems_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "freebsd14")
    assert find_autostart() is None


def test_on_macos_it_is_an_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    entry = find_autostart()
    assert entry is not None
    entry.switch(True)
    assert list((tmp_path / "Library" / "LaunchAgents").iterdir())


class Entry:
    def __init__(self) -> None:
        self.on = False
        self.full = False
        self.stale = False
        self.written = 0

    def switch(self, on: bool) -> None:
        if self.full:
            raise OSError("no room")
        self.on = on
        self.written += 1


@pytest.mark.parametrize("known", [True, False])
def test_a_failure_resets_the_switch_and_is_shown(known: bool) -> None:
    entry = Entry()
    told: list[str] = []
    login = LoginStartSetting(
        entry if known else None,
        lambda section, name, value: told.append(f"{section}.{name} {value}"),
        lambda what, hint: told.append(f"{what} {hint}".strip()),
    )
    login.synchronize(False)
    login.switch(False)
    assert told == []
    entry.full = True
    login.switch(True)
    assert told[1:] == ["companion.start_at_login False"]
    assert ("no room" in told[0]) == known
    told.clear()
    login.synchronize(True)
    assert told == ["companion.start_at_login False"]
    told.clear()
    if known:
        entry.full = False
        login.switch(True)
        login.synchronize(True)
        assert (entry.on, told) == (True, [])
        before = entry.written
        entry.stale = True
        login.synchronize(True)
        assert (entry.written - before, told) == (1, [])
        entry.full = True
        login.synchronize(True)
        assert told == [], "it is on, and can be repaired later"
