"""Readers around a dialect's reader: one extracts cues such as `[表情:smile]` from the text, the
other removes the user's message markers that weak models write themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from neodeskpet.core.dialects.dialect import ReplyReader
from neodeskpet.core.dialects.marker_reader import FenceTracker, MarkedBlock, MarkerReader
from neodeskpet.core.wire import (
    CueKind,
    CueReached,
    DescriptionFailed,
    RefusalDelta,
    ResponseFinished,
    TextDelta,
    ThinkingDelta,
    ToolCallStarted,
    WireEvent,
)

_KINDS = {
    "表情": CueKind.EXPRESSION,
    "expression": CueKind.EXPRESSION,
    "动作": CueKind.MOTION,
    "motion": CueKind.MOTION,
}
_LONGEST = 64
_WORDS = "|".join(_KINDS)
_CUE = re.compile(
    rf"\[(?P<kind>{_WORDS}) ?[:：](?P<name>[^\[\]\n]{{1,{_LONGEST}}})\]", re.IGNORECASE
)
_BEGUN = re.compile(rf"\[(?:{_WORDS})(?: ?[:：][^\[\]\n]{{0,{_LONGEST}}}| )?\Z", re.IGNORECASE)
_ENDS_TEXT = (
    RefusalDelta,
    ThinkingDelta,
    ToolCallStarted,
    DescriptionFailed,
    ResponseFinished,
    CueReached,  # of the dialect: the end of a line
)
"""Events that end a block of text. Other events may come inside a cue: some services report the
usage with each chunk.
"""
_OPENINGS = tuple(f"[{word}" for word in _KINDS)


class CueReader:
    """Extracts cues from the events of `inner`; a cue is yielded after all text before it."""

    def __init__(self, inner: ReplyReader) -> None:
        self._inner = inner
        self._held = ""
        self._index = 0
        self._fences = FenceTracker()
        self._spaced = True  # the shown text ends with white space (or is empty)
        self._cued = False  # the last thing read was a cue: a space after it may be dropped

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        return self._read(self._inner.read(event))

    def pause(self) -> Iterable[WireEvent]:
        return self._read(self._inner.pause())

    def _read(self, events: Iterable[WireEvent]) -> Iterator[WireEvent]:
        for read in events:
            if isinstance(read, TextDelta):
                if read.index != self._index:
                    yield from self._flush()
                self._index = read.index
                yield from self._take(read.text)
            else:
                if isinstance(read, _ENDS_TEXT):
                    yield from self._flush()
                yield read
                if isinstance(read, ResponseFinished):
                    return

    def _take(self, text: str) -> Iterator[WireEvent]:
        text, self._held = self._held + text, ""
        start = 0
        for match in _CUE.finditer(text):
            yield from self._show(text[start : match.start()])
            start = match.start()
            if self._fences.open:
                continue
            start = match.end()
            self._cued = True
            yield CueReached(_KINDS[match["kind"].lower()], match["name"].strip())
        cut = len(text) - partial_cue(text[start:])
        if cut < len(text) and self._fences.after(text[start:cut]):
            cut = len(text)
        self._held = text[cut:]
        yield from self._show(text[start:cut])

    def _show(self, text: str) -> Iterator[WireEvent]:
        """Yield `text`, without the space if there was one on both sides of a cue."""
        if self._cued and self._spaced and text.startswith(" "):
            text = text[1:]
            self._cued = False
        if text:
            self._cued = False
            self._spaced = text[-1].isspace()
            self._fences.feed(text)
            yield TextDelta(self._index, text)

    def _flush(self) -> Iterator[WireEvent]:
        text, self._held = self._held, ""
        yield from self._show(text)


def partial_cue(text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of a cue."""
    at = text.rfind("[")
    if at < 0:
        return 0
    tail = text[at:]
    begun = _BEGUN.match(tail) or any(word.startswith(tail.lower()) for word in _OPENINGS)
    return len(tail) if begun else 0


_MARK = re.compile(r"⟦/?person(?::[^⟧\n]{0,40})?⟧", re.IGNORECASE)
_USER_MARK_BEGUN = re.compile(
    r"⟦/?(?:p(?:e(?:r(?:s(?:o(?:n(?::[^⟧\n]{0,40})?)?)?)?)?)?)?$",
    re.IGNORECASE,
)


class _UserMarkSyntax:
    """The `MarkerSyntax` of one response."""

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
    """Removes the marks from the events of `inner`."""

    def __init__(self, inner: ReplyReader) -> None:
        self._inner = inner
        self._marks = MarkerReader(_UserMarkSyntax())

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        for read in self._inner.read(event):
            yield from self._marks.read(read)

    def pause(self) -> Iterable[WireEvent]:
        for read in self._inner.pause():
            yield from self._marks.read(read)
