"""What every kind of file has in common: it is begun, takes messages one by one, and is ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from neodeskpet.core.blocks import Block, Image, Message, Role, ToolUse
from neodeskpet.core.records import ConversationInfo, Node
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.core.wording import N_
from neodeskpet.language import tr

MARKDOWN, PAGE, PAPER, JSON = "markdown", "page", "paper", "json"

ENDINGS: Mapping[str, str] = {MARKDOWN: "md", PAGE: "html", PAPER: "pdf", JSON: "json"}
"""What a file of each kind is called at its end."""

NAMES: Mapping[str, str] = {
    MARKDOWN: N_("Markdown…"),
    PAGE: N_("Web page…"),
    PAPER: N_("PDF…"),
    JSON: N_("JSON, to be imported again…"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A message on its way into a file. `number` and `node` tell its place in the tree, if that is
    wanted (node None: it isn't); `shown`: it is on the path that is shown.
    """

    message: Message
    number: int = 0
    node: Node | None = None
    shown: bool = True


Pictures = Mapping[str, bytes]
"""By digest; those that are gone aren't in it."""


class Form(Protocol):
    """A file that is being written, from a thread. All may raise OSError.

    `whole`: messages of other versions are wanted too, after those that are shown.
    """

    whole: bool

    def begin(self, info: ConversationInfo) -> None: ...

    def add(self, entry: Entry, pictures: Pictures) -> None: ...

    def end(self) -> None:
        """All is there: finish the file."""
        ...

    def drop(self) -> None:
        """Nothing comes of it. Does nothing after `end`."""
        ...


def pictures_of(message: Message) -> Iterator[Image | ResultImage]:
    """What the person and the tools have shown, in its order."""
    for block in message.blocks:
        yield from pictures_in(block)


def pictures_in(block: Block) -> Iterator[Image | ResultImage]:
    if isinstance(block, Image):
        yield block
    elif isinstance(block, ToolUse):
        yield from block.images


def speaker(message: Message, name: str) -> str:
    """`name` is the companion's."""
    return tr("You") if message.role is Role.USER else name or tr("Companion")


def when(message: Message) -> str:
    return datetime.fromtimestamp(message.created).astimezone().strftime("%Y-%m-%d %H:%M")
