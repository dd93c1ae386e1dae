"""The values of the knowledge base (sources, files, passages, progress), and the lines that list
the missing content of a source.
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
    """A source that the user added. `address` is an absolute path, or the address of a page.
    `fault` is the reason why it can't be read now, in English for translation, "" if it can.
    `encoding` is the user's choice for its texts, "" to detect it. `refused` files could not be
    read, `incomplete` ones were read with omissions; `skipped` counts the files of a folder without
    text, by file ending.
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
    """A file of a source. `name` is its display name: the path within its folder. `refusal` is the
    reason why it was refused, in English for translation, "" if it was read. `pages` is 0 for files
    without pages. `is_truncated`: the file has more text. `omitted` lists what was left out,
    `encoding` is the encoding of a plain text.
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
    """A stored passage. `start` is its offset in the document in characters; `line` and `page`
    count from 1 (0: there are no pages).
    """

    id: str
    text: str
    start: int
    line: int
    page: int = 0
    heading: str = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document for display: its passages joined are its text."""

    file: KnownFile
    kind: SourceKind
    passages: tuple[KnownPassage, ...]


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """A passage that answers; `label` is the file and the position, as a model reads and
    cites it.
    """

    passage: KnownPassage
    file: str
    label: str
    relevance: float


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """Progress of indexing: `indexed` of `total` new or changed files; `name` is the current file.
    The indexer is idle if both are equal.
    """

    indexed: int = 0
    total: int = 0
    name: str = ""
    paused: bool = False

    @property
    def working(self) -> bool:
        return self.indexed < self.total


def passage_label(name: str, passage: KnownPassage) -> str:
    """Return the position of a passage: `handbook.pdf, p. 12`; `notes.md › Kitchen`; `notes.txt, l.
    4`.
    """
    one_line = " ".join(name.split()).replace("[", "(").replace("]", ")")
    if passage.page:
        return f"{one_line}, p. {passage.page}"
    heading = " ".join(passage.heading.split()).replace("[", "(").replace("]", ")")
    if heading:
        return f"{one_line} › {heading}"
    return f"{one_line}, l. {passage.line}" if passage.line > 1 else one_line


_MAX_ENDINGS = 8
"""Number of file endings that are listed."""


def missing_content_lines(
    source: KnowledgeSource, refused: Sequence[KnownFile], incomplete: Sequence[KnownFile]
) -> list[str]:
    """Return a line for each file that couldn't be read completely, the number of further ones, and
    a line for files without text.
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
        shown = kinds[:_MAX_ENDINGS] + (
            [tr("and {count} more", count=str(more))] if more > 0 else []
        )
        count = sum(count for _, count in source.skipped)
        lines.append(
            tr(
                "Files without text: {count} — {kinds}",
                count=str(count),
                kinds=tr(", ").join(shown),
            )
        )
    return lines


def _more_line(count: int) -> list[str]:
    return [tr("… and {count} more", count=str(count))] if count > 0 else []
