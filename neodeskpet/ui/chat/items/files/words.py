"""What is said of a file: how large it is, and how much of it the model reads."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale

from neodeskpet.core.omissions import Omission, Omitted
from neodeskpet.documents.reader import omission_words
from neodeskpet.language import language, tr


def format_file_info(
    size: int, pages: int, pages_read: int, *, cut: bool, omitted: Sequence[Omitted] = ()
) -> str:
    """ "1.2 MB · pages 1–12 of 340"."""
    parts = [QLocale(language()).formattedDataSize(size, 1)]
    if cut and pages:
        read = {"read": str(pages_read), "count": str(pages)}
        parts.append(tr("only pages 1–{read} of {count}", **read))
    elif cut:
        parts.append(tr("only the beginning"))
    elif pages > 1:
        parts.append(tr("{count} pages", count=str(pages)))
    limits = (Omission.AFTER_LIMIT, Omission.PAGES_AFTER_LIMIT)
    parts.append(omission_words(one for one in omitted if one.what not in limits))
    return " · ".join(filter(None, parts))
