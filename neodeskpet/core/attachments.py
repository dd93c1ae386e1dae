"""Pictures and files on their way into a message, and what a reader left out of a file."""

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
    """Chapters that the book names and that aren't in its file, or are damaged."""
    EMBEDDED = "embedded"
    """Files and objects inside the file."""
    FORMULAS = "formulas"
    """Formulas of a table whose results aren't stored in the file."""


OMISSION_TEXTS = {
    Omission.AFTER_LIMIT: N_("everything after the first {count} characters"),
    Omission.PAGES_AFTER_LIMIT: N_("pages at the end: {count}"),
    Omission.PICTURE_PAGES: N_("pages that hold only pictures: {count}"),
    Omission.BROKEN_PAGES: N_("damaged pages: {count}"),
    Omission.UNMAPPED: N_("characters whose letters the file doesn't name: {count}"),
    Omission.CHAPTERS: N_("chapters that are missing or damaged: {count}"),
    Omission.EMBEDDED: N_("files and objects inside it: {count}"),
    Omission.FORMULAS: N_("formulas without a stored result: {count}"),
}


@dataclass(frozen=True, slots=True)
class Omitted:
    what: Omission
    count: int

    def __str__(self) -> str:
        """In English, for a model."""
        return fill(OMISSION_TEXTS[self.what], {"count": f"{self.count:,}"})


def omitted_of(counts: Counter[Omission]) -> tuple[Omitted, ...]:
    """What was left out at all, always in the same order."""
    return tuple(Omitted(what, counts[what]) for what in Omission if counts[what] > 0)


def read_omitted(stored: Iterable[object]) -> tuple[Omitted, ...]:
    """Of JSON: `{"what": …, "count": …}` each. Raises ValueError, KeyError or TypeError."""
    return tuple(
        Omitted(Omission(one["what"]), int(one["count"]))  # type: ignore[index]
        for one in stored
    )


MOST_ATTACHMENTS = 8
"""Pictures and files that one message takes."""


DOCUMENT_MEDIA_TYPE = "application/x-neodeskpet-document"
"""The type of what was read of a file. On its way into a message it goes where pictures go."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture within the limits (`storage.image_resize` makes it so). `digest` names it
    by its
    content: sha256, hex. `name` is the file's, "" if it has none. `quoted`: it is from an earlier
    message that is replied to.
    """

    digest: str
    data: bytes = field(repr=False)
    media_type: str
    name: str = ""
    quoted: bool = False


def name_by_content(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def picture_text(description: str, *, quoted: bool = False) -> str:
    """What a model that can't see reads in the place of a picture."""
    return f"[{'回复图片' if quoted else '图片'}:{' '.join(description.split())}]"
