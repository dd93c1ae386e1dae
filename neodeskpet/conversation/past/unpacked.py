"""An archive that was unpacked, as some systems do by themselves: its files lie in one folder."""

from __future__ import annotations

import re
from pathlib import Path

LIST_NAME = re.compile(r"conversations([-_]?\d+)?\.json", re.IGNORECASE)


def archive_parts(path: Path) -> list[Path]:
    """The files with conversations that `path` is one of: those with numbers belong together, any
    other stands for itself. Raises OSError.
    """
    found = LIST_NAME.fullmatch(path.name)
    if found is None or not found[1]:
        return [path]
    beside = (one for one in files_in_folder(path) if LIST_NAME.fullmatch(one.name))
    return sorted({path, *(one for one in beside if one.stem != "conversations")})


def files_in_folder(path: Path) -> list[Path]:
    """The files of its folder. What only leads elsewhere is none: who packed the archive doesn't
    choose what of this computer is read. Raises OSError.
    """
    if LIST_NAME.fullmatch(path.name) is None:
        return []
    return [one for one in path.parent.iterdir() if not one.is_symlink() and one.is_file()]
