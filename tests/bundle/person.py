"""A simulated user of the bundle's windows: the keyboard by xdotool, and the content of the data
folder.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
TIMEOUT = 120.0
_CHAT = (500, 500)
"""The chat is at least that large; the bubble and the figure's placeholder are smaller."""


class NotSo(Exception):
    """The expected result didn't come."""


def wait(true: Callable[[], T | None], what: str, timeout: float = TIMEOUT) -> T:
    """Return the result of `true()`, as soon as it is true. Raises NotSo."""
    end = time.monotonic() + timeout
    while not (found := true()):
        if time.monotonic() > end:
            raise NotSo(what)
        time.sleep(0.05)
    return found


def _xdotool(*words: str) -> str:
    return subprocess.run(["xdotool", *words], capture_output=True, text=True).stdout.strip()


def chat_window() -> str | None:
    """Return the id of the chat, when it is visible."""
    for window in _xdotool("search", "--onlyvisible", "--class", "neodeskpet").split():
        size = re.search(r"Geometry: (\d+)x(\d+)", _xdotool("getwindowgeometry", window))
        if size and int(size[1]) >= _CHAT[0] and int(size[2]) >= _CHAT[1]:
            return window
    return None


def figure_window() -> str | None:
    """Return the id of a window of the app, when one is visible."""
    found = _xdotool("search", "--onlyvisible", "--class", "neodeskpet").split()
    return found[0] if found else None


def write(window: str, text: str) -> None:
    """Type it into the chat and send it."""
    _xdotool("windowfocus", "--sync", window)
    _xdotool("type", "--delay", "15", text)
    _xdotool("key", "Return")


def press(window: str, keys: str) -> None:
    _xdotool("windowfocus", "--sync", window)
    _xdotool("key", keys)


def replies(data: Path) -> list[tuple[str, str]]:
    """Return the state and the text of each answer, as they are stored."""
    file = data / "neodeskpet.db"
    if not file.is_file():
        return []
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        rows = db.execute(
            "SELECT number, state FROM messages WHERE role = 'assistant' ORDER BY number"
        ).fetchall()
        return [(state, _text(db, number)) for number, state in rows]
    return []


def noted(data: Path, key: str) -> str:
    """Return the stored value of this key; "" for none."""
    file = data / "neodeskpet.db"
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as db:
        row = db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row is not None else ""
    return ""


def forget(data: Path, key: str) -> None:
    """Delete a stored value; the app doesn't run."""
    with closing(sqlite3.connect(data / "neodeskpet.db")) as db, db:
        db.execute("DELETE FROM state WHERE key = ?", (key,))


def _text(db: sqlite3.Connection, message: int) -> str:
    whole = db.execute("SELECT body FROM blocks WHERE message = ? ORDER BY position", (message,))
    parts = db.execute("SELECT text FROM segments WHERE message = ? ORDER BY number", (message,))
    return "".join(text for (text,) in [*whole.fetchall(), *parts.fetchall()])
