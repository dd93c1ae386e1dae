"""The pages of a text that grows by sentences, and the pills in it that stand for code, tables and
formulas. No window, no font, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

PILL_SPACE = "\u2007"
"""The space at each end of a pill."""
_NO_BREAK_SPACE, _WORD_JOINER = "\u00a0", "\u2060"


class PillKind(StrEnum):
    """What a pill stands for. The value is the invisible mark around its label in a line."""

    CODE = "\u2061"
    TABLE = "\u2062"
    FORMULA = "\u2063"


_MARKS = "".join(PillKind)
_PILL = re.compile(f"([{_MARKS}])([^{_MARKS}]*)\\1")


def pill(kind: PillKind, label: str) -> str:
    """Return the text of a pill. No line ends in it: its spaces don't break, and its characters are
    joined where a line could end between them.
    """
    joined = _WORD_JOINER.join(label.replace(" ", _NO_BREAK_SPACE))
    return f"{kind}{PILL_SPACE}{joined}{PILL_SPACE}{kind}"


def split_pills(line: str) -> list[tuple[PillKind | None, str]]:
    """Return the parts of a line in order: words (None), and the labels of pills."""
    parts: list[tuple[PillKind | None, str]] = []
    at = 0
    for found in _PILL.finditer(line):
        if found.start() > at:
            parts.append((None, line[at : found.start()]))
        label = found[2].replace(_WORD_JOINER, "").replace(_NO_BREAK_SPACE, " ").strip(PILL_SPACE)
        parts.append((PillKind(found[1]), label))
        at = found.end()
    return [*parts, (None, line[at:])] if at < len(line) else parts


def readable_text(text: str, names: Callable[[PillKind, str], str] = lambda _, label: label) -> str:
    """Return a text with the label of each pill, or what `names` returns for its kind and label."""
    parts = split_pills(text)
    return "".join(part if kind is None else names(kind, part) for kind, part in parts)


MOST_PAGES = 12
"""Longer texts are shown only in the chat."""

_CLAUSE_END = re.compile(r"(?<=[，；：、])|(?<=[,;:])(?=\s)")
"""A place where a reader pauses within a sentence."""

LineBreaker = Callable[[str], list[str]]
"""Breaks a text into lines of the width of the bubble."""


class SpeechPages:
    """A text that grows by sentences and is read page by page.

    A sentence stays on one page if it fits, so that no page has a single last word. A line that is
    spoken by itself (`end_line`) gets its own pages.
    """

    def __init__(
        self, breaks: LineBreaker, lines_per_page: int, tail: str = "", *, sign: str = ""
    ) -> None:
        self.sign = sign
        """The icon before the words, "" for none."""
        self._breaks = breaks
        self._per_page = lines_per_page
        self._tail = tail
        self._pages: list[list[str]] = []
        self._faces: dict[int, str] = {}
        self._line = 0  # the first page of the current line
        self._closed = True  # the next text begins a page
        self._open = ""
        self.full = False
        """No more text is accepted."""
        self.page = 0
        self.ended = False

    @property
    def pages(self) -> int:
        return max(1, len(self._pages))

    @property
    def empty(self) -> bool:
        return not self._pages

    @property
    def last_page(self) -> bool:
        return self.page >= self.pages - 1

    @property
    def lines(self) -> list[str]:
        """The lines of the current page."""
        return [line.rstrip() for line in self._pages[self.page]] if self._pages else []

    @property
    def text(self) -> str:
        """The current page as one text, for the reading time and screen readers."""
        return readable_text(self.marked_text)

    @property
    def marked_text(self) -> str:
        """The current page as one text with its pills. It only grows until the text is closed."""
        lines = self._pages[self.page] if self._pages else []
        return "".join(lines).replace("\n", " ").rstrip()

    @property
    def expression(self) -> str:
        """The expression of the current page, "" for none."""
        return self._faces.get(self.page, "")

    def add(self, sentence: str) -> None:
        """Add a sentence, with the space or line break before it. Text beyond MOST_PAGES is left
        out, and a text that says where the rest is ends the last page.
        """
        if self.full:
            return
        if self._closed:
            self._turn_over(sentence.lstrip())
            return
        text = self._open + sentence
        whole, last = self._pages[-1][:-1], self._pages[-1][-1]
        # Only the last line changes, so each of thousands of short sentences costs one line.
        lines = (
            [*whole, *self._broken(last + sentence)]
            if text.isascii() and self._open.endswith(last)  # otherwise the font may differ
            else self._broken(text)
        )
        if len(lines) <= self._per_page:
            self._pages[-1], self._open = lines, text
        else:
            self._turn_over(sentence.lstrip())

    def end_line(self, face: str) -> bool:
        """End the current line, which is said with this expression ("" for none). Return whether it
        has any text.
        """
        pages = range(self._line, len(self._pages))
        if face:
            self._faces.update(dict.fromkeys(pages, face))
        self._line, self._closed = len(self._pages), True
        return bool(pages)

    def next_page(self) -> bool:
        """Go to the next page; False when this is the last."""
        if self.last_page:
            return False
        self.page += 1
        return True

    def _turn_over(self, text: str) -> None:
        """Begin a page with `text`. A text that needs several pages is divided between its clauses;
        a longer clause is spread evenly over pages.
        """
        lines = self._broken(text)
        if not lines:
            return
        if len(self._pages) >= MOST_PAGES:
            self.close()
            return
        self._closed = False
        parts = [lines] if len(lines) <= self._per_page else self._divided(text, len(lines))
        for part in parts:
            count = -(-len(part) // self._per_page)
            share = -(-len(part) // count)
            self._pages += [part[at : at + share] for at in range(0, len(part), share)]
        self._open = "".join(self._pages[-1])
        if len(self._pages) > MOST_PAGES:
            del self._pages[MOST_PAGES:]
            self.close()

    def _divided(self, text: str, lines: int) -> list[list[str]]:
        """Divide a text that has so many lines between its clauses into parts of about a page
        each. Return the lines of each part; a clause of several pages is one part.
        """
        share = -(-lines // -(-lines // self._per_page))
        parts: list[list[str]] = []
        begun, shown = "", list[str]()
        for clause in _CLAUSE_END.split(text):
            longer = self._broken(begun + clause)
            if shown and (len(shown) >= share or len(longer) > self._per_page):
                parts.append(shown)
                if len(parts) > MOST_PAGES:
                    return parts
                begun, longer = "", self._broken(clause.lstrip())
            begun, shown = (begun + clause).lstrip(), longer
        return [*parts, shown] if shown else parts

    def close(self) -> None:
        """Accept no more text; the last page says where the rest is."""
        if self.full:
            return
        self.full = True
        end = self._broken(self._tail)
        last = self._pages[-1][: self._per_page - len(end)] if self._pages else []
        if last and end:
            last[-1] = last[-1].rstrip() + "\n"
        self._pages[-1:] = [last + end]

    def _broken(self, text: str) -> list[str]:
        """Return the lines of a text, with the spaces and line breaks at their ends, so that they
        can be joined again.
        """
        lines: list[str] = []
        for paragraph in text.split("\n"):
            if paragraph.strip():
                if lines:
                    lines[-1] += "\n"
                lines += [line for line in self._breaks(paragraph) if line.strip()]
        return lines
