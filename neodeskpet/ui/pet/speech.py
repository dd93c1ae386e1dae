"""One thing said in a bubble: its lines, its pages, how long a page takes to read."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextLayout, QTextOption

_CJK = 0x2E80
_CJK_SECONDS, _OTHER_SECONDS = 0.13, 0.05
_SHORTEST, _LONGEST = 1.8, 12.0
MOST_PAGES = 12
"""What is longer is for the chat, not for a bubble."""


def break_lines(text: str, font: QFont, width: float) -> list[str]:
    """`text` in lines at most `width` pixels wide (but for spaces at their ends); a word that is
    wider is broken anywhere.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        units = _units(paragraph)
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, length = line.textStart(), line.textLength()
            lines.append(_part(paragraph, units, start, length))
        layout.endLayout()
    return lines


def _units(text: str) -> bytes | None:
    """Qt counts UTF-16 units; an emoji is two of them. None where each character is one."""
    return text.encode("utf-16-le") if max(text, default="") > "\uffff" else None


def _part(text: str, units: bytes | None, start: int, length: int) -> str:
    if units is None:
        return text[start : start + length]
    return units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")


def reading_seconds(text: str) -> float:
    """How long a person takes for `text`."""
    wide = sum(ord(character) >= _CJK for character in text)
    seconds = 0.6 + wide * _CJK_SECONDS + (len(text) - wide) * _OTHER_SECONDS
    return min(_LONGEST, max(_SHORTEST, seconds))


class Speech:
    """Grows by sentences and is read page by page. `font` and `width` (px) are the bubble's.

    A sentence stands on one page if a page can hold it, so that no page has a lonely last word.
    """

    def __init__(
        self, font: QFont, width: float, lines_per_page: int, tail: str = "", *, sign: str = ""
    ) -> None:
        self.sign = sign
        """The icon before the words, "" for none."""
        self._font = font
        self._width = width
        self._per_page = lines_per_page
        self._tail = tail
        self._pages: list[list[str]] = []
        self._open = ""
        self.full = False
        """Nothing more is taken in."""
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
        """The lines of the present page."""
        return [line.rstrip() for line in self._pages[self.page]] if self._pages else []

    @property
    def text(self) -> str:
        """The present page as one text, for reading time and screen readers."""
        return " ".join(self.lines)

    def add(self, sentence: str) -> None:
        """One more sentence, with the space or line break before it. What is beyond MOST_PAGES is
        left out, and `tail` (a word about where the rest is) ends the last page.
        """
        if self.full:
            return
        if not self._pages:
            self._turn_over(sentence.lstrip())
            return
        text = self._open + sentence
        lines = self._broken(text)
        if len(lines) <= self._per_page:
            self._pages[-1], self._open = lines, text
        elif len(self._pages) >= MOST_PAGES:
            self.close()
        else:
            self._turn_over(sentence.lstrip())

    def turn(self) -> bool:
        """Go to the next page; False when this is the last."""
        if self.last_page:
            return False
        self.page += 1
        return True

    def _turn_over(self, text: str) -> None:
        """Begin a page with `text`; what is longer than a page is shared evenly among several."""
        lines = self._broken(text)
        if not lines:
            return
        count = -(-len(lines) // self._per_page)
        share = -(-len(lines) // count)
        self._pages += [lines[at : at + share] for at in range(0, len(lines), share)]
        self._open = "".join(self._pages[-1])
        if len(self._pages) > MOST_PAGES:
            del self._pages[MOST_PAGES:]
            self.close()

    def close(self) -> None:
        """Take in no more: the last page says where the rest is."""
        if self.full:
            return
        self.full = True
        end = self._broken(self._tail)
        last = self._pages[-1][: self._per_page - len(end)] if self._pages else []
        self._pages[-1:] = [last + end]

    def _broken(self, text: str) -> list[str]:
        lines = break_lines(text, self._font, self._width) if text.strip() else []
        return [line for line in lines if line.strip()]
