"""Splits a document into passages along its structure (pages, headings, paragraphs, definitions in
code), as large as is useful at once. Pure.

Nothing is lost: the passages joined are the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from neodeskpet.core.token_budget import estimate_tokens

MAX_TOKENS = 320
"""Highest number of tokens (estimated) of a passage."""
TARGET_TOKENS = 220
"""From this number of tokens on, the next paragraph begins a new passage."""
MIN_TOKENS = 40
"""A smaller passage is joined with the next one, even across a heading."""
_MAX_HEADING = 80

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"(?:=|-|~|\^|\*){3,}[ \t]*$")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_DEFINITION = re.compile(
    r"[ \t]{0,8}(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|"
    r"sealed|open|override|virtual|inline|unsafe|extern|const|pub(?:\([a-z ]+\))?|declare|local)"
    r"[ \t]+)*"
    r"((?:def|class|function|func|fun|fn|impl|struct|interface|enum|trait|module|namespace|"
    r"protocol|record|object|sub|procedure|defmodule|defp?|create[ \t]+(?:table|view|function))"
    r"\b[ \t*]+[^\n({:;=]{1,80})",
    re.IGNORECASE,
)
_DECORATOR = re.compile(r"[ \t]*(?:@\w|#\[)")
_SENTENCE_END = re.compile(r"[.!?。！？；;](?:[\"'”’)）」]*\s+|(?<=[。！？；]))")


@dataclass(frozen=True, slots=True)
class Passage:
    """`start` is its offset in the document in characters; `line` counts from 1, `page` too (0: the
    document has no pages). `heading` is the heading above it, or the definition that contains it.
    """

    text: str
    start: int
    line: int
    page: int = 0
    heading: str = ""


class _Boundary(IntEnum):
    """The size of the unit that begins at a line."""

    NOTHING = 0
    PARAGRAPH = 1
    SECTION = 2
    PAGE = 3


@dataclass(frozen=True, slots=True)
class _TextUnit:
    text: str
    edge: _Boundary
    heading: str


def split_passages(text: str, *, code: bool = False, paged: bool = False) -> list[Passage]:
    """Return the passages of a document. `code`: its lines are source code without headings;
    `paged`: a form feed separates pages.
    """
    passages: list[Passage] = []
    start, line, page = 0, 1, 1
    for said, heading in _group_units(_units(text, code=code)):
        blank = said[: len(said) - len(said.lstrip())]
        first = page + blank.count("\f")
        passages.append(
            Passage(said, start, line + blank.count("\n"), first if paged else 0, heading)
        )
        start += len(said)
        line += said.count("\n")
        page += said.count("\f")
    return passages


def _group_units(units: Iterator[_TextUnit]) -> Iterator[tuple[str, str]]:
    """Group units that belong together and fit, with their heading."""
    held, heading = "", ""
    for unit in units:
        if held and _starts_passage(held, unit):
            yield held, heading
            held, heading = "", ""
        if not held.strip():
            heading = unit.heading
        held += unit.text
    if held:
        yield held, heading


def _starts_passage(held: str, unit: _TextUnit) -> bool:
    """Return whether `unit` begins a new passage after the held text."""
    size = estimate_tokens(held)
    together = estimate_tokens(held + unit.text)
    if together > MAX_TOKENS:
        return True
    if not held.strip():
        return False
    if unit.edge is _Boundary.PAGE:
        return True
    if unit.edge is _Boundary.SECTION:
        return size >= MIN_TOKENS
    return together > TARGET_TOKENS and size >= MIN_TOKENS


def _units(text: str, *, code: bool) -> Iterator[_TextUnit]:
    """Yield the units to keep together, none larger than a passage."""
    for unit in _split_blocks(text, code=code):
        if estimate_tokens(unit.text) <= MAX_TOKENS:
            yield unit
            continue
        edge = unit.edge
        for piece in _split_long(unit.text):
            yield _TextUnit(piece, edge, unit.heading)
            edge = _Boundary.NOTHING


class _HeadingPath:
    """The headings above a line."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title[:_MAX_HEADING].strip()))

    @property
    def text(self) -> str:
        return " › ".join(title for _, title in self._open[-3:])


