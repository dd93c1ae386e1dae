r"""The tag dialect: spoken lines in `<item>`, calls in `<tool>`, everything in `<messages>`.

    <messages>
    <item>Good morning!||smile</item>
    <tool><name>note.add</name><arguments>{"text": "milk"}</arguments></tool>
    </messages>

`marker_reader.py` reads it; only fences count as code. The text of a line is shown as a paragraph.
After the first `|` come its translation and its expression (`\|` is a bar of the text). The end of
the line is reported (`CueKind.LINE`), so that the line can be spoken by itself. Text with more bars
or on several lines has no such fields, so a table stays text. The tags around lines may be missing.
A call that is never closed is reported to the model as a failed call; if the model invents results
of its calls, the rest of the reply is hidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from html import escape

from neodeskpet.core.dialects.dialect import Dialect, ReplyReader, list_tools
from neodeskpet.core.dialects.marker_reader import (
    FenceTracker,
    IgnoredRest,
    MarkedBlock,
    MarkerReader,
)
from neodeskpet.core.dialects.request_block import CALL_INDEX
from neodeskpet.core.dialects.tag_block import TagBlock
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
    join_turns,
)
from neodeskpet.core.wire import (
    CueKind,
    CueReached,
    ResponseFinished,
    ToolCallReady,
    WireEvent,
)

_PROMPT = """\
Answer in this form, with nothing around it:
<messages>
<item>what you say||expression</item>
<tool><name>name of the tool</name><arguments>{"argument": "value"}</arguments></tool>
</messages>
Each <item> is one line that you say. After it may stand || and the name of an expression that \
shows while you say it. Write a bar in what you say as \\|, except in a fence of code. Each <tool> \
is a call of a tool; arguments is one JSON object, {} when it has none, and a name with ? may be \
left out. You may write several of both, in any order. The calls run once your reply has ended; \
what came of them is told to you as <tools_results>; never write that yourself. Don't explain the \
tags.

