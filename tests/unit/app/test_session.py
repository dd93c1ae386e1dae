"""A session that ends closes the app, and the next one restores it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.desktop_session import DesktopSession, restart_command, take_saved_state
from neodeskpet.cli.start_command import parser
from neodeskpet.platform.installation import own_command


class Manager:
    def __init__(self) -> None:
        self.command: list[str] = []

    def setRestartCommand(self, command: list[str], /) -> None:
        self.command = command


def test_open_windows_are_requested_again(qapp: QGuiApplication, tmp_path: Path) -> None:
    seen = {"chat": True, "companion": False}
    ended: list[bool] = []
    session = DesktopSession(
        qapp, tmp_path, lambda: (seen["chat"], seen["companion"]), lambda: ended.append(True)
    )
    manager = Manager()
    session.save(manager)
    words = parser().parse_args(manager.command[len(own_command()) :])
    assert (words.chat, words.hidden, words.data_dir) == (True, True, str(tmp_path))
    assert not ended
    session.finish(manager)
    assert ended == [True]
    assert take_saved_state(tmp_path) == (True, False)
    assert take_saved_state(tmp_path) == (False, True), "it was started since"


@pytest.mark.parametrize("words", ["", "[]", "{", "{}", '{"chat": 1, "companion": true}'])
def test_an_invalid_note_changes_nothing(tmp_path: Path, words: str) -> None:
    (tmp_path / "session.json").write_text(words, "utf-8")
    assert take_saved_state(tmp_path) == (False, True)
    assert not (tmp_path / "session.json").exists()


def test_if_nothing_can_be_stored_the_session_ends_all_the_same(
    qapp: QGuiApplication, tmp_path: Path
) -> None:
    ended: list[bool] = []
    gone = tmp_path / "gone"
    session = DesktopSession(qapp, gone, lambda: (True, True), lambda: ended.append(True))
    session.finish(None)
    assert ended == [True]
    assert take_saved_state(gone) == (False, True)


def test_the_default_folder_needs_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path))
    assert restart_command(tmp_path, chat=False, companion=True) == own_command()
    other = restart_command(tmp_path / "other", chat=False, companion=True)
    assert other[-2:] == ["--data-dir", str(tmp_path / "other")]


def test_the_number_that_session_managers_add_is_ignored() -> None:
    words = parser().parse_args(["-session", "10dfa8c0b1_1700000000_4321", "--chat"])
    assert words.chat
    assert words.files == []
