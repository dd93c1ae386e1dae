"""Files that are put in their place when they are whole, and pictures in a folder beside."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Protocol

from neodeskpet.conversation.takeout.form import PictureData
from neodeskpet.files import copy_mode, make_private, sync_folder


class PictureReference(Protocol):
    """A picture of a message, or of a tool's result."""

    @property
    def digest(self) -> str: ...

    @property
    def media_type(self) -> str: ...


class TargetFile:
    """Text that becomes the file `path` at `end`, and nothing before. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part = partial_path(path)
        if path.exists():  # nobody else reads it before it has the rights of the one it replaces
            make_private(self._part)
        self._file = self._part.open("w", encoding="utf-8", errors="replace", newline="\n")

    def write(self, text: str) -> None:
        self._file.write(text)

    def finish(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        copy_mode(self._part, self.path)
        self._part.replace(self.path)
        sync_folder(self.path.parent)

    def abort(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        self._part.unlink(missing_ok=True)


def partial_path(path: Path) -> Path:
    """Where `path` is written to before it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


class PictureFolder:
    """The folder `NAME.pictures` beside the file `path`. A picture is called by its content, so
    that one of an earlier export is never another.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent / f"{path.stem}.pictures"

    def store(self, image: PictureReference, pictures: PictureData) -> str:
        """Put it there; its path, seen from the file; "" when the picture is gone."""
        data = pictures.get(image.digest)
        if data is None:
            return ""
        ending = image.media_type.rpartition("/")[2]
        safe = ending if ending.isascii() and ending.isalnum() else "bin"
        file = self._folder / f"{image.digest[:24]}.{safe}"
        if not file.exists():
            self._folder.mkdir(exist_ok=True)
            part = partial_path(file)
            part.write_bytes(data)
            part.replace(file)
        return f"{self._folder.name}/{file.name}"
