"""One incremental reader for all dialects whose calls are written between markers.

Only text that can still become a marker is held back. Markers in code and in thinking are text. A
dialect's `Form` defines its markers and what happens to the text between them.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from neodeskpet.core.wire import CueReached, ResponseFinished, TextDelta, WireEvent

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_KEPT = 256  # of a line: enough to see a fence, so an endless line costs nothing


class FenceTracker:
    """Feed it text in any pieces; `open` tells the state at the end of what it was fed."""

    def __init__(self) -> None:
        self._line = ""
        self._mark = ""  # the fence that is open, "" if none

    @property
    def open(self) -> bool:
        """Also true on the rest of the line that opens a fence."""
        return bool(self._mark) or self._opens(self._line)

    @property
    def inside(self) -> bool:
        """On the lines after the one that opens a fence: what is on them can't change that."""
        return bool(self._mark)

    def feed(self, text: str) -> None:
        *lines, last = text.split("\n")
        for line in lines:
            self._end_line((self._line + line[:_KEPT])[:_KEPT])
            self._line = ""
        self._line = (self._line + last[:_KEPT])[:_KEPT]

    def after(self, text: str) -> bool:
        """What `open` would be once `text` was fed."""
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
"""Characters that an end mark has at most."""


@dataclass(frozen=True, slots=True)
class BlockBody:
    """What stood in a block, what follows its end, and the `mark` between the two."""

    text: str
    rest: str
    mark: str = field(default="", compare=False)


class BlockBodyReader:
    """Feed text until a `Body` is returned. `closing` is the end mark, which begins with "<"."""

    def __init__(self, closing: re.Pattern[str]) -> None:
        self.text = ""
        """All that was fed."""
        self._closing = closing
        self._at = 0  # looked at so far
        self._quoted = False

    def feed(self, text: str) -> BlockBody | None:
        self.text += text
        return self._look(whole=False)

    def finish(self) -> BlockBody | None:
        """The reply is over; None where no end mark is in it."""
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
                break  # what it escapes is still to come
            elif sign == '"':
                self._quoted = not self._quoted
            self._at = step.end()
        return None

    def _body(self, mark: re.Match[str]) -> BlockBody:
        return BlockBody(self.text[: mark.start()], self.text[mark.end() :], mark[0])


class MarkedBlock(Protocol):
    """What stands between two marks, fed until it ends."""

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        """What it tells; what follows it where it ended, else None."""
        ...

    def finish(self) -> Generator[WireEvent, None, str]:
        """The reply is over before the block was: what it tells, and what is to be read again."""
        ...


class MarkerSyntax(Protocol):
    """A dialect's marks in one response. `trailing`: signs that may hang on to a mark; `spans`:
    code spans are code, as fences are.
    """

    @property
    def marks(self) -> re.Pattern[str]: ...

    @property
    def trailing(self) -> str: ...

    @property
    def spans(self) -> bool: ...

    def partial(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a mark."""
        ...

    def ends_line(self, mark: str) -> bool:
        """Whether a line ends at this mark or beginning of one, and a code fence closed on it."""
        ...

    def is_marker(self, mark: re.Match[str]) -> bool:
        """Whether it is more than text at this place."""
        ...

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | CueReached | str:
        """The block that it opens, what it tells, or what is shown in its place."""
        ...

    def shown_text(self, text: str) -> str:
        """What is shown of `text`, which may be any part of what stands between two marks."""
        ...

    def hides_unfinished(self, held: str) -> bool:
        """Whether this beginning of a mark, with which the reply ends, is more than text."""
        ...


class MarkerReader:
    """One response: text in, text and what the blocks tell out."""

    def __init__(self, form: MarkerSyntax) -> None:
        self._form = form
        self._held = ""
        self._fences = FenceTracker()
        self._ticks = False  # a code span is open on this line
        self._block: MarkedBlock | None = None
        self._met = False  # the last thing read was a mark: signs may hang on to it
        self._index = 0

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        if isinstance(event, TextDelta):
            self._index = event.index
            return list(self._take(event.text))
        if isinstance(event, ResponseFinished):
            return [*self._flush(), event]
        return (event,)

    def pause(self) -> Iterable[WireEvent]:
        return ()  # it holds nothing but marks

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
        """Show text up to a mark; returns what follows it."""
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
        """What is shown of `text`, from which may follow that code begins or ends."""
        shown = self._form.shown_text(text) if text else ""
        self._fences.feed(shown)
        line = shown.rpartition("\n")[2]
        if len(line) < len(shown):
            self._ticks = False
        self._ticks ^= bool(line.count("`") % 2)
        return shown

    def _flush(self) -> Iterator[WireEvent]:
        """At the end: half a mark was text, unless nobody writes that by chance."""
        while self._block is not None:
            block, self._block = self._block, None
            rest = yield from block.finish()
            yield from self._take(rest)
        held, self._held = self._held, ""
        if not self._form.hides_unfinished(held):
            yield from self._show(held)


class IgnoredRest:
    """A block without an end: the model makes up what its calls gave, and all that follows builds
    on that.
    """

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        return None
        yield

    def finish(self) -> Generator[WireEvent, None, str]:
        return ""
        yield
