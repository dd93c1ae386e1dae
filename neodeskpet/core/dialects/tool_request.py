"""The default text dialect: TOOL_REQUEST blocks in the reply, TOOL_RESULT blocks as the answer.

Read incrementally at any split. Only what may still become a marker is held back, so a marker is
never shown, not even half of one. Markers inside code fences or thinking don't count. A block that
is never closed is reported to the model as a failed call; its text stays hidden. Once the model
makes up the result of a call it made, the rest of the reply is hidden. Slips in the marks are read
by `leaked/families/plain/request_slips.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence

from neodeskpet.core.dialects.dialect import Dialect, Reader
from neodeskpet.core.dialects.fences import FenceTracker
from neodeskpet.core.dialects.request_block import CALL_INDEX, BlockEnd, RequestBlock
from neodeskpet.core.dialects.request_markers import MARKER, partial_marker
from neodeskpet.core.dialects.signature import sign
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
)
from neodeskpet.core.wire import ResponseFinished, TextDelta, WireEvent

_CLOSING = re.compile("「(末ESCAPE」)", re.IGNORECASE)

_PROMPT = """\
You can use tools. To call one, write a block like this in your reply, exactly in this form:
<<<[TOOL_REQUEST]>>>
tool_name:「始」name of the tool「末」
input_json:「始」{"argument": "value"}「末」
<<<[END_TOOL_REQUEST]>>>
input_json is one JSON object with the tool's arguments; use {} when it has none. A name with ? \
may be left out. Write \
「始ESCAPE」 and 「末ESCAPE」 instead of 「始」 and 「末」 around a value that contains such marks.
You may write several blocks in one reply, with text before, between and after them. The results \
come back to you as TOOL_RESULT blocks; never write those yourself. Don't explain the blocks.

The tools:
"""


class _RequestReader:
    """One response: text in, text and tool calls out."""

    def __init__(self) -> None:
        self._held = ""
        self._fences = FenceTracker()
        self._block: RequestBlock | None = None
        self._swallowing = False  # a TOOL_RESULT the model made up
        self._over = False  # it made up what a call of it gave: all that follows builds on that
        self._after_marker = False
        self._calls = 0
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
        rest: str | None = "" if self._over else text
        while rest:
            if self._after_marker:
                rest = rest.lstrip(">》")  # a third ">" that came a delta later
                if not rest:
                    return
                self._after_marker = False
            if self._block is not None:
                rest = yield from self._take_block(self._block, rest)
            elif self._swallowing:
                rest = self._swallow(rest)
            else:
                rest = yield from self._take_text(rest)

    def _take_text(self, text: str) -> Generator[WireEvent, None, str]:
        """Show text up to a marker; returns what follows the marker."""
        buffer, self._held = self._held + text, ""
        start = 0
        for match in MARKER.finditer(buffer):
            yield from self._show(buffer[start : match.start()])
            start = match.start()
            if self._fences.open:
                continue
            self._meet(match)
            return buffer[match.end() :]
        cut = len(buffer) - partial_marker(buffer[start:])
        if cut < len(buffer) and self._fences.after(buffer[start:cut]):
            cut = len(buffer)
        self._held = buffer[cut:]
        yield from self._show(buffer[start:cut])
        return ""

    def _meet(self, marker: re.Match[str]) -> None:
        self._after_marker = True
        if marker["end"]:
            return  # closes nothing: dropped
        if marker["kind"].upper() == "REQUEST":
            self._block = RequestBlock(CALL_INDEX + self._calls)
            self._calls += 1
        else:
            self._swallowing = True
            self._over = self._calls > 0

    def _take_block(self, block: RequestBlock, text: str) -> Generator[WireEvent, None, str]:
        end: BlockEnd | None = yield from block.feed(text)
        if end is None:
            return ""
        self._block = None
        self._after_marker = not end.cut
        return end.rest

    def _swallow(self, text: str) -> str:
        """Hide a made-up result up to the next marker, which is met as text meets one."""
        if self._over:
            return ""
        buffer, self._held = self._held + text, ""
        marker = MARKER.search(buffer)
        if marker is None:
            self._held = buffer[len(buffer) - partial_marker(buffer) :]
            return ""
        self._swallowing = False
        return buffer[marker.start() :]

    def _show(self, text: str) -> Iterator[WireEvent]:
        if text:
            self._fences.feed(text)
            yield TextDelta(self._index, text)

    def _flush(self) -> Iterator[WireEvent]:
        """At the end: half a marker stays hidden, a lone "<" was text."""
        if self._block is not None:
            yield from self._block.abandon()
            self._block = None
        elif not self._swallowing and self._held and not self._held.startswith("<<"):
            yield from self._show(self._held)
        self._held = ""


class _ToolRequest:
    name = "tool_request"
    native = False
    stops = ("<<<[TOOL_RESULT]>>>",)

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        if not tools:
            return ""
        return _PROMPT + "\n".join(_describe(tool) for tool in tools)

    def reader(self) -> Reader:
        return _RequestReader()

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Calls and results as text; two user messages in a row become one."""
        out: list[ModelMessage] = []
        for message in messages:
            rendered = _render(message)
            last = out[-1] if out else None
            if isinstance(rendered, UserTurn) and isinstance(last, UserTurn):
                out[-1] = UserTurn(last.parts + rendered.parts)
            else:
                out.append(rendered)
        return out


def _describe(tool: ToolSpec) -> str:
    return f"- {tool.name} {sign(tool.parameters)}: {tool.description}"


def _render(message: ModelMessage) -> ModelMessage:
    match message:
        case AssistantTurn(parts=parts):
            text = "\n".join(_word_part(part) for part in parts if not _is_thinking(part))
            return AssistantTurn((TextPart(text),))
        case ToolResults(results=results):
            return UserTurn(tuple(TextPart(_word_result(result)) for result in results))
        case _:
            return message


def _is_thinking(part: TextPart | ThinkingPart | CallPart) -> bool:
    return isinstance(part, ThinkingPart)


def _word_part(part: TextPart | ThinkingPart | CallPart) -> str:
    if not isinstance(part, CallPart):
        return part.text
    arguments = json.dumps(part.arguments, ensure_ascii=False)
    arguments = _CLOSING.sub(r"\\u300c\1", arguments)  # in JSON the same; ESCAPE can't hold it
    return (
        "<<<[TOOL_REQUEST]>>>\n"
        f"tool_name:{_enclose(part.name)}\n"
        f"input_json:{_enclose(arguments)}\n"
        "<<<[END_TOOL_REQUEST]>>>"
    )


def _word_result(result: ResultPart) -> str:
    status = "" if result.ok else "status:「始」error「末」\n"
    return (
        "<<<[TOOL_RESULT]>>>\n"
        f"tool_name:{_enclose(result.name)}\n"
        f"{status}result:{_enclose(result.output)}\n"
        "<<<[END_TOOL_RESULT]>>>"
    )


def _enclose(value: str) -> str:
    mark = "ESCAPE" if "「末" in value or MARKER.search(value) else ""
    value = _CLOSING.sub(
        r"「 \1", value
    )  # nothing can escape it; so it is parted, and closes nothing
    return f"「始{mark}」{value}「末{mark}」"


TOOL_REQUEST: Dialect = _ToolRequest()
