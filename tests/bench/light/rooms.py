"""Where the memory of a running app goes: `python -m tests.bench.light.rooms PID` (Linux).

Prints MiB of the process and its children by room. "Alone" counts each page of a file once and in
full, so that it doesn't depend on which other programs share the file, as PSS does.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.process import descendants, share

_HEAD = re.compile(r"[0-9a-f]+-[0-9a-f]+ \S+ (\S+) \S+ (\d+) *(.*)")
_SHOWN = 30


@dataclass(slots=True)
class Mapping:
    """A mapping of `smaps`: `sizes` in KiB by field."""

    name: str
    offset: str
    is_file: bool
    sizes: dict[str, int] = field(default_factory=dict)


def mappings(lines: Iterable[str]) -> Iterator[Mapping]:
    """Read the lines of `smaps`."""
    now: Mapping | None = None
    for line in lines:
        if head := _HEAD.fullmatch(line.rstrip("\n")):
            if now is not None:
                yield now
            offset, inode, name = head.groups()
            now = Mapping(name.strip(), offset, inode != "0")
        elif now is not None and line.endswith(" kB\n"):
            title, size, _ = line.split()
            now.sizes[title.rstrip(":")] = int(size)
    if now is not None:
        yield now


def rooms(trees: Iterable[Iterable[Mapping]]) -> Counter[str]:
    """KiB by room of processes, the app first."""
    found: Counter[str] = Counter()
    files: Counter[tuple[str, str]] = Counter()
    for child, tree in enumerate(trees):
        owner = "child: " if child else ""
        for one in tree:
            own = one.sizes.get("Anonymous", 0)
            if one.is_file:
                shared = one.sizes.get("Rss", 0) - own
                files[one.name, one.offset] = max(files[one.name, one.offset], shared)
                found[f"{owner}written pages of files"] += own
            else:
                kind = one.name or "mapped (Python's arenas, threads, large blocks)"
                found[owner + kind] += own
    for (name, _), size in files.items():
        found[f"file {Path(name).name}"] += size
    return found


def main(pid: int) -> None:
    tree = [pid, *descendants(pid)]
    found = rooms(
        mappings(Path(f"/proc/{one}/smaps").read_text().splitlines(keepends=True)) for one in tree
    )
    of_files = sum(size for name, size in found.items() if name.startswith("file "))
    print(f"{found.total() / 1024:8.1f}  alone")
    print(f"{(found.total() - of_files) / 1024:8.1f}  private")
    print(f"{sum(map(share, tree)):8.1f}  PSS of {len(tree)} processes")
    for name, size in found.most_common(_SHOWN):
        print(f"{size / 1024:8.1f}  {name}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
