"""A second start is reported to the first."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from neodeskpet.app.single_instance import SingleInstanceLock
from neodeskpet.external_api.local_endpoint import (
    LocalEndpoint,
    endpoint_address,
    running_pid,
    write_endpoint_file,
)
from neodeskpet.ui.local_server import LocalServer, activate_running_instance

_SOMEBODY_ELSE = (65534, 65534) if os.geteuid() == 0 else (-1, -1)
"""Only root can give files away: for others they stay their own."""


def rings(qtbot: QtBot, home: Path, word: str = "show", files: Sequence[Path] = ()) -> bool:
    """Return whether a second start is answered; it waits for the answer, so it runs in a
    thread.
    """
    with ThreadPoolExecutor(1) as thread:
        answered = thread.submit(activate_running_instance, home, word, files=files)
        qtbot.waitUntil(answered.done)
        return answered.result()


def test_no_app_is_running(tmp_path: Path, qtbot: QtBot) -> None:
    assert not activate_running_instance(tmp_path)


def test_the_first_is_notified_of_the_second(tmp_path: Path, qtbot: QtBot) -> None:
    door = LocalServer(tmp_path)
    try:
        with qtbot.waitSignal(door.start_requested) as heard:
            assert rings(qtbot, tmp_path, "chat")
        assert heard.args == ["chat"]
    finally:
        door.close()
    assert not activate_running_instance(tmp_path)


def test_the_second_passes_its_files_to_the_first(tmp_path: Path, qtbot: QtBot) -> None:
    door = LocalServer(tmp_path)
    try:
        with qtbot.waitSignal(door.files_received) as heard:
            rings(qtbot, tmp_path, files=[tmp_path / "a b.charx", Path("nowhere.zip")])
        assert heard.args == [[tmp_path / "a b.charx"]]
    finally:
        door.close()


_SITTER = """
import pathlib, sys
from neodeskpet.app.single_instance import SingleInstanceLock
sys.stdin.readline()
seat = SingleInstanceLock(pathlib.Path(sys.argv[1]))
print("taken" if seat.acquired else "too late", flush=True)
sys.stdin.readline()
"""


def test_of_several_that_start_together_one_runs(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _SITTER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    try:
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        said = [child.stdout.readline().strip() for child in children if child.stdout]
        assert sorted(said) == ["taken", "too late", "too late"]
        assert not SingleInstanceLock(tmp_path).acquired
        children[said.index("taken")].kill()
        children[said.index("taken")].wait(60)
        again = SingleInstanceLock(tmp_path)  # at once, without a cleanup after the crashed one
        assert again.acquired
        again.close()
    finally:
        for child in children:
            child.kill()
            child.communicate()


_SECOND = """
import pathlib, sys
from neodeskpet.ui.local_server import activate_running_instance
sys.exit(0 if activate_running_instance(pathlib.Path(sys.argv[1]), "settings", timeout=60) else 1)
"""


def test_one_that_is_about_to_start_is_awaited(tmp_path: Path, qtbot: QtBot) -> None:
    seat = SingleInstanceLock(tmp_path)
    second = subprocess.Popen([sys.executable, "-c", _SECOND, str(tmp_path)])
    door = LocalServer(tmp_path)
    try:
        with qtbot.waitSignal(door.start_requested, timeout=60_000) as heard:
            pass
        assert heard.args == ["settings"]
        qtbot.waitUntil(lambda: second.poll() is not None)
        assert second.returncode == 0
    finally:
        second.kill()
        second.wait()
        door.close()
        seat.close()


def test_one_that_hangs_receives_the_message_and_does_not_answer(
    tmp_path: Path, qtbot: QtBot
) -> None:
    address, _ = endpoint_address(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        write_endpoint_file(tmp_path, LocalEndpoint(address, "a key"))
        assert not activate_running_instance(tmp_path, timeout=60.0, answer_within=0.1)
        assert running_pid(tmp_path) == os.getpid()
        with listening.accept()[0] as caller:
            assert caller.recv(1000)


def test_files_of_a_killed_process_are_no_server(tmp_path: Path, qtbot: QtBot) -> None:
    address, _ = endpoint_address(tmp_path)
    left = socket.socket(socket.AF_UNIX)
    left.bind(address)
    left.close()
    seat = SingleInstanceLock(tmp_path)
    assert seat.acquired
    door = LocalServer(tmp_path)
    try:
        assert rings(qtbot, tmp_path)
    finally:
        door.close()
        seat.close()


def test_files_of_others_in_the_common_folder_do_no_harm(
    tmp_path_factory: pytest.TempPathFactory, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = tmp_path_factory.mktemp("c")
    common.chmod(0o1777)
    for name in ("TMPDIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(common))
    monkeypatch.setattr(tempfile, "tempdir", None)  # it remembers where it was
    home = tmp_path_factory.mktemp("h")
    name = Path(endpoint_address(home)[0]).name
    with contextlib.ExitStack() as stack:
        for taken in (name, f"qtsingleapp-{name}"):
            theirs = stack.enter_context(socket.socket(socket.AF_UNIX))
            theirs.bind(str(common / taken))
            theirs.listen()
            os.chown(common / taken, *_SOMEBODY_ELSE)
        door = LocalServer(home)
        try:
            assert Path(door.endpoint.address).parent != common
            with qtbot.waitSignal(door.start_requested):
                assert rings(qtbot, home)
        finally:
            door.close()
        assert {path.name for path in common.iterdir()} == {name, f"qtsingleapp-{name}"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_a_runtime_folder_of_another_user_is_not_used(
    tmp_path_factory: pytest.TempPathFactory, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, theirs = tmp_path_factory.mktemp("h"), tmp_path_factory.mktemp("r")
    os.chown(theirs, *_SOMEBODY_ELSE)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(theirs))
    door = LocalServer(home)
    try:
        assert Path(door.endpoint.address).parent != theirs
        assert rings(qtbot, home)
    finally:
        door.close()
    assert not list(theirs.iterdir())


def test_a_long_path_has_a_server_too(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    home = tmp_path / ("long " * 20)
    home.mkdir()
    door = LocalServer(home)
    _, made = endpoint_address(home)
    assert made is not None
    made.rmdir()
    try:
        assert stat.S_IMODE((home / "neodeskpet.lock").stat().st_mode) == 0o600
        assert rings(qtbot, home)
    finally:
        door.close()
    assert not activate_running_instance(home)


def test_without_a_writable_place_it_starts_all_the_same(tmp_path: Path) -> None:
    seat = SingleInstanceLock(tmp_path / "gone")
    assert seat.acquired
    seat.close()
    seat.close()
