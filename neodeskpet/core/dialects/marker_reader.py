"""An incremental reader for all dialects with calls between markers.

Only text that can still become a marker is held back. Markers in code and in thinking are text. The
`MarkerSyntax` of a dialect defines its markers and how the text between them is shown.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.wire import CueReached, ResponseFinished, TextDelta, WireEvent

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_KEPT = 256  # of a line: enough to detect a fence, so an endless line costs nothing


class FenceTracker:
    """Tracks code fences in text that is fed in any pieces; `open` is the state at its end."""

    def __init__(self) -> None:
        self._line = ""
        self._mark = ""  # the fence that is open, "" if none

    @property
    def open(self) -> bool:
        """Whether a fence is open; also true on the rest of the line that opens it."""
        return bool(self._mark) or self._opens(self._line)

    @property
    def inside(self) -> bool:
        """Whether the current line is inside a fence, so that it can only end after this line."""
        return bool(self._mark)

    def feed(self, text: str) -> None:
        *lines, last = text.split("\n")
        for line in lines:
            self._end_line((self._line + line[:_KEPT])[:_KEPT])
            self._line = ""
        self._line = (self._line + last[:_KEPT])[:_KEPT]

    def after(self, text: str) -> bool:
        """Return the value of `open` after `text`."""
        ahead = copy.copy(self)
        ahead.feed(text)
        return ahead.open

    def _opens(self, line: str) -> bool:
        match = _FENCE.match(line)
        return match is not None and not (match["mark"][0] == "`" and "`" in match["info"])

    def _end_line(self, line: str) -> None:
        match = _FENCE.match(line)
        if match is None:
            return
        mark = match["mark"]
        if not self._mark:
            self._mark = mark if self._opens(line) else ""
        elif (
            mark[0] == self._mark[0] and len(mark) >= len(self._mark) and not match["info"].strip()
        ):
            self._mark = ""


_STEP = re.compile(r'[^"\\<]+|\\.|["<\\]', re.DOTALL)
_LONGEST = 24
"""Highest number of characters in an end mark."""


@dataclass(frozen=True, slots=True)
class BlockBody:
    """The content of a block, the text after its end, and the `mark` between them."""

    text: str
    rest: str
    mark: str = field(default="", compare=False)


class BlockBodyReader:
    """Feed text until a `BlockBody` is returned. `closing` matches the end mark, which begins with
    "<".
    """

    def __init__(self, closing: re.Pattern[str]) -> None:
        self.text = ""
        """All text so far."""
        self._closing = closing
        self._at = 0  # position up to which it was examined
        self._quoted = False

    def feed(self, text: str) -> BlockBody | None:
        self.text += text
        return self._look(whole=False)

    def finish(self) -> BlockBody | None:
        """Return the body at the end of the reply; None if there is no end mark."""
        found = self._look(whole=True)
        if found is None:
            mark = self._closing.search(self.text)
            found = mark and self._body(mark)
        return found

    def _look(self, *, whole: bool) -> BlockBody | None:
        for step in _STEP.finditer(self.text, self._at):
            sign = step[0]
            if sign == "<" and not self._quoted:
                mark = self._closing.match(self.text, self._at)
                if mark is not None:
                    return self._body(mark)
                if not whole and len(self.text) - self._at < _LONGEST:
                    break
            elif sign == "\\" and not whole and self._at + 1 == len(self.text):
                break  # the escaped character is missing
            elif sign == '"':
                self._quoted = not self._quoted
            self._at = step.end()
        return None

    def _body(self, mark: re.Match[str]) -> BlockBody:
        return BlockBody(self.text[: mark.start()], self.text[mark.end() :], mark[0])


class MarkedBlock(Protocol):
    """The content between two marks, fed until it ends."""

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        """Yield its events; return the text after its end, or None while it is open."""
        ...

    def finish(self) -> Generator[WireEvent, None, str]:
        """Handle the end of the reply inside the block: yield its events, and return text to read
        again.
        """
        ...


class MarkerSyntax(Protocol):
    """The marks of a dialect in one response. `trailing`: characters that may follow a mark
    directly and are dropped; `spans`: code spans count as code, as fences do.
    """

    @property
    def marks(self) -> re.Pattern[str]: ...

    @property
    def trailing(self) -> str: ...

    @property
    def spans(self) -> bool: ...

    def partial(self, text: str) -> int:
        """Return how many characters at the end of `text` may be the beginning of a mark."""
        ...

    def ends_line(self, mark: str) -> bool:
        """Return whether this mark, or partial mark, ends a line, so that a code fence can close
        there.
        """
        ...

    def is_marker(self, mark: re.Match[str]) -> bool:
        """Return whether the mark is a marker at this position and not text."""
        ...

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | CueReached | str:
        """Return the block that the mark opens, or a cue, or the text that is shown instead."""
        ...

    def shown_text(self, text: str) -> str:
        """Return the shown form of `text`, any part of the text between two marks."""
        ...

    def hides_unfinished(self, held: str) -> bool:
        """Return whether this partial mark at the end of the reply is hidden."""
        ...


class BlockSyntax:
    """The defaults of a `MarkerSyntax` whose marks only begin and end blocks."""

    def ends_line(self, mark: str) -> bool:
        return False

    def is_marker(self, mark: re.Match[str]) -> bool:
        return True

    def shown_text(self, text: str) -> str:
        return text


class MarkerReader:
    """Reads one response: takes text, yields text and the events of blocks."""

    def __init__(self, form: MarkerSyntax) -> None:
        self._form = form
        self._held = ""
        self._fences = FenceTracker()
        self._ticks = False  # a code span is open on this line
        self._block: MarkedBlock | None = None
        self._met = False  # the last thing read was a mark; `trailing` may follow
        self._index = 0

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        if isinstance(event, TextDelta):
            self._index = event.index
            return list(self._take(event.text))
        if isinstance(event, ResponseFinished):
            return [*self._flush(), event]
        return (event,)

    def pause(self) -> Iterable[WireEvent]:
        return ()  # only marks are held

    def _take(self, text: str) -> Iterator[WireEvent]:
        rest = text
        while rest:
            if self._met:
                rest = rest.lstrip(self._form.trailing)
                if not rest:
                    return
                self._met = False
            if self._block is None:
                rest = yield from self._take_text(rest)
            else:
                rest = yield from self._take_block(self._block, rest)

    def _take_text(self, text: str) -> Generator[WireEvent, None, str]:
        """Show text up to a mark; return the text after it."""
        buffer, self._held = self._held + text, ""
        start = 0
        for mark in self._form.marks.finditer(buffer):
            yield from self._show(buffer[start : mark.start()])
            start = mark.start()
            if self._in_code(mark[0]) or not self._form.is_marker(mark):
                continue
            yield from self._meet(mark)
            return buffer[mark.end() :]
        cut = len(buffer) - self._form.partial(buffer[start:])
        shown, self._held = self._note(buffer[start:cut]), buffer[cut:]
        if self._held and self._in_code(self._held):
            shown += self._note(self._held)
            self._held = ""
        yield from self._tell(shown)
        return ""

    def _meet(self, mark: re.Match[str]) -> Iterator[WireEvent]:
        self._met = True
        if self._form.ends_line(mark[0]):
            self._fences.feed("\n")
        opened = self._form.open_block(mark)
        if isinstance(opened, str):
            yield from self._show(opened)
        elif isinstance(opened, CueReached):
            yield opened
        else:
            self._block = opened

    def _take_block(self, block: MarkedBlock, text: str) -> Generator[WireEvent, None, str]:
        rest = yield from block.feed(text)
        if rest is None:
            return ""
        self._block, self._met = None, True
        return rest

    def _in_code(self, mark: str) -> bool:
        if self._form.ends_line(mark):
            return self._fences.after("\n")
        return self._fences.open or (self._form.spans and self._ticks)

    def _show(self, text: str) -> Iterator[WireEvent]:
        yield from self._tell(self._note(text))

    def _tell(self, shown: str) -> Iterator[WireEvent]:
        if shown:
            yield TextDelta(self._index, shown)

    def _note(self, text: str) -> str:
        """Return the shown form of `text`, and track code in it."""
        shown = self._form.shown_text(text) if text else ""
        self._fences.feed(shown)
        line = shown.rpartition("\n")[2]
        if len(line) < len(shown):
            self._ticks = False
        self._ticks ^= bool(line.count("`") % 2)
        return shown

    def _flush(self) -> Iterator[WireEvent]:
        """Handle the end of the reply: a partial mark is text, unless it is too unusual
        for that.
        """
        while self._block is not None:
            block, self._block = self._block, None
            rest = yield from block.finish()
            yield from self._take(rest)
        held, self._held = self._held, ""
        if not self._form.hides_unfinished(held):
            yield from self._show(held)


class IgnoredRest:
    """A block without an end: the model has invented the result of its call, and everything after
    it is based on that.
    """

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        return None
        yield

    def finish(self) -> Generator[WireEvent, None, str]:
        return ""
        yield
