from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from neodeskpet.platform.process_lease import ProcessLease, is_alive, remove_dead_leases

_CHILD = """
import sys, pathlib
from neodeskpet.platform.process_lease import ProcessLease
lease = ProcessLease(pathlib.Path(sys.argv[1]))
print(lease.id, flush=True)
sys.stdin.read()
"""


def test_alive_until_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "writers"
    lease = ProcessLease(folder)
    assert is_alive(folder, lease.id)
    lease.release()
    lease.release()
    assert not is_alive(folder, lease.id)
    assert list(folder.iterdir()) == []


def test_a_killed_process_is_dead_at_once(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        try:
            assert is_alive(tmp_path, name)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait(60)
        assert not is_alive(tmp_path, name)
        assert (tmp_path / name).exists()


def test_unknown_and_empty_names_are_dead(tmp_path: Path) -> None:
    assert not is_alive(tmp_path, "nobody")
    assert not is_alive(tmp_path, "")


def test_the_cleanup_removes_only_old_files_of_ended_processes(tmp_path: Path) -> None:
    living = ProcessLease(tmp_path)
    (tmp_path / "old").touch()
    (tmp_path / "new").touch()
    for path in (tmp_path / "old", tmp_path / living.id):
        os.utime(path, (1, 1))
    remove_dead_leases(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {living.id, "new"}
    living.release()
    remove_dead_leases(tmp_path / "missing")
