"""Reads the text of a file in a child process with limits of memory and time, and converts it to an
attachment and a block of a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import (
    DOCUMENT_MEDIA_TYPE,
    OMISSION_TEXTS,
    Omitted,
    Picture,
    name_by_content,
    read_omitted,
)
from neodeskpet.core.blocks import Document
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import read_json
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.language import tr
from neodeskpet.platform.child_process import FrameWorker

MESSAGE_DOCUMENT_TOKENS = 24_000
"""Most tokens (estimated) of all files of one message."""
LEAST_DOCUMENT_TOKENS = 500
"""If fewer tokens than this are left, a file is skipped."""


class DocumentRefused(KnownError):
    """The file can't be read; `reason` is the text that says why."""

    code = "document"
    what = N_("“{name}” can't be read.")
    hint = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a file. `size` is the file's size in bytes. `pages_read` of its `pages` (0: it
    has none) were read. `cut`: the file has more text. `omitted` are the kinds of content left out;
    `encoding` is the encoding of a plain text.
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
        """Return the document shortened to `tokens`, cut at a line or word."""
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
        """Return the attachment for a draft."""
        data = json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "replace")
        return Picture(name_by_content(data), data, DOCUMENT_MEDIA_TYPE, self.name)


def document_of_attachment(attached: Picture) -> DocumentText:
    """Read the document from an attachment made by `as_attachment`. Raises ValueError for any other
    picture.
    """
    told = read_json(attached.data.decode("utf-8"))
    try:
        read = DocumentText(**told)  # type: ignore[arg-type]
        return replace(read, omitted=read_omitted(read.omitted))
    except (TypeError, KeyError) as error:
        raise ValueError("no document") from error


def document_of_block(block: Document) -> DocumentText:
    """Return the document of a stored block, to be sent again."""
    return DocumentText(
        block.name,
        block.text,
        block.size,
        block.pages,
        block.pages_read,
        block.cut,
        omitted=block.omitted,
    )


def block_of_attachment(attached: Picture, index: int) -> Document:
    """Return the message block for an attachment. Raises ValueError."""
    read = document_of_attachment(attached)
    return Document(
        index,
        0,
        read.text,
        read.name,
        read.size,
        read.pages,
        read.pages_read,
        read.cut,
        omitted=read.omitted,
    )


READ_SECONDS = 20.0
"""Time limit for one file, in seconds."""
MOST_FILE_BYTES = 64_000_000
"""Most bytes of a file."""

REFUSAL_REASONS = {
    "folder": N_("It is a folder: drop its files instead."),
    "gone": N_("It no longer exists, or it isn't a file."),
    "large": N_("It is too large."),
    "encrypted": N_("It is encrypted: save a copy without a password."),
    "old_word": N_("It is in an old Office format: save it as .docx, .xlsx or .pptx."),
    "drm": N_("It is protected by a shop (DRM), so only the shop's own reader can open it."),
    "kindle": N_("It is a Kindle book, which can't be read: save it as EPUB."),
    "empty": N_("It has no text: it is empty, or has only pictures."),
    "broken": N_("It is damaged, or its type doesn't match its name."),
    "bomb": N_("It unpacks to far more data than allowed."),
    "binary": N_("It is neither text nor a supported document."),
    "slow": N_("Reading it took too long or too much memory."),
}


def omission_words(omitted: Iterable[Omitted]) -> str:
    """Describe the content that was left out, "" if there is none."""
    told = [tr(OMISSION_TEXTS[one.what], count=f"{one.count:,}") for one in omitted]
    return tr("Left out: {what}", what=tr(", ").join(told)) if told else ""


def read_document(
    path: Path, *, seconds: float = READ_SECONDS, language: str = "", encoding: str = ""
) -> DocumentText:
    """Read the text of a file. Slow: call it in a thread. Raises DocumentRefused. `encoding` is
    that of a plain text; if it is "", the encoding is detected with `language` (as in "zh_CN") as a
    hint.
    """
    size = size_of(path)
    asked = {"path": str(path), "language": language, "encoding": encoding}
    child = FrameWorker("document", seconds)
    try:
        answer = child.ask(json.dumps(asked).encode())
    finally:
        child.close()
    if answer is None:
        raise document_refused(path, "slow")
    told: dict[str, Any] = json.loads(answer)
    if "refused" in told:
        raise document_refused(path, told["refused"], told.get("detail", ""))
    return DocumentText(
        path.name,
        told["text"],
        size,
        told["pages"],
        told["pages_read"],
        told["cut"],
        omitted=read_omitted(told["omitted"]),
        encoding=told["encoding"],
    )


def size_of(path: Path) -> int:
    """Return the size of a readable file in bytes. Raises DocumentRefused."""
    try:
        if path.is_dir():
            raise document_refused(path, "folder")
        if not path.is_file():
            raise document_refused(path, "gone")
        size = path.stat().st_size
    except OSError as error:
        raise DocumentRefused(str(error), name=path.name) from None
    if size > MOST_FILE_BYTES:
        raise document_refused(path, "large")
    return size


def document_refused(path: Path, why: str, detail: str = "") -> DocumentRefused:
    """Return the error; `why` is a key of `REFUSAL_REASONS`."""
    return DocumentRefused(detail, name=path.name, reason=REFUSAL_REASONS[why])
