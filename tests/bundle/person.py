"""Somebody before the bundle's windows: the keyboard by xdotool, and what the data folder says."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from tests.soak.process import descendants

T = TypeVar("T")
PATIENCE = 120.0
_CHAT = (500, 500)
"""The chat is at least that large; the bubble and the figure's placeholder are smaller."""


class NotSo(Exception):
    """What should have happened didn't."""


def wait(true: Callable[[], T | None], what: str, patience: float = PATIENCE) -> T:
    """What `true()` gives, as soon as it gives something. Raises NotSo."""
    end = time.monotonic() + patience
    while not (found := true()):
        if time.monotonic() > end:
            raise NotSo(what)
        time.sleep(0.05)
    return found


def _xdotool(*words: str) -> str:
    return subprocess.run(["xdotool", *words], capture_output=True, text=True).stdout.strip()


def chat_window() -> str | None:
    """The id of the chat, when it is seen."""
    for window in _xdotool("search", "--onlyvisible", "--class", "neodeskpet").split():
        size = re.search(r"Geometry: (\d+)x(\d+)", _xdotool("getwindowgeometry", window))
        if size and int(size[1]) >= _CHAT[0] and int(size[2]) >= _CHAT[1]:
            return window
    return None


def write(window: str, text: str) -> None:
    """Type it into the chat and send it."""
    _xdotool("windowfocus", "--sync", window)
    _xdotool("type", "--delay", "15", text)
    _xdotool("key", "Return")


def press(window: str, keys: str) -> None:
    _xdotool("windowfocus", "--sync", window)
    _xdotool("key", keys)


def replies(data: Path) -> list[tuple[str, str]]:
    """The state and the text of each answer, as they are stored."""
    file = data / "neodeskpet.db"
    if not file.is_file():
        return []
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT number, state FROM messages WHERE role = 'assistant' ORDER BY number"
        ).fetchall()
        return [(state, _text(db, number)) for number, state in rows]
    return []


def _text(db: sqlite3.Connection, message: int) -> str:
    whole = db.execute("SELECT body FROM blocks WHERE message = ? ORDER BY position", (message,))
    parts = db.execute("SELECT text FROM segments WHERE message = ? ORDER BY number", (message,))
    return "".join(text for (text,) in [*whole.fetchall(), *parts.fetchall()])


def far_connections(pid: int) -> set[str]:
    """Where this process and its children are connected to, beyond this computer."""
    sockets = set()
    for one in (pid, *descendants(pid)):
        with suppress(OSError):
            for handle in os.scandir(f"/proc/{one}/fd"):
                with suppress(OSError):
                    sockets.add(str(Path(handle.path).readlink()))
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if f"socket:[{fields[9]}]" in sockets and not _is_near(fields[2]):
                found.add(f"{table} {fields[2]}")
    return found


def _is_near(address: str) -> bool:
    """As /proc/net writes it: nowhere, or this computer."""
    host = address.split(":")[0]
    return not int(host, 16) or host.endswith("7F") or host == "0" * 24 + "01000000"
