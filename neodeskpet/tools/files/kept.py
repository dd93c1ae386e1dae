"""What a change of a file overwrote, kept so that the person can take the change back.

Copies lie in the data folder, named by the digest of their content, for a week. A change is taken
back only while the file is as the change left it: what was done to it since is never lost.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from neodeskpet.files import open_regular, write_private
from neodeskpet.tools.files.texts import replace_file

KEPT_SECONDS = 7 * 86_400
_ABSENT = ""


def file_digest(path: Path) -> str:
    """Of a file's content; "" if there is none."""
    try:
        return hashlib.sha256(_content(path)).hexdigest()
    except FileNotFoundError:
        return _ABSENT


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


class FileBackups:
    """`folder` is made when it is needed."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def add(self, path: Path) -> dict[str, object]:
        """Keep what is at `path` now; what `restore` needs, but for the digest that follows the
        change. Raises OSError.
        """
        self._drop_old()
        before = file_digest(path)
        if before:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._folder / before, _content(path))
        return {"until": self._clock() + KEPT_SECONDS, "path": str(path), "before": before}

    def restore(self, data: Mapping[str, object]) -> bool:
        """Whether the file is again as it was kept. Raises OSError and KeyError."""
        path = Path(str(data["path"]))
        before = str(data["before"])
        if file_digest(path) != str(data["after"]):
            return False
        if not before:
            path.unlink()
            return True
        kept = self._folder / Path(before).name
        if not kept.is_file():
            return False
        replace_file(path, kept.read_bytes())
        return True

    def _drop_old(self) -> None:
        if not self._folder.is_dir():
            return
        for file in self._folder.iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < self._clock() - KEPT_SECONDS:
                    file.unlink()
