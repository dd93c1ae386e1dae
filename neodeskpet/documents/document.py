"""What was read of a file, and how it travels into a message."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from neodeskpet.core.blocks import Document
from neodeskpet.core.context import estimate_tokens
from neodeskpet.core.errors import KnownError
from neodeskpet.core.json_text import read_json
from neodeskpet.core.omissions import Omitted, read_omitted
from neodeskpet.core.picture import DOCUMENT_MEDIA_TYPE, Picture, name_by_content
from neodeskpet.core.wording import N_

MESSAGE_DOCUMENT_TOKENS = 24_000
"""Tokens (estimated) of all files of one message."""
LEAST_DOCUMENT_TOKENS = 500
"""With less room than this a file isn't begun at all."""


class DocumentRefused(KnownError):
    """`reason` says why, in words of ours."""

    code = "document"
    what = N_("“{name}” can't be taken.")
    hint = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """`text` is what was read, `size` the file's in bytes. Of its `pages` (0: it has none) the
    first `pages_read` were; `cut`: there is more than stands here. `omitted` tells what was left
    out; `encoding` is how a plain text was decoded.
    """

    name: str
    text: str
    size: int
    pages: int = 0
    pages_read: int = 0
    cut: bool = False
    omitted: tuple[Omitted, ...] = ()
    encoding: str = ""

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)

    def shortened_to(self, tokens: int) -> DocumentText:
        """No more of it than so many tokens, cut between lines or words."""
        if self.tokens <= tokens:
            return self
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high + 1) // 2
            if estimate_tokens(self.text[:middle]) <= tokens:
                low = middle
            else:
                high = middle - 1
        kept = self.text[:low]
        edge = max(kept.rfind("\n"), kept.rfind(" "))
        kept = (kept[:edge] if edge > low * 0.8 else kept).rstrip("\f")
        read = max(1, kept.count("\f") + 1) if self.pages else 0
        return replace(self, text=kept, pages_read=read, cut=True)

    def as_attachment(self) -> Picture:
        """As it is attached to a message that is being written."""
        data = json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "replace")
        return Picture(name_by_content(data), data, DOCUMENT_MEDIA_TYPE, self.name)


def document_of_attachment(attached: Picture) -> DocumentText:
    """Raises ValueError for what isn't what `packed` made."""
    told = read_json(attached.data.decode("utf-8"))
    try:
        read = DocumentText(**told)  # type: ignore[arg-type]
        return replace(read, omitted=read_omitted(read.omitted))
    except (TypeError, KeyError) as error:
        raise ValueError("no document") from error


def document_of_block(block: Document) -> DocumentText:
    """The document of an earlier message, to be sent again."""
    return DocumentText(
        *(block.name, block.text, block.size, block.pages, block.pages_read, block.cut),
        omitted=block.omitted,
    )


def block_of_attachment(attached: Picture, index: int) -> Document:
    """The block of a message for what was attached. Raises ValueError."""
    read = document_of_attachment(attached)
    return Document(
        *(index, 0, read.text, read.name, read.size, read.pages, read.pages_read, read.cut),
        omitted=read.omitted,
    )
