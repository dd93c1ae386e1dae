"""The switch in the settings writes the desktop's autostart entry, and shows its real state."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.startup import StartOptions, run_app
from tests.support.desk import DeskStory, settle
from tests.support.doomed import end, end_display

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


def test_where_it_is_impossible_that_is_reported(
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
        assert "could not be changed" in person.desk.companion.bubble.page_text
        assert not settings.settings.companion.start_at_login

    desk_story(story)


Seen = tuple[bool, bool]
LoggedIn = Callable[..., Seen]


@pytest.fixture
def log_in(qapp: QApplication, tmp_path: Path, verdicts: Path) -> LoggedIn:
    """`log_in(login=True, leave=False)`: whether the chat and the companion are visible at that
    start; with `leave` the chat is opened then, and the session ends.
    """

    def start(*, login: bool = True, leave: bool = False) -> Seen:
        seen: list[Seen] = []

        async def look(desk: DesktopApp) -> int:
            seen.append((desk.chat.window.isVisible(), desk.companion.pet.isVisible()))
            if leave:
                desk.show_chat()
                desk.session.finish(None)
            return 0

        options = StartOptions(tmp_path, single_instance=False, at_login=login, cache=verdicts)
        settle(tmp_path, {})
        assert run_app(options, look) == 0
        return seen[0]

    return start


def test_windows_open_at_the_end_of_the_session_are_open_at_the_next_login(
    log_in: LoggedIn,
) -> None:
    assert log_in(leave=True) == (False, True)
    assert log_in() == (True, True)
    assert log_in() == (False, True), "it was ended by hand the last time"
    log_in(leave=True)
    assert log_in(login=False) == (False, True)
    assert log_in() == (False, True), "it was started by hand since"


def test_a_sigterm_ends_the_session(log_in: LoggedIn, tmp_path: Path, verdicts: Path) -> None:
    assert end(tmp_path, verdicts, signal.SIGTERM) == 0
    assert log_in() == (False, False), "it was in the tray"
    assert end(tmp_path, verdicts, signal.SIGINT) == 0
    assert log_in() == (False, True), "that was a user at a terminal"


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
def test_so_does_the_end_of_its_display(log_in: LoggedIn, tmp_path: Path, verdicts: Path) -> None:
    assert end_display(tmp_path, verdicts) == 1
    assert log_in() == (False, False)
