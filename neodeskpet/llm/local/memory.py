"""How much memory a process takes."""

from __future__ import annotations

import subprocess
from pathlib import Path

_PROC = Path("/proc")


def process_memory(pid: int, proc: Path = _PROC) -> int | None:
    """Bytes in memory now, None where it can't be told. Blocks for milliseconds at most where
    there is a /proc; elsewhere `ps` is asked, so call it in a thread.
    """
    try:
        text = (proc / str(pid) / "status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None if proc.is_dir() else _asked(pid)
    return _field(text, "VmRSS")


def _field(text: str, name: str) -> int | None:
    for line in text.splitlines():
        title, _, rest = line.partition(":")
        number = rest.split()
        if title == name and number and number[0].isdigit():
            return int(number[0]) * 1024
    return None


def _asked(pid: int) -> int | None:
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return int(told.stdout) * 1024 if told.stdout.strip().isdigit() else None
