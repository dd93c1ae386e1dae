"""One thing said in a bubble: its lines on pages, and the expression of each page."""

from __future__ import annotations

from collections.abc import Callable

MOST_PAGES = 12
"""What is longer is for the chat, not for a bubble."""

LineBreaker = Callable[[str], list[str]]
"""Text in the lines that it takes, as wide as the bubble."""


class SpeechPages:
    """Grows by sentences and is read page by page.

    A sentence stands on one page if a page can hold it, so that no page has a lonely last word.
    What was said as a line of its own (`end_line`) has its pages for itself.
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
        self._line = 0  # the page on which the present line began
        self._closed = True  # what comes begins a page
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

    @property
    def expression(self) -> str:
        """The expression of the present page, "" for none."""
        return self._faces.get(self.page, "")

    def add(self, sentence: str) -> None:
        """One more sentence, with the space or line break before it. What is beyond MOST_PAGES is
        left out, and `tail` (a word about where the rest is) ends the last page.
        """
        if self.full:
            return
        if self._closed:
            self._turn_over(sentence.lstrip())
            return
        text = self._open + sentence
        whole, last = self._pages[-1][:-1], self._pages[-1][-1]
        # It changes the last line alone, so each of thousands of tiny sentences costs one line.
        lines = (
            [*whole, *self._broken(last + sentence)]
            if text.isascii() and self._open.endswith(last)  # else the font may be another one
            else self._broken(text)
        )
        if len(lines) <= self._per_page:
            self._pages[-1], self._open = lines, text
        else:
            self._turn_over(sentence.lstrip())

    def end_line(self, face: str) -> bool:
        """What was added since the last line is one, said with this expression ("" for none).
        Whether there are words to say.
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
        """Begin a page with `text`; what is longer than a page is shared evenly among several."""
        lines = self._broken(text)
        if not lines:
            return
        if len(self._pages) >= MOST_PAGES:
            self.close()
            return
        self._closed = False
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
        lines = self._breaks(text) if text.strip() else []
        return [line for line in lines if line.strip()]