def _split_blocks(text: str, *, code: bool) -> Iterator[_TextUnit]:
    lines = re.findall(r"[^\n\f]*(?:\n|\f|$)", text)
    mark = _code_boundaries if code else _prose_boundaries
    held: list[str] = []
    edge, heading = _Boundary.NOTHING, ""
    for line, here, title in mark(lines):
        if here is not _Boundary.NOTHING and held:
            yield _TextUnit("".join(held), edge, heading)
            held = []
        if not held:
            edge = here
        heading = title  # of the last one: decorators are above the name of a definition
        held.append(line)
    if held:
        yield _TextUnit("".join(held), edge, heading)


def _prose_boundaries(lines: list[str]) -> Iterator[tuple[str, _Boundary, str]]:
    """Yield each line, the unit that begins with it, and its heading."""
    trail = _HeadingPath()
    fenced = after_page = False
    after_blank = True
    for at, line in enumerate(lines):
        edge = _Boundary.NOTHING
        if after_page:
            edge, fenced = _Boundary.PAGE, False
        elif after_blank and line.strip() and not fenced:
            edge = _Boundary.PARAGRAPH
        found = None if fenced else _heading(line, lines[at + 1] if at + 1 < len(lines) else "")
        if found is not None:
            trail.enter(*found)
            edge = max(edge, _Boundary.SECTION)
        if _FENCE.match(line):
            fenced = not fenced
        after_page = line.endswith("\f")
        after_blank = not line.strip()
        yield line, edge, trail.text


def _heading(line: str, below: str) -> tuple[int, str] | None:
    """Return the level and the text of a heading, or None."""
    found = _HEADING.match(line)
    if found:
        return len(found[1]), found[2]
    title = line.strip()
    if not title or len(title) > _MAX_HEADING or title[0] in "|-=*~^>":
        return None
    under = _UNDERLINE.match(below.strip())
    if under and len(below.strip()) >= min(len(title), 3):
        return (1 if below.strip()[0] == "=" else 2), title
    return None


def _code_boundaries(lines: list[str]) -> Iterator[tuple[str, _Boundary, str]]:
    name = ""
    decorated = after_blank = False
    for line in lines:
        edge = _Boundary.PARAGRAPH if after_blank and line.strip() else _Boundary.NOTHING
        found = _DEFINITION.match(line)
        if found:
            name = " ".join(found[1].split())
            edge = _Boundary.NOTHING if decorated else _Boundary.SECTION
        elif _DECORATOR.match(line) and not decorated:
            edge = _Boundary.SECTION
        decorated = bool(_DECORATOR.match(line)) or (decorated and not found and bool(line.strip()))
        after_blank = not line.strip()
        yield line, edge, name


def _split_long(text: str) -> Iterator[str]:
    """Split `text` into small enough pieces: between lines, sentences, words, or anywhere."""
    at = 0
    while at < len(text):
        end = at + _max_chars(text[at : at + MAX_TOKENS * 4])
        if end < len(text):
            end = at + _cut_position(text[at:end])
        yield text[at:end]
        at = end


def _max_chars(text: str) -> int:
    """Return how many characters of it fit into a passage."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= MAX_TOKENS:
            low = middle
        else:
            high = middle - 1
    return low


def _cut_position(text: str) -> int:
    """Return where to cut, in the second half of `text`."""
    half = len(text) // 2
    line = text.rfind("\n") + 1
    if line > half:
        return line
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, half)]
    if sentences and sentences[-1] > half:
        return sentences[-1]
    word = text.rfind(" ") + 1
    return word if word > half else len(text)
