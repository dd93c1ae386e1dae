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
"""What a file of each kind is called at its end."""

FORMAT_NAMES: Mapping[str, str] = {
    MARKDOWN: N_("Markdown…"),
    HTML: N_("Web page…"),
    PDF: N_("PDF…"),
    JSON: N_("JSON, to be imported again…"),
}


@dataclass(frozen=True, slots=True)
class ExportEntry:
    """A message on its way into a file. `number` and `node` tell its place in the tree, if that is
    wanted (node None: it isn't); `shown`: it is on the path that is shown.
    """

    message: Message
    number: int = 0
    node: MessageNode | None = None
    visible: bool = True


PictureData = Mapping[str, bytes]
"""By digest; those that are gone aren't in it."""


class ExportFormat(Protocol):
    """A file that is being written, from a thread. All may raise OSError.

    `whole`: messages of other versions are wanted too, after those that are shown.
    """

    all_versions: bool

    def start(self, info: ConversationInfo) -> None: ...

    def add(self, entry: ExportEntry, pictures: PictureData) -> None: ...

    def finish(self) -> None:
        """All is there: finish the file."""
        ...

    def abort(self) -> None:
        """Nothing comes of it. Does nothing after `end`."""
        ...


def message_pictures(message: Message) -> Iterator[Image | ResultImage]:
    """What the person and the tools have shown, in its order."""
    for block in message.blocks:
        yield from block_pictures(block)


def block_pictures(block: Block) -> Iterator[Image | ResultImage]:
    if isinstance(block, Image):
        yield block
    elif isinstance(block, ToolUse):
        yield from block.images


def speaker_name(message: Message, name: str) -> str:
    """`name` is the companion's."""
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
