"""The account of a message as a report for people to send: plain Markdown, without keys and without
the names of people's folders; what was said only if that is wanted.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Sequence

from neodeskpet import __version__
from neodeskpet.language import tr
from neodeskpet.redaction import hide_home, redact
from neodeskpet.ui.inspector.account import ReportLine

MAX_TEXT_CHARS = 20_000
"""Characters of one text in a report."""


def write_report(lines: Sequence[ReportLine], *, texts: bool) -> str:
    """All lines below one another; `texts`: with what was said, sent and received."""
    where = f"NeoDeskPet {__version__} · Python {platform.python_version()} · {platform.platform()}"
    parts = [f"# {tr('What happened in this turn')}", where]
    for line in lines:
        parts += _parts(line, 2, texts)
    return hide_home(redact("\n\n".join(parts))) + "\n"


def _parts(line: ReportLine, depth: int, texts: bool) -> Iterator[str]:
    note = f" — {line.note}" if line.note else ""
    yield f"{'#' * min(depth, 6)} {_one_line(line.title + note)}"
    if line.read is not None:
        if line.is_private and not texts:
            yield tr("(left out)")
        else:
            yield _fenced(_cut(line.read()))
    for part in line.children:
        yield from _parts(part, depth + 1, texts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    half = MAX_TEXT_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - MAX_TEXT_CHARS} …]\n{text[-half:]}"


def _fenced(text: str) -> str:
    """`text` in a fence longer than any that is in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
