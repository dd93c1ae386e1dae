"""What of a source isn't in the knowledge base, in words for the person."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.documents.reader import omission_words
from neodeskpet.language import tr
from neodeskpet.memory.knowledge.library import KnowledgeSource, KnownFile

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
