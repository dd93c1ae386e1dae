"""Reads the text of a file in a child process with limits of memory and time, and converts it to an
attachment and a block of a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from neodeskpet.core.attachments import OMISSION_TEXTS, FileText, Omitted, read_omitted
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
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


def shorten(read: FileText, tokens: int) -> FileText:
    """Return at most `tokens` (estimated) of the text, cut between lines or words."""
    if estimate_tokens(read.text) <= tokens:
        return read
    low, high = 0, len(read.text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(read.text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    kept = read.text[:low]
    edge = max(kept.rfind("\n"), kept.rfind(" "))
    kept = (kept[:edge] if edge > low * 0.8 else kept).rstrip("\f")
    pages = max(1, kept.count("\f") + 1) if read.pages else 0
    return replace(read, text=kept, pages_read=pages, cut=True)


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
    lines = [tr(OMISSION_TEXTS[one.what], count=f"{one.count:,}") for one in omitted]
    return tr("Left out: {what}", what=tr(", ").join(lines)) if lines else ""


def read_document(
    path: Path, *, seconds: float = READ_SECONDS, language: str = "", encoding: str = ""
) -> FileText:
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
    reply: dict[str, Any] = json.loads(answer)
    if "refused" in reply:
        raise document_refused(path, reply["refused"], reply.get("detail", ""))
    return FileText(
        path.name,
        reply["text"],
        size,
        reply["pages"],
        reply["pages_read"],
        reply["cut"],
        omitted=read_omitted(reply["omitted"]),
        encoding=reply["encoding"],
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
