"""A sound is played by the first available player; without one the application beeps."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.desktop.notification_sound import NotificationSound

SOUND = assets_dir() / "sounds" / "bell.wav"


def script(folder: Path, name: str, line: str) -> tuple[str]:
    made = folder / name
    made.write_text(f"#!/bin/sh\n{line}\n")
    made.chmod(0o755)
    return (str(made),)


def test_the_first_available_player_plays_it(qtbot: QtBot, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    beeps: list[int] = []
    players = [
        ("no-such-player-here",),
        script(tmp_path, "broken", "exit 1"),
        script(tmp_path, "player", f'echo "$1" >> "{heard}"'),
    ]
    chime = NotificationSound(SOUND, players=players, beep=lambda: beeps.append(1))
    chime.play()
    qtbot.waitUntil(heard.exists)
    assert heard.read_text().strip() == str(SOUND)
    assert not beeps
    chime.stop()


def test_without_a_player_it_beeps(qtbot: QtBot, tmp_path: Path) -> None:
    beeps: list[int] = []
    chime = NotificationSound(
        SOUND, players=[script(tmp_path, "broken", "exit 1")], beep=lambda: beeps.append(1)
    )
    chime.play()
    qtbot.waitUntil(lambda: beeps == [1])
    chime.play()
    assert beeps == [1, 1]


def test_it_is_stopped(qtbot: QtBot, tmp_path: Path) -> None:
    began = tmp_path / "began"
    player = script(tmp_path, "player", f'touch "{began}"; exec sleep 60')
    chime = NotificationSound(SOUND, players=[player])
    chime.play()
    qtbot.waitUntil(began.exists)
    chime.play()
    chime.stop()
    chime.stop()
