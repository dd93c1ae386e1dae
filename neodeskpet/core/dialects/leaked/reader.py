"""Extracts leaked calls from the text of a reply.

The text is read incrementally, with any split; only text that may still become a call is held back.
Openings that are words are held back only at the beginning of a line, and only until the stream
pauses. Code fences and code spans contain no calls. Text that occurs literally in the messages sent
is no call either: a page, a tool result or the user may quote one. In thinking only calls in
special tokens count, because models quote JSON, XML and words there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from neodeskpet.core.dialects.dialect import PassThroughReader, ReplyReader
from neodeskpet.core.dialects.leaked.attempt import Found, attempt
from neodeskpet.core.dialects.leaked.duplicates import Duplicates, Parsed
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.openings import in_tokens, is_blank, is_word, offered_openings
from neodeskpet.core.dialects.leaked.quotes import Quotes
from neodeskpet.core.dialects.leaked.source import (
    Call,
    Family,
    PlainText,
    Reading,
    Source,
    Thought,
    ToolTable,
    any_of,
)
from neodeskpet.core.dialects.marker_reader import FenceTracker
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    DescriptionFailed,
    LoadingAnnounced,
    ModelNamed,
    PictureDescribed,
    ResponseFinished,
    RetryAnnounced,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)

LEAK_INDEX = 2_000_000
"""Wire indices of leaked calls begin here, separate from those of decoders and text dialects."""

_ASIDE = (
    UsageReported
    | ModelNamed
    | RetryAnnounced
    | DescriptionAnnounced
    | PictureDescribed
    | DescriptionFailed
    | LoadingAnnounced
)
"""Events that may come between two pieces of one text."""

_LINE_KEPT = 64
_RECENT = 160
"""Characters before a call that may show that it is an example."""
_WORDS = re.compile(r"[^\n\[{(<]*")


@dataclass(frozen=True, slots=True)
class _Common:
    """The state that the readers of the text and of the thinking share."""

    tools: ToolTable
    quotes: Quotes
    duplicates: Duplicates
    numbers: Iterator[int]


class LeakReader:
    """Extracts leaked calls from the events of `inner`. `tools` are the offered tools; `sent` are
    the texts that the model was sent and may quote; `families` are the forms to read.
    """

    def __init__(
        self,
        inner: ReplyReader,
        tools: Sequence[ToolSpec],
        sent: Iterable[str] = (),
        families: Sequence[Family] = FAMILIES,
        *,
        common: _Common | None = None,
    ) -> None:
        """`common` is the state of the reader of the text, if this reader reads the thinking."""
        self._inner = inner
        self._direct = type(inner) is PassThroughReader
        if common is None:
            table = ToolTable({tool.name: tool for tool in tools})
            common = _Common(table, Quotes(sent), Duplicates(table), count(LEAK_INDEX))
            sealed = in_tokens(tuple(families))
            self._thoughts = LeakReader(PassThroughReader(), (), (), sealed, common=common)
        self._common = common
        self._quotes = common.quotes
        self._tools = common.tools
        self._duplicates = common.duplicates
        self._openings = offered_openings(tuple(families), self._tools.heard)
        self._thinks = False  # the last event was thinking
        self._search, self._glance = self._openings.search, self._openings.glance
        self._index = 0
        self._calls = 0
        self._held = ""
        self._given = 0  # characters of it that are already shown
        self._source: Source | None = None
        self._reading: Reading[Found]
        self._thought: Thought | None = None
        self._shown = ""
        self._out: list[WireEvent] = []
        self._idle = True  # nothing is held back, and no thinking is open
        self._passed: list[str] = []  # shown, but not yet noted
        self._pass = self._passed.append
        # Of the shown text:
        self._said = False  # it has more than white space
        self._blank = True  # the line has only white space
        self._fences = FenceTracker()
        self._line = ""
        self._recent = ""  # its end
        self._ticks = False  # an odd number of them on this line: a code span is open

    def read(self, event: WireEvent) -> Iterable[WireEvent]:
        made = (event,) if self._direct else self._inner.read(event)
        if type(event) is TextDelta and (
            self._direct or (type(made) is tuple and made and made[0] is event)
        ):
            text = event.text
            if (  # the common case: a shortcut for `_passes`
                text
                and self._idle
                and not self._blank
                and event.index == self._index
                and "\n" not in text
                and self._search(text) is None
            ):
                self._pass(text)
                return made
            return made if self._passes(event) else self._read(event)
        out: list[WireEvent] = []
        for one in made:
            if type(one) is TextDelta and self._passes(one):
                out.append(one)
            else:
                out += self._read(one)
        return out

    def _passes(self, delta: TextDelta) -> bool:
        """Return whether the delta passes unchanged, as nearly all do; it is recorded for later."""
        text = delta.text
        if not (text and self._idle and delta.index == self._index) or (
            self._search(text) is not None
            and self._glance(" " + text) is not None
            and self._openings.find(text, self._before, blank=self._blank) >= 0
        ):
            return False
        self._pass(text)
        if self._blank or "\n" in text:
            self._blank = is_blank(text, len(text), self._blank)
        return True

    def pause(self) -> Iterable[WireEvent]:
        """Show held words when a slow model pauses. If they become a call later, they stay visible
        before it.
        """
        out = [made for event in self._inner.pause() for made in self._read(event)]
        if self._held and self._thought is None and is_word(self._held):
            words = _WORDS.match(self._held)
            assert words is not None, "it fits any text"
            self._shown += self._held[self._given : words.end()]
            self._given = max(self._given, words.end())
            self._tell()
        events, self._out = self._out, []
        return [*out, *events]

    def _read(self, event: WireEvent) -> Sequence[WireEvent]:
        if isinstance(event, TextDelta):
            return (*self._end_thoughts(), *self._read_text(event))
        if isinstance(event, ThinkingDelta) and event.text:
            return self._read_thinking(event)
        if isinstance(event, _ASIDE):
            if isinstance(event, PictureDescribed):
                self._quotes.add(event.description)
            return (event,)
        ended = (*self._take("", ended=True), *self._end_thoughts())
        if isinstance(event, Parsed):
            return (*ended, *self._duplicates.parsed(event))
        if isinstance(event, ResponseFinished):
            ended = (*ended, *self._duplicates.end())
        return (*ended, event)

    def _read_thinking(self, delta: ThinkingDelta) -> Sequence[WireEvent]:
        ended = self._take("", ended=True)
        self._thinks = True
        read = self._thoughts.read(TextDelta(delta.index, delta.text))
        thought = [_as_thinking(one) for one in read]
        sealed = [ThinkingDelta(delta.index, "", delta.opaque)] if delta.opaque else []
        return (*ended, *thought, *sealed)

    def _end_thoughts(self) -> Sequence[WireEvent]:
        """Return the held part of thinking that has ended."""
        if not self._thinks:
            return ()
        self._thinks = False
        return [_as_thinking(one) for one in self._thoughts.flush()]

    def flush(self) -> Sequence[WireEvent]:
        """Return the held events as if the reply ended here."""
        return self._take("", ended=True)

    def _read_text(self, delta: TextDelta) -> Sequence[WireEvent]:
        ended: Sequence[WireEvent] = ()
        if delta.index != self._index:
            ended = self._take("", ended=True)
            self._index = delta.index
        return (*ended, *self._take(delta.text, ended=False))

    def _take(self, text: str, *, ended: bool) -> Sequence[WireEvent]:
        if self._passed:
            passed = "".join(self._passed)
            self._passed.clear()
            self._note(passed)
        self._held += text
        if self._source is not None:
            self._source.feed(text)
        more = bool(self._held)
        while more and self._held:
            if self._thought is not None:
                more = self._think(self._thought, ended=ended)
            elif self._source is not None:
                more = self._attempt(self._source, ended=ended)
            else:
                more = self._look(ended=ended)
        self._idle = not self._held and self._thought is None
        self._tell()
        events, self._out = self._out, []
        return events

    # Each of these returns whether more of the held text can be processed.

    def _look(self, *, ended: bool) -> bool:
        """Show text up to where a call may begin."""
        begun = self._openings.find(self._held, self._before, blank=self._blank)
        if begun < 0:
            self._show(len(self._held))
            return False
        self._show(begun)
        if self._fences.inside:
            self._show((self._held.find("\n") + 1) or len(self._held))
        elif self._fences.open or self._ticks:
            self._show(1)
        elif not ended and self._openings.waits(self._held):
            return False
        else:
            called = self._calls > 0
            self._source = Source(
                self._tools, self._line, called=called, said=self._said, recent=self._recent
            )
            self._source.feed(self._held)
            self._reading = attempt(self._source, self._openings)
        return True

    def _attempt(self, source: Source, *, ended: bool) -> bool:
        source.ended = ended
        try:
            while True:
                next(self._reading)
                if not ended:
                    return False
        except StopIteration as stop:
            found: Found = stop.value
        self._source = None
        block = self._held[: found.end]
        calls = any(isinstance(item, Call) for item in found.items)
        if not found.items or (calls and self._quotes.hold(block)):
            self._show(found.end)
            return True
        given = min(self._given, found.end)
        self._given -= given
        self._note(self._held[:given])
        self._held = self._held[found.end :]
        for item in found.items:
            if isinstance(item, Call):
                self._call(item)
            elif isinstance(item, Thought):
                self._thought = item
            elif isinstance(item, PlainText):
                self._shown += item.text
                self._note(item.text)
        return True

    def _think(self, thought: Thought, *, ended: bool) -> bool:
        ends = thought.ends + thought.kept
        match = any_of(ends).search(self._held)
        if match is None:
            cut = len(self._held) - (0 if ended else partial(self._held, ends))
            rest = self._held[cut:]
        else:
            cut = match.start()
            rest = self._held[cut if match.group() in thought.kept else match.end() :]
            self._thought = None
        if cut and thought.said:
            self._shown += self._held[:cut]
            self._note(self._held[:cut])
        elif cut:
            self._tell()
            self._out.append(ThinkingDelta(self._index, self._held[:cut]))
        if match is not None and match.group() in thought.kept:  # the next message begins
            self._line, self._blank, self._ticks = "", True, False
        self._held = rest
        return match is not None

    # Output

    def _call(self, call: Call) -> None:
        """Emit a call. A call that was cut off gets no `ToolCallReady`: the model gets an error
        that it was not run.
        """
        self._tell()
        index = next(self._common.numbers)
        self._calls += 1
        events: list[WireEvent] = [ToolCallStarted(index, "", call.name, leaked=True)]
        if call.arguments is not None:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            events += [ToolArgsDelta(index, arguments), ToolCallReady(index)]
        self._out += self._duplicates.leaked(call.name, call.arguments, events)

    def _show(self, length: int) -> None:
        text, self._held = self._held[:length], self._held[length:]
        self._shown += text[self._given :]
        self._given = max(0, self._given - length)
        self._note(text)

    def _tell(self) -> None:
        """Emit the shown text as one delta."""
        text, self._shown = self._shown, ""
        if text:
            self._out.append(TextDelta(self._index, text))

    def _before(self) -> str:
        """Return the end of the shown text on the current line."""
        return self._line + "".join(self._passed[-_LINE_KEPT:])

    def _note(self, text: str) -> None:
        """Update the state of the shown text after `text`."""
        self._fences.feed(text)
        self._recent = (self._recent + text)[-_RECENT:]
        self._said = self._said or bool(text.strip())
        self._blank = is_blank(text, len(text), self._blank)
        line = text.rpartition("\n")[2]
        if len(line) < len(text):
            self._line, self._ticks = "", False
        self._line = (self._line + line)[-_LINE_KEPT:]
        self._ticks ^= bool(line.count("`") % 2)


def _as_thinking(event: WireEvent) -> WireEvent:
    return ThinkingDelta(event.index, event.text) if isinstance(event, TextDelta) else event


def partial(text: str, words: Sequence[str]) -> int:
    """Return how many characters at the end of `text` are the beginning of one of `words`."""
    longest = max(map(len, words)) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(word.startswith(text[-length:]) for word in words):
            return length
    return 0
