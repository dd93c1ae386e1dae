"""One thing said in a bubble: its lines, its pages, how long a page takes to read."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextLayout, QTextOption

_CJK = 0x2E80
_CJK_SECONDS, _OTHER_SECONDS = 0.13, 0.05
_SHORTEST, _LONGEST = 1.8, 12.0
MOST_PAGES = 12
"""What is longer is for the chat, not for a bubble."""


def break_lines(text: str, font: QFont, width: float) -> list[str]:
    """`text` in lines at most `width` pixels wide; a word that is wider is broken anywhere."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, length = line.textStart(), line.textLength()
            lines.append(_utf16_part(paragraph, start, length).rstrip())
        layout.endLayout()
    return lines


def _utf16_part(text: str, start: int, length: int) -> str:
    """Qt counts UTF-16 units; an emoji is two of them."""
    if text.isascii() or all(ord(character) < 0x10000 for character in text):
        return text[start : start + length]
    units = text.encode("utf-16-le")
    return units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")


def reading_seconds(text: str) -> float:
    """How long a person takes for `text`."""
    wide = sum(ord(character) >= _CJK for character in text)
    seconds = 0.6 + wide * _CJK_SECONDS + (len(text) - wide) * _OTHER_SECONDS
    return min(_LONGEST, max(_SHORTEST, seconds))


class Speech:
    """Grows by `add` and is read page by page. `font` and `width` (px) are the bubble's."""

    def __init__(self, font: QFont, width: float, lines_per_page: int, tail: str = "") -> None:
        self._font = font
        self._width = width
        self._per_page = lines_per_page
        self._tail = tail
        self._lines: list[str] = []
        self._open = ""
        self._full = False
        self._shown = ""
        self.page = 0
        self.ended = False

    @property
    def pages(self) -> int:
        return max(1, -(-len(self._lines) // self._per_page))

    @property
    def empty(self) -> bool:
        return not self._lines

    @property
    def last_page(self) -> bool:
        return self.page >= self.pages - 1

    @property
    def lines(self) -> list[str]:
        """The lines of the present page."""
        start = self.page * self._per_page
        return self._lines[start : start + self._per_page]

    @property
    def text(self) -> str:
        """The present page as one text, for reading time and screen readers."""
        return " ".join(self.lines)

    def add(self, text: str) -> None:
        """More words. Only the last paragraph is broken anew. Beyond MOST_PAGES they are left out,
        and `tail` (a word about where the rest is) ends the last page.
        """
        if self._full:
            return
        if not self._lines and not self._open:
            text = text.lstrip()
        *closed, last = (self._open + text).split("\n")
        kept = self._lines[: len(self._lines) - len(self._broken(self._open))]
        for paragraph in closed:
            kept += self._broken(paragraph)
        self._open = last
        self._lines = kept + self._broken(last)
        most = MOST_PAGES * self._per_page
        if len(self._lines) > most:
            self._full = True
            end = self._broken(self._tail)
            self._lines = self._lines[: most - len(end)] + end

    def turn(self) -> bool:
        """Go to the next page; False when this is the last."""
        if self.last_page:
            return False
        self.page += 1
        return True

    def _broken(self, paragraph: str) -> list[str]:
        return break_lines(paragraph, self._font, self._width) if paragraph.strip() else []
