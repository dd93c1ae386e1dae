"""Reads a file as text, in a process with limits of memory and time: what people drop was often
made by others, and a PDF or an archive may be made to do harm.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from neodeskpet.children import FrameWorker
from neodeskpet.core.omissions import OMISSION_TEXTS, Omitted, read_omitted
from neodeskpet.core.wording import N_
from neodeskpet.documents.document import DocumentRefused, DocumentText
from neodeskpet.language import tr

READ_SECONDS = 20.0
"""What one file may take."""
MOST_FILE_BYTES = 64_000_000
"""Bytes of a file."""

REFUSAL_REASONS = {
    "folder": N_("It is a folder: drop the files in it."),
    "gone": N_("It isn't there any more, or it is no file."),
    "large": N_("It is too large."),
    "encrypted": N_("It is encrypted: save a copy without a password."),
    "old_word": N_("It is an Office file of the old kind: save it as .docx, .xlsx or .pptx."),
    "drm": N_("It is protected by a shop (DRM), so only the shop's own reader can open it."),
    "kindle": N_("It is a Kindle book, which can't be read: save it as EPUB."),
    "empty": N_("There is no text in it: it is empty, or holds only pictures."),
    "broken": N_("It is damaged, or it isn't what its name says."),
    "bomb": N_("It unpacks to far more than it is."),
    "binary": N_("It is neither a text nor a document that can be read."),
    "slow": N_("Reading it took too long or too much memory."),
}


def omission_words(omitted: Iterable[Omitted]) -> str:
    """What isn't in the text that was read of a file, "" if everything is."""
    told = [tr(OMISSION_TEXTS[one.what], count=f"{one.count:,}") for one in omitted]
    return tr("Left out: {what}", what=tr(", ").join(told)) if told else ""


def read_document(
    path: Path, *, seconds: float = READ_SECONDS, language: str = "", encoding: str = ""
) -> DocumentText:
    """The text of a file. Slow: for a thread. Raises DocumentRefused. `encoding` is how a plain
    text is decoded, "" to find that out, where `language` (as in "zh_CN") is a hint.
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
        *(path.name, told["text"], size, told["pages"], told["pages_read"], told["cut"]),
        omitted=read_omitted(told["omitted"]),
        encoding=told["encoding"],
    )


def size_of(path: Path) -> int:
    """The bytes of a file that may be read. Raises DocumentRefused."""
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
    """`why` is one of `REASONS`."""
    return DocumentRefused(detail, name=path.name, reason=REFUSAL_REASONS[why])
