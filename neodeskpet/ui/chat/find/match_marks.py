"""Highlights of painted text: all matches, and the current one."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QTextDocument

from neodeskpet.core.text_search import SearchPattern, utf16_spans

_MAX_KEPT = 256


@dataclass(slots=True)
class MatchMarks:
    """`current` is the text of the current match and its number. Positions count UTF-16 units over
    the whole text, so formats within a word don't matter.
    """

    needle: SearchPattern = field(default_factory=lambda: SearchPattern(()))
    current: tuple[object, int] | None = None
    _known: dict[object, tuple[tuple[int, int], list[tuple[int, int]]]] = field(
        default_factory=dict
    )

    def set_needle(self, needle: SearchPattern) -> None:
        self.needle = needle
        self.current = None
        self._known.clear()

    def match_positions(self, owner: object, document: QTextDocument) -> list[tuple[int, int]]:
        """Return the spans of the matches in the document of `owner`."""
        if not self.needle:
            return []
        state = document.revision(), document.characterCount()
        known = self._known.get(owner)
        if known is not None and known[0] == state:
            return known[1]
        text = document.toRawText()
        found = utf16_spans(text, self.needle.spans(text))
        if len(self._known) > _MAX_KEPT:
            self._known.clear()
        self._known[owner] = (state, found)
        return found

    def marked_spans(self, owner: object, document: QTextDocument) -> list[tuple[int, int, bool]]:
        """Return the spans of the matches, and whether each is the current one."""
        found = self.match_positions(owner, document)
        here = self.current[1] if self.current is not None and self.current[0] is owner else -1
        return [(start, end, at == here) for at, (start, end) in enumerate(found)]
