"""The resources of a process and its children, as the kernel reports them (Linux)."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

_MIB = 1024.0


@dataclass(frozen=True, slots=True)
class Taken:
    """`own` (memory of no file: RssAnon and RssShmem), `files` (RssFile) and `pss` in MiB, of the
    whole tree; `handles` and `threads` of the first process only; `children` is the number of the
    others.
    """

    own: float
    files: float
    pss: float
    handles: int
    threads: int
    children: int


def taken(pid: int) -> Taken | None:
    """Return the resources of the tree under `pid`; None if it has ended."""
    root = Path("/proc") / str(pid)
    try:
        tree = [pid, *descendants(pid)]
        own = _fields(root / "status")
        return Taken(
            sum(_resident(one, "RssAnon") + _resident(one, "RssShmem") for one in tree),
            sum(_resident(one, "RssFile") for one in tree),
            sum(map(share, tree)),
            sum(1 for _ in (root / "fd").iterdir()),
            int(own["Threads"]),
            len(tree) - 1,
        )
    except (OSError, KeyError, ValueError):
        return None


def memory(pid: int) -> float:
    """Return the resident memory of one process in MiB; 0 if it has ended."""
    return _resident(pid, "VmRSS")


def share(pid: int) -> float:
    """The same, but shared pages count in part (PSS): the memory of a tree of processes is the sum
    of these. The kernel reads all of its memory for it: not for every moment.
    """
    return _kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss") / _MIB


def peak(pid: int) -> float:
    """The most memory the process has had so far, in MiB."""
    return _resident(pid, "VmHWM")


def worked(pid: int) -> float:
    """Return the processor seconds of the tree under `pid`, including its ended children (those in
    steps of 10 ms, as the kernel reports them).
    """
    seconds = 0.0
    for one in (pid, *descendants(pid)):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            seconds += time.clock_gettime(_clock(one))
        except OSError:
            continue  # it ended just now
        # cutime, cstime (proc(5)).
        seconds += sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def _clock(pid: int) -> int:
    """The clock of a process' work, in nanoseconds: /proc counts steps of 10 ms, which is 0.1 % of
    a core in ten seconds (clock_getcpuclockid(3)).
    """
    return (~pid << 3) | 2


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, file.read_text().split()):
                found += [child, *descendants(child)]
        except OSError:
            continue
    return found


def _resident(pid: int, name: str) -> float:
    return _kib(Path(f"/proc/{pid}/status"), name) / _MIB


def _kib(file: Path, name: str) -> float:
    try:
        return float(_fields(file)[name].split()[0])
    except (OSError, KeyError, ValueError, IndexError):
        return 0.0


def _fields(file: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in file.read_text().splitlines())
    return {name: value.strip() for name, _, value in pairs}