The tools:
"""

_RESULTS = "<tools_results>"
_TAGS = ("messages", "item", "tool", "tools_results")
_TAG = rf"</?(?:{'|'.join(_TAGS)})\s{{0,9}}>"
_MARK = re.compile(rf"(?P<tag>{_TAG})|\\\||\|", re.IGNORECASE)
_BEGUN = re.compile(r"</?([a-z_]*)(\s{0,9})", re.IGNORECASE)
_HALF = re.compile(r"</?[a-z_]{3}", re.IGNORECASE)
_RESULTS_END = re.compile(r"</tools_results\s{0,9}>", re.IGNORECASE)
_FIELD_END = re.compile(_TAG, re.IGNORECASE)
_BAR = re.compile(r"(?<!\\)\|")
_FIELDS = 2_000
"""Highest number of characters of translation and expression."""


class _TagSyntax:
    """The `MarkerSyntax` of one response."""

    marks = _MARK
    trailing = ""
    spans = False

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = tools
        self._calls = 0
        self._inside = False  # in an item
        self._plain = False  # whose bars are text
        self._fresh = False  # only white space since a tag
        self._newlines = 2  # at the end of the shown text

    def partial(self, text: str) -> int:
        if self._inside and text.endswith("\\"):
            return 1
        last = text.rfind("<")
        begun = _BEGUN.fullmatch(text, last) if last >= 0 else None
        if begun is None:
            return 0
        word = begun[1].lower()
        known = word in _TAGS if begun[2] else any(tag.startswith(word) for tag in _TAGS)
        return len(text) - last if known else 0

    def ends_line(self, mark: str) -> bool:
        return not mark.startswith("\\")

    def is_marker(self, mark: re.Match[str]) -> bool:
        if mark["tag"]:
            return True
        return self._inside and not (self._plain and mark[0] == "|")

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | CueReached | str:
        if mark[0] == "\\|":
            return "|"
        if mark[0] == "|":
            return _Fields(self)
        tag = mark[0].lower().rstrip("> \t\r\n")
        self._fresh = True
        if tag == "<tool":
            self._calls += 1
            return TagBlock(CALL_INDEX + self._calls - 1, self._tools)
        if tag == "<tools_results":
            return IgnoredRest() if self._calls else _InventedResults()
        if not tag.startswith("</tool"):
            ended = self._inside
            self._inside, self._plain = tag == "<item", False
            if ended:
                return CueReached(CueKind.LINE, "")
        return ""

    def shown_text(self, text: str) -> str:
        """Return each line as a paragraph, without the white space between tags."""
        if self._fresh:
            text = text.lstrip()
            if not text:
                return ""
            text = "\n" * (2 - self._newlines) + text
            self._fresh = False
        after = text.rstrip("\n")
        count = len(text) - len(after)
        self._newlines = min(2, count if after else self._newlines + count)
        return text

    def hides_unfinished(self, held: str) -> bool:
        return _HALF.match(held) is not None

    def end_line(self) -> None:
        """Record that the end of the line was yielded."""
        self._inside = False

    def undo_bar(self) -> None:
        """Treat this bar and all further ones in the item as text."""
        self._plain = True


class _Fields:
    """The text after the first bar of a line: its translation and its expression."""

    def __init__(self, lines: _TagSyntax) -> None:
        self._lines = lines
        self._text = ""

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        self._text += text
        end = _FIELD_END.search(self._text)
        said = self._text[: end.start()] if end is not None else self._text
        bars = [bar.start() for bar in _BAR.finditer(said)]
        if len(bars) > 1 or len(said) > _FIELDS + 32 or (end and len(said) > _FIELDS):
            return self._undo()
        if end is None:
            return None
        if "\n" in said.strip():
            return self._undo()
        name = said[bars[0] + 1 :].strip() if bars else ""
        self._lines.end_line()
        yield CueReached(CueKind.LINE, name)
        return self._text[end.start() :]

    def finish(self) -> Generator[WireEvent, None, str]:
        return self._undo()
        yield

    def _undo(self) -> str:
        self._lines.undo_bar()
        return f"|{self._text}"


class _InventedResults:
    """Hides results without a call."""

    def __init__(self) -> None:
        self._text = ""

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        self._text += text
        end = _RESULTS_END.search(self._text)
        if end is not None:
            return self._text[end.end() :]
        self._text = self._text[-32:]
        return None
        yield

    def finish(self) -> Generator[WireEvent, None, str]:
        return ""
        yield


class _CallsAfterReply:
    """Shows calls while the reply streams and runs them together after it: no call is complete
    before the reply is.
    """

    def __init__(self, inner: ReplyReader) -> None:
        self._inner = inner
        self._ready: list[WireEvent] = []

    def read(self, event: WireEvent) -> Iterator[WireEvent]:
        for made in self._inner.read(event):
            if isinstance(made, ToolCallReady):
                self._ready.append(made)
                continue
            if isinstance(made, ResponseFinished):
                yield from self._ready
                self._ready.clear()
            yield made

    def pause(self) -> Iterable[WireEvent]:
        return self._inner.pause()


class _ToolTag:
    name = "tool_tag"
    native = False
    stops = (_RESULTS,)

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        if not tools:
            return ""
        return _PROMPT + list_tools(tools)

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        return _CallsAfterReply(MarkerReader(_TagSyntax(tools)))

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Return text, calls and results in tags, with consecutive user messages joined."""
        return join_turns(_render(message) for message in messages)


def _render(message: ModelMessage) -> ModelMessage:
    match message:
        case AssistantTurn(parts=parts):
            words = "\n".join(line for part in parts for line in _word_part(part))
            return AssistantTurn((TextPart(f"<messages>\n{words}\n</messages>"),))
        case ToolResults(results=results):
            return UserTurn((TextPart(_word_results(results)),))
        case _:
            return message


def _word_part(part: TextPart | ThinkingPart | CallPart) -> Iterator[str]:
    match part:
        case TextPart(text=text):
            for said in _paragraphs(text):
                yield f"<item>{said}</item>"
        case CallPart(name=name, arguments=arguments):
            given = json.dumps(arguments, ensure_ascii=False)
            yield f"<tool><name>{name}</name><arguments>{given}</arguments></tool>"
        case _:
            pass


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of `text` outside code; bars outside code are escaped."""
    fences = FenceTracker()
    said: list[str] = []
    for line in text.split("\n"):
        fences.feed(line)
        code = fences.open
        fences.feed("\n")
        if line.strip() or code:
            said.append(line if code else line.replace("|", "\\|"))
        elif said:
            yield "\n".join(said)
            said = []
    if said:
        yield "\n".join(said)


def _word_results(results: Sequence[ResultPart]) -> str:
    more = "true" if any(result.continue_ for result in results) else "false"
    text = "".join(
        f"<result><name>{escape(result.name, quote=False)}</name>"
        f"<ok>{'true' if result.ok else 'false'}</ok>"
        f"<data>{escape(result.output, quote=False)}</data></result>"
        for result in results
    )
    return f"<tools_results><continue>{more}</continue><results>{text}</results></tools_results>"


TOOL_TAG: Dialect = _ToolTag()
