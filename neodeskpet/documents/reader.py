"""Reads a file as text, in a process with limits of memory and time: what people drop was often
made by others, and a PDF or an archive may be made to do harm.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neodeskpet.children import Answering
from neodeskpet.core.wording import N_
from neodeskpet.documents.document import DocumentRefused, ReadText

SECONDS = 20.0
"""What one file may take."""
LARGEST = 64_000_000
"""Bytes of a file."""

REASONS = {
    "folder": N_("It is a folder: drop the files in it."),
    "gone": N_("It isn't there any more, or it is no file."),
    "large": N_("It is too large."),
    "encrypted": N_("It is encrypted: save a copy without a password."),
    "old_word": N_("It is a Word file of the old kind: save it as .docx."),
    "empty": N_("There is no text in it: it is empty, or holds only pictures."),
    "broken": N_("It is damaged, or it isn't what its name says."),
    "bomb": N_("It unpacks to far more than it is."),
    "binary": N_("It is neither a text nor a document that can be read."),
    "slow": N_("Reading it took too long or too much memory."),
}


def read_document(path: Path, *, seconds: float = SECONDS) -> ReadText:
    """The text of a file. Slow: for a thread. Raises DocumentRefused."""
    size = size_of(path)
    child = Answering("document", seconds)
    try:
        answer = child.ask(json.dumps(str(path)).encode())
    finally:
        child.end()
    if answer is None:
        raise refused(path, "slow")
    told: dict[str, Any] = json.loads(answer)
    if "refused" in told:
        raise refused(path, told["refused"], told.get("detail", ""))
    return ReadText(path.name, told["text"], size, told["pages"], told["pages_read"], told["cut"])


def size_of(path: Path) -> int:
    """The bytes of a file that may be read. Raises DocumentRefused."""
    try:
        if path.is_dir():
            raise refused(path, "folder")
        if not path.is_file():
            raise refused(path, "gone")
        size = path.stat().st_size
    except OSError as error:
        raise DocumentRefused(str(error), name=path.name) from None
    if size > LARGEST:
        raise refused(path, "large")
    return size


def refused(path: Path, why: str, detail: str = "") -> DocumentRefused:
    """`why` is one of `REASONS`."""
    return DocumentRefused(detail, name=path.name, reason=REASONS[why])
