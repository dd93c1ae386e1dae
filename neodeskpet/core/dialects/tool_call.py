"""Calls in windows through the text: `<tool_call>{"calls": […]}</tool_call>`, answered by windows.

Read incrementally at any split. Only what may still become a mark is held back, so a mark is never
shown, not even half of one. Marks inside code and thinking don't count. A block that is never
closed is reported to the model as a failed call; its text stays hidden. The tools that no app has
stand in a window of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from html import escape

from neodeskpet.core.dialects.call_block import TOOLS, CallBlock, read_block
from neodeskpet.core.dialects.dialect import Dialect, Reader
from neodeskpet.core.dialects.fences import FenceTracker
from neodeskpet.core.dialects.request_block import CALL_INDEX
from neodeskpet.core.dialects.signature import sign
from neodeskpet.core.foreign import defuse
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
from neodeskpet.core.windows.calls import ACT
from neodeskpet.core.windows.render import log_window
from neodeskpet.core.wire import (
    ResponseFinished,
    TextDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)

_PROMPT = """\
You act by writing a block of this form, anywhere in your reply:
<tool_call>{"calls":[{"window_id":"notes","action_id":"add","params":{"text":"milk"}}]}</tool_call>
Inside is JSON: a list of calls, which run one after another, or one such call without "calls". \
window_id and action_id name a window below or in the conversation and one of its actions; params \
are what the action's params say, ? marks what may be left out. Write no ids and no modes. Outside \
the block write as usual. What came of the calls is told to you in a log window; never write that \
yourself. Don't explain the blocks.
"""

_RESULT = '<Window id="log_'
"""A model that writes this after a call makes up what the call gave."""
_MARK = re.compile(rf"<(?P<end>/)?tool_call\s{{0,9}}>|(?P<result>{_RESULT})", re.IGNORECASE)
_BEGUN = re.compile(r"</?tool_call\s{0,9}", re.IGNORECASE)
_HALF = ("<tool", "</tool")
_WORDS = ("<tool_call", "</tool_call", _RESULT.lower())


class _CallReader:
    """One response: text in, text and tool calls out."""

    def __init__(self) -> None:
        self._held = ""
        self._fences = FenceTracker()
        self._ticks = False  # a code span is open on this line
        self._block: CallBlock | None = None
        self._begun = False  # the block's first call was told
        self._over = False  # it makes up what its calls gave: all that follows builds on that
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
        rest = "" if self._over else text
        while rest:
            if self._block is None:
                rest = yield from self._take_text(rest)
            else:
                rest = yield from self._take_block(self._block, rest)

    def _take_text(self, text: str) -> Generator[WireEvent, None, str]:
        """Show text up to a mark; returns what follows it."""
        buffer, self._held = self._held + text, ""
        start = 0
        for mark in _MARK.finditer(buffer):
            yield from self._show(buffer[start : mark.start()])
            start = mark.start()
            if self._in_code() or (mark["result"] and not self._calls):
                continue
            if mark["result"]:
                self._over = True
                return ""
            if not mark["end"]:  # an end mark alone closes nothing: it is dropped
                self._block = CallBlock()
            return buffer[mark.end() :]
        cut = len(buffer) - _partial(buffer[start:])
        yield from self._show(buffer[start:cut])
        if self._in_code():
            yield from self._show(buffer[cut:])
        else:
            self._held = buffer[cut:]
        return ""

    def _in_code(self) -> bool:
        return self._fences.open or self._ticks

    def _take_block(self, block: CallBlock, text: str) -> Generator[WireEvent, None, str]:
        body = block.feed(text)
        if body is None:
            if not self._begun and block.acts:
                self._begun = True
                yield ToolCallStarted(CALL_INDEX + self._calls, "", ACT)
            return ""
        yield from self._call(body.text)
        return body.rest

    def _call(self, body: str) -> Iterator[WireEvent]:
        for event in read_block(body, CALL_INDEX + self._calls, begun=self._begun):
            self._calls += isinstance(event, ToolCallReady)
            yield event
        self._block, self._begun = None, False

    def _show(self, text: str) -> Iterator[WireEvent]:
        if not text:
            return
        self._fences.feed(text)
        line = text.rpartition("\n")[2]
        if len(line) < len(text):
            self._ticks = False
        self._ticks ^= bool(line.count("`") % 2)
        yield TextDelta(self._index, text)

    def _flush(self) -> Iterator[WireEvent]:
        """At the end: half a mark was text, unless it began a call."""
        while self._block is not None:
            body = self._block.finish()
            if body is None:
                if not self._begun:
                    yield ToolCallStarted(CALL_INDEX + self._calls, "", ACT)
                self._block, self._begun = None, False
            else:
                yield from self._call(body.text)
                yield from self._take(body.rest)
        held, self._held = self._held, ""
        if not (held.lower().startswith(_HALF) or self._calls):
            yield from self._show(held)


def _partial(text: str) -> int:
    """How many characters at the end of `text` may be the beginning of a mark."""
    last = text.rfind("<")
    tail = text[last:].lower() if last >= 0 else ""
    begun = tail and any(word.startswith(tail) for word in _WORDS)
    return len(tail) if begun or (tail and _BEGUN.fullmatch(tail)) else 0


class _ToolCall:
    name = "tool_call"
    native = False
    stops = (_RESULT,)

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        others = "".join(_action(tool) for tool in tools if tool.name != ACT)
        if not tools:
            return ""
        window = (
            f'<Window id="{TOOLS}"><description>Tools.</description><actions>{others}</actions>'
            "</Window>"
        )
        return _PROMPT + (window if others else "")

    def reader(self) -> Reader:
        return _CallReader()

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Calls and results as text; two user messages in a row become one."""
        out: list[ModelMessage] = []
        logs = 0
        for message in messages:
            if isinstance(message, ToolResults):
                logs += 1
            rendered = _render(message, logs)
            last = out[-1] if out else None
            if isinstance(rendered, UserTurn) and isinstance(last, UserTurn):
                out[-1] = UserTurn(last.parts + rendered.parts)
            else:
                out.append(rendered)
        return out


def _action(tool: ToolSpec) -> str:
    params = escape(defuse(sign(tool.parameters)), quote=False).replace('"', "'")
    about = escape(defuse(tool.description), quote=False)
    return f'<action id="{tool.name}" params="{params}" mode="{tool.mode}">{about}</action>'


def _render(message: ModelMessage, log: int) -> ModelMessage:
    match message:
        case AssistantTurn(parts=parts):
            kept = (part for part in parts if not isinstance(part, ThinkingPart))
            return AssistantTurn((TextPart("\n".join(_word_part(part) for part in kept)),))
        case ToolResults(results=results):
            told = "\n".join(_word_result(result) for result in results)
            return UserTurn((TextPart(log_window(log, told)),))
        case _:
            return message


def _word_part(part: TextPart | CallPart) -> str:
    if isinstance(part, TextPart):
        return part.text
    arguments: object = part.arguments
    if part.name != ACT:
        arguments = {"window_id": TOOLS, "action_id": part.name, "params": part.arguments}
    return f"<tool_call>{json.dumps(arguments, ensure_ascii=False)}</tool_call>"


def _word_result(result: ResultPart) -> str:
    """Of calls in windows the lines that they gave; of a tool one of that form."""
    if result.name == ACT:
        return result.output
    return f"{TOOLS}.{result.name} -> {'ok' if result.ok else 'error'}: {result.output}"


TOOL_CALL: Dialect = _ToolCall()
