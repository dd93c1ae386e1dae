"""The marks around the person's words, which a weak model may write itself: they aren't shown.

A chat's requests have `⟦person: 2026-11-23 Mon 15:20⟧` … `⟦/person⟧` around what the person wrote
(`conversation/prompt.py`). What a model says between such marks, or after one, is its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from neodeskpet.core.dialects.dialect import ReplyReader
from neodeskpet.core.dialects.marked import MarkedBlock, MarkerReader
from neodeskpet.core.wire import WireEvent

_MARK = re.compile(r"⟦/?person(?::[^⟧\n]{0,40})?⟧", re.IGNORECASE)
_USER_MARK_BEGUN = re.compile(
    r"⟦/?(?:p(?:e(?:r(?:s(?:o(?:n(?::[^⟧\n]{0,40})?)?)?)?)?)?)?$",
    re.IGNORECASE,
)


class _UserMarkSyntax:
    """The marks of one response, as `Form`."""

    marks = _MARK
    trailing = "\n"
    spans = True

    def partial(self, text: str) -> int:
        begun = _USER_MARK_BEGUN.search(text, max(0, len(text) - 64))
        return len(text) - begun.start() if begun else 0

    def ends_line(self, mark: str) -> bool:
        return False

    def is_marker(self, mark: re.Match[str]) -> bool:
        return True

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | str:
        return ""

    def shown_text(self, text: str) -> str:
        return text

    def hides_unfinished(self, held: str) -> bool:
        return False


class UserMarkReader:
    """What `inner` reads, without the marks."""

    def __init__(self, inner: ReplyReader) -> None:
        self._inner = inner
        self._marks = MarkerReader(_UserMarkSyntax())

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        for read in self._inner.read(event):
            yield from self._marks.read(read)

    def pause(self) -> Iterable[WireEvent]:
        for read in self._inner.pause():
            yield from self._marks.read(read)
