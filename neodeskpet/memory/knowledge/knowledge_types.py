"""The values of the knowledge base (sources, files, passages, progress), and the lines that tell
the user what of a source is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from neodeskpet.core.attachments import Omitted
from neodeskpet.documents.document import omission_words
from neodeskpet.language import tr


class SourceKind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class KnowledgeSource:
    """Something the person added: `address` is an absolute path, or a page's. `fault` says, in
    English for translation, why nothing new can be read of it now, "" if it can. `encoding` is how
    the person wants its texts decoded, "" to find that out. Of its files `refused` couldn't be read
    and `incomplete` were read with something left out; `skipped` counts, by the ending of their
    names, those in a folder that hold no text.
    """

    id: str
    kind: SourceKind
    address: str
    added: float
    title: str = ""
    fault: str = ""
    files: int = 0
    passages: int = 0
    refused: int = 0
    incomplete: int = 0
    encoding: str = ""
    skipped: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of a source. `name` is what it is called where it is told: its path within its folder.
    `why` says why it was refused, in English for translation, "" if it was read; `pages` is 0 for
    what has none; `cut`: there is more in it than was read; `omitted` tells what was left out,
    `encoding` how a plain text was decoded.
    """

    id: str
    source: str
    path: str
    name: str
    fingerprint: str
    size: int = 0
    pages: int = 0
    is_truncated: bool = False
    refusal: str = ""
    omitted: tuple[Omitted, ...] = ()
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class KnownPassage:
    """A passage as it is kept. `start` characters of its document stand before it, `line` and
    `page` count from 1 (0: there are no pages).
    """

    id: str
    text: str
    start: int
    line: int
    page: int = 0
    heading: str = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document as it is shown: its passages, one after the other, are its text."""

    file: KnownFile
    kind: SourceKind
    passages: tuple[KnownPassage, ...]


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """A passage that answers; `label` names file and place, as a model is told and cites it."""

    passage: KnownPassage
    file: str
    label: str
    relevance: float


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """Of the indexing: `done` of `total` files that are new or changed; `name` is the one that is
    read now. Nothing is done where both are equal.
    """

    indexed: int = 0
    total: int = 0
    name: str = ""
    paused: bool = False

    @property
    def working(self) -> bool:
        return self.indexed < self.total


def passage_label(name: str, passage: KnownPassage) -> str:
    """Where something stands: `handbook.pdf, p. 12`; `notes.md › Kitchen`; `notes.txt, l. 4`."""
    one_line = " ".join(name.split()).replace("[", "(").replace("]", ")")
    if passage.page:
        return f"{one_line}, p. {passage.page}"
    heading = " ".join(passage.heading.split()).replace("[", "(").replace("]", ")")
    if heading:
        return f"{one_line} › {heading}"
    return f"{one_line}, l. {passage.line}" if passage.line > 1 else one_line


_MAX_ENDINGS = 8
"""So many endings of names are told."""


def missing_content_lines(
    source: KnowledgeSource, refused: Sequence[KnownFile], incomplete: Sequence[KnownFile]
) -> list[str]:
    """A line for each file that couldn't be read (or not whole), and how many there are beyond
    those; and one for the files without text.
    """
    lines = [tr("{name}: {text}", name=file.name, text=tr(file.refusal)) for file in refused]
    lines += _more_line(source.refused - len(refused))
    lines += [
        tr("{name}: {text}", name=file.name, text=omission_words(file.omitted))
        for file in incomplete
    ]
    lines += _more_line(source.incomplete - len(incomplete))
    if source.skipped:
        kinds = [
            f"{ending or tr('without an ending')} ({count})" for ending, count in source.skipped
        ]
        more = len(kinds) - _MAX_ENDINGS
        told = kinds[:_MAX_ENDINGS] + (
            [tr("and {count} more", count=str(more))] if more > 0 else []
        )
        count = sum(count for _, count in source.skipped)
        lines.append(
            tr("Files without text: {count} — {kinds}", count=str(count), kinds=tr(", ").join(told))
        )
    return lines


def _more_line(count: int) -> list[str]:
    return [tr("… and {count} more", count=str(count))] if count > 0 else []
