"""What lies in the data folder is the person's alone, also what an older version or a careless
copy left open to others.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

_log = logging.getLogger(__name__)

_OTHERS = 0o077
_OURS = (
    "neodeskpet.*",
    "find.db*",
    "find.*-*.db*",
    "memory.db*",
    "memory.*-*.db*",
    "memory-vectors.*",
    "knowledge.db*",
    "knowledge.*-*.db*",
    "knowledge-vectors.*",
    "mcp.json*",
    "characters.db*",
    "characters.*-*.db*",
    "notebook.db*",
    "notebook.*-*.db*",
    "notes.db*",
    "notes.damaged-*",
    "timers.json*",
    "timers.damaged-*",
    "settings*.json*",
    "secrets.json*",
    "llm-config*",
    "logs",
    "crashes",
    "pictures",
    "cache",
    "models",
    "language-models",
    "personas",
    "characters",
    "kept files",
    "outputs",
    "tools",
    "extras",
    "run",
)
"""A folder that the person chose may hold other things, which stay as they are."""


def restrict_access(home: Path) -> None:
    """Take everybody else's rights from what is ours in `home`: files 0600, folders 0700. What
    can't be changed is left and logged.
    """
    if sys.platform == "win32":
        return  # the person's folder is private there by itself
    try:
        if _is_only_ours(home):
            _close(home)
        for pattern in _OURS:
            for path in home.glob(pattern):
                for each in _below(path):
                    _close(each)
    except OSError as error:
        _log.warning("The data folder may be open to others: %s", error)


def _is_only_ours(home: Path) -> bool:
    """Never a folder that others need too: `/tmp`, the person's home, a system's folder."""
    shared = stat.S_ISVTX & home.stat().st_mode
    above = home == Path.home() or home in Path.home().parents
    return not shared and not above and any(home.glob("neodeskpet.*"))


def _below(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        for folder, folders, files in os.walk(path):
            yield from (Path(folder, name) for name in (*folders, *files))


def _close(path: Path) -> None:
    """A link leads to what may be somebody else's, and so does a second name."""
    if sys.platform == "win32":
        return
    try:
        found = path.lstat()
        linked = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
        if stat.S_ISLNK(found.st_mode) or linked or found.st_uid != os.getuid():
            return
        if found.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except FileNotFoundError:
        pass  # gone meanwhile
    except OSError as error:
        _log.warning("%s may be open to others: %s", path, error)
