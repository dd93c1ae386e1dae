"""What every kind of file has in common: it is begun, takes messages one by one, and is ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from neodeskpet.core.blocks import Block, Image, Message, Role, ToolUse
from neodeskpet.core.records import ConversationInfo, MessageNode
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.core.wording import N_
from neodeskpet.language import tr

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
