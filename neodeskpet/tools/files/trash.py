"""Takes a file back out of the trash: the freedesktop.org trash, which says where each file was.

`send2trash` puts files in; it tells nobody under which name. On systems with another trash nothing
is taken back from here: the person does it there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote


def restore_from_trash(path: Path, since: float) -> bool:
    """Whether what was at `path`, put into the trash after `since` (unix seconds), is back there.
    Raises OSError.
    """
    if os.path.lexists(path) or not path.parent.is_dir():
        return False
    for top, info in _infos(path):
        if info.stat().st_mtime >= since - 2 and top / _was(info) == path:
            content = info.parent.parent / "files" / info.stem
            if os.path.lexists(content):
                content.rename(path)
                info.unlink()
                return True
    return False


def _infos(path: Path) -> Iterator[tuple[Path, Path]]:
    """What the trashes that `path` may be in hold, the newest first: the folder that a path in it
    begins at, and the file that tells it.
    """
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    trashes = [(Path("/"), home / "Trash")]
    for parent in path.parents:
        if os.path.ismount(parent):
            user = os.getuid() if hasattr(os, "getuid") else 0
            trashes += [
                (parent, parent / ".Trash" / str(user)),
                (parent, parent / f".Trash-{user}"),
            ]
    for top, trash in trashes:
        folder = trash / "info"
        if folder.is_dir():
            infos = folder.glob("*.trashinfo")
            for info in sorted(infos, key=lambda one: one.stat().st_mtime, reverse=True):
                yield top, info


def _was(info: Path) -> str:
    """Where it was: a whole path, or one within the trash's disk."""
    for line in info.read_text("utf-8", "replace").splitlines():
        if line.startswith("Path="):
            return unquote(line.removeprefix("Path="))
    return ""
