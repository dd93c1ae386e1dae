"""Rich text (.rtf), read with striprtf.

striprtf drops notes, headers, comments and text boxes, and keeps deleted text of tracked changes.
So the markup of these groups is rewritten first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from neodeskpet.documents.reader_types import ReaderRefusal, ReadOptions, ReadResult, limit_text

_TOKEN = re.compile(r"\\bin(\d+) ?|\\([a-z]+)(-?\d+)? ?|\\\*|\\[^a-z]|[{}]|[^\\{}]+", re.IGNORECASE)
_CODE_PAGE = re.compile(rb"\\ansicpg(\d+)")
_LABELS = {"footnote": " [^ ", "annotation": " [Comment: "} | {
    f"{edge}{pages}": f"\\par [{edge.capitalize()}] "
    for edge in ("header", "footer")
    for pages in ("", "l", "r", "f")
}
"""Groups whose text striprtf drops, and the text that replaces their beginning."""
_CLOSED = frozenset({"footnote", "annotation"})
"""The groups that end with a bracket."""
_OPENED = frozenset({"shp", "shpinst", "shpgrp", "do", "dptxbxtext", "shptxt"})
"""Groups around the text of a text box."""


def read_rtf(path: Path, options: ReadOptions) -> ReadResult:
    from striprtf.striprtf import rtf_to_text

    read: Callable[..., str] = rtf_to_text

    data = path.read_bytes()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ReaderRefusal("broken")
    page = _CODE_PAGE.search(data[:4096])
    encoding = f"cp{page[1].decode()}" if page is not None else "cp1252"
    try:
        source = data.decode(encoding, "replace")
    except LookupError:
        encoding = "cp1252"
        source = data.decode(encoding, "replace")
    text = read(_with_plain_groups(source), encoding, "replace")
    lines = (line.rstrip() for line in text.split("\n"))
    return limit_text("\n".join(lines).strip(), options)


def _with_plain_groups(source: str) -> str:
    """Return the file with the groups of `_LABELS` and `_OPENED` as plain text, and without
    pictures.
    """
    out: list[str] = []
    ends: list[str] = []
    """The text to write at the end of each open group."""
    opened = starred = False
    at = 0
    while (token := _TOKEN.match(source, at)) is not None:
        at = token.end() + int(token[1] or 0)
        text, word = token[0], (token[2] or "").lower()
        if token[1]:
            continue
        if text == "{":
            out.append(text)
            ends.append("")
        elif text == "}":
            out.append((ends.pop() if ends else "") + text)
        elif text == "\\*" and opened:
            starred = True
            continue
        elif opened and word in _LABELS:
            out.append(_LABELS[word])
            ends[-1] = "]" if word in _CLOSED else "\\par "
        elif opened and word in _OPENED:
            out.append("\\par " if word in ("shptxt", "dptxbxtext") else "")
        elif word == "deleted" and token[3] != "0" and ends:
            out.append("\\*\\deletedtext ")
        else:
            out.append(("\\*" if starred else "") + text)
        opened, starred = text == "{", False
    return "".join(out)
