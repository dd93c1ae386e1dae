"""The program without a display, started twice, as a demo, and closed properly."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from neodeskpet.app.single_instance import SingleInstanceLock
from neodeskpet.ui.local_server import LocalServer, activate_running_instance
from tests.support import terminal
from tests.support.desk import DeskStory, settle

Play = Callable[..., None]


def colours(picture: QImage) -> int:
    """Return how many colours a coarse grid over the picture meets."""
    return len(
        {
            picture.pixel(x, y)
            for x in range(0, picture.width(), 8)
            for y in range(0, picture.height(), 8)
        }
    )


@pytest.mark.timeout(300)
def test_the_demo_without_a_display(tmp_path: Path) -> None:
    file = tmp_path / "demo.png"
    process = terminal.start(tmp_path, "demo", "--screenshot", str(file), "--language", "en")
    outcome = terminal.finish(process, 280)

    assert outcome.code == 0, outcome.err
    picture = QImage(str(file))
    assert picture.width() > 600
    assert picture.height() > 500
    assert colours(picture) > 200
    assert str(file) in outcome.out
    said = [line for line in outcome.out.splitlines() if line.startswith("> ")]
    assert len(said) >= 2
    assert "✓" in outcome.out
    assert not (tmp_path / "neodeskpet.db").exists()


def test_without_a_display_it_says_what_to_do(tmp_path: Path) -> None:
    outcome = terminal.run(tmp_path)
    assert outcome.code == 1
    assert outcome.err.strip() == "There is no display. Try: neodeskpet demo"
    assert outcome.out == ""
    wayland = terminal.run(tmp_path, env={"WAYLAND_DISPLAY": "wayland-0"})
    assert wayland.code == 1
    assert "XWayland" in wayland.err


def test_a_second_start_shows_the_first(desk_story: Play, tmp_path: Path) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        seat = SingleInstanceLock(tmp_path)
        desk.set_local_server(LocalServer(tmp_path))
        desk.chat.window.hide()
        second = terminal.start(tmp_path, "--chat", env={"DISPLAY": os.environ["DISPLAY"]})
        await person.until(lambda: second.poll() is not None, "it didn't end")
        outcome = terminal.finish(second)
        assert outcome.code == 0
        assert "is already running" in outcome.err
        await person.until(lambda: desk.chat.window.isVisible(), "the first one didn't hear it")
        seat.close()

    desk_story(story)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_a_normal_end(desk_story: Play, tmp_path: Path, number: signal.Signals) -> None:
    home = tmp_path / "its own"
    settle(home, {})
    process = terminal.start(home, "--hidden", env={"DISPLAY": os.environ["DISPLAY"]})

    async def story(person: DeskStory) -> None:
        await person.until(lambda: activate_running_instance(home), "it didn't start", 60)
        process.send_signal(number)
        await person.until(lambda: process.poll() is not None, "it didn't end")
        outcome = terminal.finish(process)
        assert outcome.code == 0, outcome.err
        assert "Traceback" not in outcome.err
        assert not activate_running_instance(home)

    desk_story(story)


def test_it_starts_again_after_it_was_killed(desk_story: Play, tmp_path: Path) -> None:
    home = tmp_path / "its own"
    settle(home, {})
    display = {"DISPLAY": os.environ["DISPLAY"]}

    async def story(person: DeskStory) -> None:
        first = terminal.start(home, "--hidden", env=display)
        await person.until(lambda: activate_running_instance(home), "it didn't start", 60)
        first.kill()
        terminal.finish(first)
        second = terminal.start(home, "--hidden", env=display)
        await person.until(lambda: activate_running_instance(home), "it didn't start again", 60)
        second.terminate()
        assert terminal.finish(second).code == 0

    desk_story(story)
