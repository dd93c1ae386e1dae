"""The value that starts the app at login on Windows."""

from __future__ import annotations

import sys

import pytest

from neodeskpet.app.autostart import RUN_VALUE_NAME, RunValue


class Values:
    def __init__(self) -> None:
        self.texts: dict[str, str] = {"Other": "other.exe"}

    def read(self, name: str) -> str | None:
        return self.texts.get(name)

    def write(self, name: str, text: str) -> None:
        self.texts[name] = text

    def delete(self, name: str) -> None:
        del self.texts[name]


def test_it_is_entered_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", r"C:\Program Files\NeoDeskPet\neodeskpet.exe")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    values = Values()
    entry = RunValue(values)
    entry.switch(False)
    assert not entry.on
    assert not entry.stale
    entry.switch(True)
    entry.switch(True)
    assert entry.on
    assert values.texts[RUN_VALUE_NAME] == r'"C:\Program Files\NeoDeskPet\neodeskpet.exe" --login'
    assert entry.stale, "there is no such file here"
    values.texts[RUN_VALUE_NAME] = f"{__file__} --login"
    assert not entry.stale
    entry.switch(False)
    assert values.texts == {"Other": "other.exe"}
