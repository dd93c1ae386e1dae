"""The switch in the settings writes the desktop's autostart entry, and tells the truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.desk import DeskStory

Play = Callable[..., None]


def test_the_switch_writes_the_entry_and_follows_it(
    desk_story: Play,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config: Path = tmp_path_factory.mktemp("config")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    entry = config / "autostart" / "neodeskpet.desktop"

    async def switched(person: DeskStory) -> None:
        settings = person.desk.engine.settings
        settings.change("companion", "start_at_login", True)
        assert "neodeskpet" in entry.read_text(encoding="utf-8")
        settings.change("companion", "start_at_login", False)
        assert not entry.exists()
        settings.change("companion", "start_at_login", True)

    async def taken_away(person: DeskStory) -> None:
        assert not person.desk.engine.settings.settings.companion.start_at_login

    desk_story(switched)
    entry.unlink()
    desk_story(taken_away)


def test_where_it_cannot_be_it_is_said(
    desk_story: Play,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = tmp_path_factory.mktemp("config") / "a file"
    config.write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))

    async def story(person: DeskStory) -> None:
        settings = person.desk.engine.settings
        settings.change("companion", "start_at_login", True)
        assert "could not be changed" in person.desk.bubble.page_text
        assert not settings.settings.companion.start_at_login

    desk_story(story)
