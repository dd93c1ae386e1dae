"""A second start rings at the first."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from neodeskpet.ui.instance import Doorbell, server_name, wake_other


def test_nobody_is_there(tmp_path: Path, qtbot: QtBot) -> None:
    assert not wake_other(tmp_path)


def test_the_first_hears_the_second(tmp_path: Path, qtbot: QtBot) -> None:
    door = Doorbell(tmp_path)
    try:
        with qtbot.waitSignal(door.rung, timeout=5000) as heard:
            assert wake_other(tmp_path, "chat")
        assert heard.args == ["chat"]
    finally:
        door.close()
    assert not wake_other(tmp_path)


def test_each_data_folder_has_a_door_of_its_own(tmp_path: Path) -> None:
    assert server_name(tmp_path / "a") != server_name(tmp_path / "b")
