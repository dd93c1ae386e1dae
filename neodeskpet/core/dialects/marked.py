"""One reader for all dialects whose calls stand in the text between marks.

Read incrementally at any split. Only what may still become a mark is held back, so a mark is never
shown, not even half of one. In code, and in thinking, marks count for nothing. What the marks are,
and what becomes of what stands between them, is a dialect's `Form`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import Protocol

from neodeskpet.core.dialects.fences import FenceTracker
from neodeskpet.core.wire import CueReached, ResponseFinished, TextDelta, WireEvent


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
