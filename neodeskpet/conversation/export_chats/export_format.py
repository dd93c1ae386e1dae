"""The Protocol of all export formats, and the files they write: text that replaces the target file
when it is complete, and pictures in a folder beside it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from neodeskpet.core.blocks import (
    Block,
    ConversationInfo,
    Image,
    Message,
    MessageNode,
    Role,
    ToolUse,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.language import tr
from neodeskpet.platform.private_files import copy_mode, make_private, sync_folder

MARKDOWN, HTML, PDF, JSON = "markdown", "page", "paper", "json"

FILE_ENDINGS: Mapping[str, str] = {MARKDOWN: "md", HTML: "html", PDF: "pdf", JSON: "json"}
"""The file name ending of each format."""

FORMAT_NAMES: Mapping[str, str] = {
    MARKDOWN: N_("Markdown…"),
    HTML: N_("Web page…"),
    PDF: N_("PDF…"),
    JSON: N_("JSON, to be imported again…"),
}


@dataclass(frozen=True, slots=True)
class ExportEntry:
    """A message to be exported. `number` and `node` are its place in the tree (node None: not
    wanted); `visible`: it is on the shown path.
    """

    message: Message
    number: int = 0
    node: MessageNode | None = None
    visible: bool = True


PictureData = Mapping[str, bytes]
"""Picture data by digest; deleted pictures are missing."""


class ExportFormat(Protocol):
    """A file that is being written, on a thread. All methods may raise OSError.

    `all_versions`: messages of other versions are wanted too, after the shown ones.
    """

    all_versions: bool

    def start(self, info: ConversationInfo) -> None: ...

    def add(self, entry: ExportEntry, pictures: PictureData) -> None: ...

    def finish(self) -> None:
        """Complete the file."""
        ...

    def abort(self) -> None:
        """Discard the file. Does nothing after `finish`."""
        ...


def message_pictures(message: Message) -> Iterator[Image | ResultImage]:
    """Yield the pictures of the user and of tools, in their order."""
    for block in message.blocks:
        yield from block_pictures(block)


def block_pictures(block: Block) -> Iterator[Image | ResultImage]:
    if isinstance(block, Image):
        yield block
    elif isinstance(block, ToolUse):
        yield from block.images


def speaker_name(message: Message, name: str) -> str:
    """Return the name of the speaker. `name` is the companion's."""
    return tr("You") if message.role is Role.USER else name or tr("Companion")


def message_time(message: Message) -> str:
    return datetime.fromtimestamp(message.created).astimezone().strftime("%Y-%m-%d %H:%M")


class PictureReference(Protocol):
    """A picture of a message, or of a tool's result."""

    @property
    def digest(self) -> str: ...

    @property
    def media_type(self) -> str: ...


class TargetFile:
    """Text that replaces the file `path` when it is finished, not before. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part = partial_path(path)
        # It gets the permissions of the file that it replaces before it has content.
        if path.exists():
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
    """Return the temporary path for `path` until it is complete."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


class PictureFolder:
    """The folder `NAME.pictures` beside the file `path`. Pictures are named by their content, so
    names never clash with an earlier export.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent / f"{path.stem}.pictures"

    def store(self, image: PictureReference, pictures: PictureData) -> str:
        """Store the picture and return its path relative to the file, "" if the picture was
        deleted.
        """
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
