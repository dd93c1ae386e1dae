"""`neodeskpet import` in a process of its own that is killed during the import, as by a
power cut.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT = 60.0  # seconds


def kill_import(home: Path, archive: Path, after: int, moment: float = 0.0) -> int:
    """Kill it when that many conversations exist, and `moment` seconds later; return how many it
    left. If `moment` is less than 0, it is killed while it waits for its next transaction:
    everything between two of them is then stored for certain.
    """
    command = [sys.executable, "-m", "neodeskpet", "import", str(archive)]
    silence = subprocess.DEVNULL
    with unmeasured_children():
        process = subprocess.Popen(
            [*command, "--data-dir", str(home)], cwd=_ROOT, stdout=silence, stderr=silence
        )
    with process:
        try:
            until = time.monotonic() + _TIMEOUT
            while count_conversations(home) < after:
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"the import ended ({process.returncode}) too early")
                time.sleep(0.002)
            if moment < 0.0:
                _hold_up(home, process)
            time.sleep(max(0.0, moment))
        finally:
            process.kill()
    return count_conversations(home)


def _hold_up(home: Path, process: subprocess.Popen[bytes]) -> None:
    """Kill it while only we can write."""
    connection = sqlite3.connect(home / CONVERSATIONS_FILE, isolation_level=None, timeout=_TIMEOUT)
    try:
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(0.5)  # until it wants to write
        process.kill()
        process.wait()
        connection.execute("ROLLBACK")
    finally:
        connection.close()


def count_conversations(home: Path) -> int:
    """Return 0 also for a database that doesn't exist yet."""
    try:
        connection = sqlite3.connect(f"file:{home / CONVERSATIONS_FILE}?mode=ro", uri=True)
        try:
            (count,) = connection.execute("SELECT count(*) FROM conversations").fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return 0
    return int(count)
