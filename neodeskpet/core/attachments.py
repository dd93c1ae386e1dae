"""Pictures and files that will be attached to a message, and what a reader left out of a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from neodeskpet.core.i18n import N_, fill


class Omission(StrEnum):
    """A kind of content that was left out. The values are stored."""

    AFTER_LIMIT = "after_limit"
    """The text after the limit; its count is the characters that were read."""
    PAGES_AFTER_LIMIT = "pages_after_limit"
    PICTURE_PAGES = "picture_pages"
    """Pages with pictures and without text, such as scanned ones."""
    BROKEN_PAGES = "broken_pages"
    UNMAPPED = "unmapped"
    """Characters of a PDF whose font doesn't say which letters they are."""
    CHAPTERS = "chapters"
    """Chapters that the book lists and whose files are missing or damaged."""
    EMBEDDED = "embedded"
    """Files and objects inside the file."""
    FORMULAS = "formulas"
    """Formulas of a table whose results aren't stored in the file."""


OMISSION_TEXTS = {
    Omission.AFTER_LIMIT: N_("everything after the first {count} characters"),
    Omission.PAGES_AFTER_LIMIT: N_("pages at the end: {count}"),
    Omission.PICTURE_PAGES: N_("pages that hold only pictures: {count}"),
    Omission.BROKEN_PAGES: N_("damaged pages: {count}"),
    Omission.UNMAPPED: N_("characters without a Unicode mapping: {count}"),
    Omission.CHAPTERS: N_("chapters that are missing or damaged: {count}"),
    Omission.EMBEDDED: N_("files and objects inside it: {count}"),
    Omission.FORMULAS: N_("formulas without a stored result: {count}"),
}


@dataclass(frozen=True, slots=True)
class Omitted:
    what: Omission
    count: int

    def __str__(self) -> str:
        """Return the text for a model, in English."""
        return fill(OMISSION_TEXTS[self.what], {"count": f"{self.count:,}"})


def omitted_of(counts: Counter[Omission]) -> tuple[Omitted, ...]:
    """Return the omissions with a count above zero, in a fixed order."""
    return tuple(Omitted(what, counts[what]) for what in Omission if counts[what] > 0)


def read_omitted(stored: Iterable[object]) -> tuple[Omitted, ...]:
    """Read omissions from JSON objects of the form `{"what": …, "count": …}`. Raises ValueError,
    KeyError or TypeError.
    """
    return tuple(
        Omitted(Omission(one["what"]), int(one["count"]))  # type: ignore[index]
        for one in stored
    )


MOST_ATTACHMENTS = 8
"""The highest number of pictures and files in one message."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture within the size limits (`storage.image_resize` ensures them). `digest` is
    the SHA-256 of its content in hex. `name` is the name of the file, "" if it has none. `quoted`:
    it comes from an earlier message that is being replied to.
    """

    digest: str
    data: bytes = field(repr=False)
    media_type: str
    name: str = ""
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class FileText:
    """The text that was read from a file. `size` is the size of the file in bytes. `pages` is the
    number of pages (0: the file has none), of which the first `pages_read` are in `text`. `cut`:
    the file has more text. `omitted` lists parts of the file that can't be read. `encoding` is the
    encoding of a plain text.
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
    def digest(self) -> str:
        """The SHA-256 of name and text in hex, which identifies the file in a message."""
        return name_by_content(f"{self.name}\0{self.text}".encode("utf-8", "replace"))


AttachedContent = Picture | FileText
"""What can be attached to a message."""


def name_by_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture_text(description: str, *, quoted: bool = False) -> str:
    """Return the text that replaces a picture for a model that can't see pictures."""
    return f"[{'回复图片' if quoted else '图片'}:{' '.join(description.split())}]"
