"""The dialect of app windows: calls are `<tool_call>{"calls": […]}</tool_call>` blocks, and windows
are the answers. A block that is never closed is reported to the model as a failed call; its text
stays hidden.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate

from neodeskpet.core.app_windows.window import log_window
from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.call_arguments import repair_arguments
from neodeskpet.core.dialects.dialect import Dialect, ReplyReader, parameter_signature
from neodeskpet.core.dialects.marker_reader import (
    BlockBodyReader,
    BlockSyntax,
    IgnoredRest,
    MarkedBlock,
    MarkerReader,
)
from neodeskpet.core.dialects.request_block import CALL_INDEX
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import read_json
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
from neodeskpet.core.untrusted import escape_markers
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

CLOSING_MARKER = re.compile(r"</tool_call\s{0,9}>", re.IGNORECASE)
TOOLS_WINDOW = "tools"
"""The window with the tools that belong to no app."""

_ACTS = re.compile(
    rf'\s*\{{\s*(?:"calls"\s*:\s*\[\s*\{{\s*)?"window_id"\s*:\s*"(?!{TOOLS_WINDOW}")[^"\\]*"',
    re.IGNORECASE,
)


def is_window_call(text: str) -> bool:
    """Return whether the first call of a block, as far as it has arrived, is a call in a window."""
    return _ACTS.match(text) is not None


def read_call_block(text: str, index: int, *, begun: bool = False) -> Iterator[WireEvent]:
    """Yield the calls of a block as a decoder would. `index` is that of the first call; `begun`:
    its start was already yielded. Unreadable text becomes one call, which is answered with the
    error.
    """
    calls = list(_grouped(_entries(text)))
    if not calls or (calls[0][0] != ACT_TOOL and (begun or is_window_call(text))):
        calls = [(ACT_TOOL, text.strip())]
    for number, (name, raw) in enumerate(calls):
        if number or not begun:
            yield ToolCallStarted(index + number, "", name)
        yield ToolArgsDelta(index + number, raw)
        yield ToolCallReady(index + number)


def _entries(text: str) -> list[object]:
    """Return the list of calls, or the single one; empty if it can't be read."""
    try:
        value = read_json(text, strict=True)
    except ValueError:
        value = None
    if isinstance(value, list):
        return value
    try:
        arguments = repair_arguments(text)[0]
    except InvalidArguments:
        return []
    calls = next((one for key, one in arguments.items() if key.casefold() == "calls"), arguments)
    if isinstance(calls, list):
        return calls
    return [calls] if calls is arguments and arguments else []


def _grouped(entries: list[object]) -> Iterator[tuple[str, str]]:
    """Yield names and arguments: each tool call separately, consecutive calls in windows
    together.
    """
    group: list[object] = []
    for entry in entries:
        tool = _tool_call(entry)
        if tool is None:
            group.append(entry)
            continue
        if group:
            yield ACT_TOOL, _written({"calls": group})
            group = []
        name, params = tool
        yield name, _written(params)
    if group:
        yield ACT_TOOL, _written({"calls": group})


def _written(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _tool_call(entry: object) -> tuple[str, Mapping[str, object]] | None:
    """Return the tool and the arguments of an entry: in the window of tools, or in the common form
    (`{"name", "arguments"}`). None for a call in a window of an app.
    """
    if not isinstance(entry, Mapping):
        return None
    keys = {str(key).casefold().replace("_", ""): value for key, value in entry.items()}
    if keys.get("windowid") == TOOLS_WINDOW:
        name, params = keys.get("actionid"), keys.get("params")
    elif "windowid" not in keys and "actionid" not in keys:
        name, params = keys.get("name"), keys.get("arguments")
    else:
        return None
    if not isinstance(name, str) or not isinstance(params, Mapping | None):
        return None
    return name, params or {}


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
"""A model that writes this after a call invents the result."""
_MARK = re.compile(rf"<(?P<end>/)?tool_call\s{{0,9}}>|(?P<result>{_RESULT})", re.IGNORECASE)
_BEGUN = re.compile(r"</?tool_call\s{0,9}", re.IGNORECASE)
_HALF = ("<tool", "</tool")
_WORDS = ("<tool_call", "</tool_call", _RESULT.lower())


class _CallSyntax(BlockSyntax):
    """The `MarkerSyntax` of one response."""

    marks = _MARK
    trailing = ""
    spans = True

    def __init__(self) -> None:
        self.made = 0

    def partial(self, text: str) -> int:
        return _partial(text)

    def is_marker(self, mark: re.Match[str]) -> bool:
        return not mark["result"] or self.made > 0

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | str:
        if mark["result"]:
            return IgnoredRest()
        return "" if mark["end"] else _CallBlock(self)  # an end mark alone is dropped

    def hides_unfinished(self, held: str) -> bool:
        return held.lower().startswith(_HALF) or self.made > 0


class _CallBlock:
    """One block; its calls are counted in `calls`."""

    def __init__(self, calls: _CallSyntax) -> None:
        self._calls = calls
        self._body = BlockBodyReader(CLOSING_MARKER)
        self._begun = False  # the start of the first call was yielded

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        body = self._body.feed(text)
        if body is None:
            if not self._begun and is_window_call(self._body.text):
                yield self._begin()
            return None
        yield from self._tell(body.text)
        return body.rest

    def finish(self) -> Generator[WireEvent, None, str]:
        body = self._body.finish()
        if body is None:
            if not self._begun:
                yield self._begin()
            return ""
        yield from self._tell(body.text)
        return body.rest

    def _begin(self) -> WireEvent:
        self._begun = True
        return ToolCallStarted(CALL_INDEX + self._calls.made, "", ACT_TOOL)

    def _tell(self, body: str) -> Iterator[WireEvent]:
        for event in read_call_block(body, CALL_INDEX + self._calls.made, begun=self._begun):
            self._calls.made += isinstance(event, ToolCallReady)
            yield event


def _partial(text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of a mark."""
    last = text.rfind("<")
    tail = text[last:].lower() if last >= 0 else ""
    begun = tail and any(word.startswith(tail) for word in _WORDS)
    return len(tail) if begun or (tail and _BEGUN.fullmatch(tail)) else 0


class _ToolCall:
    name = "tool_call"
    native = False
    stops = (_RESULT,)

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        others = "".join(_action(tool) for tool in tools if tool.name != ACT_TOOL)
        if not tools:
            return ""
        window = (
            f'<Window id="{TOOLS_WINDOW}"><description>Tools.</description>'
            f"<actions>{others}</actions></Window>"
        )
        return _PROMPT + (window if others else "")

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        return MarkerReader(_CallSyntax())

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Return calls and results as text, with consecutive user messages joined."""
        counts = accumulate(isinstance(message, ToolResults) for message in messages)
        return join_turns(map(_render, messages, counts))


def _action(tool: ToolSpec) -> str:
    params = escape(escape_markers(parameter_signature(tool.parameters)), quote=False).replace(
        '"', "'"
    )
    about = escape(escape_markers(tool.description), quote=False)
    return f'<action id="{tool.name}" params="{params}" mode="{tool.mode}">{about}</action>'


def _render(message: ModelMessage, log: int) -> ModelMessage:
    match message:
        case AssistantTurn(parts=parts):
            kept = (part for part in parts if not isinstance(part, ThinkingPart))
            return AssistantTurn((TextPart("\n".join(_word_part(part) for part in kept)),))
        case ToolResults(results=results):
            text = "\n".join(_word_result(result) for result in results)
            return UserTurn((TextPart(log_window(log, text)),))
        case _:
            return message


def _word_part(part: TextPart | CallPart) -> str:
    if isinstance(part, TextPart):
        return part.text
    arguments: object = part.arguments
    if part.name != ACT_TOOL:
        arguments = {"window_id": TOOLS_WINDOW, "action_id": part.name, "params": part.arguments}
    return f"<tool_call>{json.dumps(arguments, ensure_ascii=False)}</tool_call>"


def _word_result(result: ResultPart) -> str:
    """Return the text of a result: for calls in windows their lines, for a tool a line of the same
    form.
    """
    if result.name == ACT_TOOL:
        return result.output
    return f"{TOOLS_WINDOW}.{result.name} -> {'ok' if result.ok else 'error'}: {result.output}"


TOOL_CALL: Dialect = _ToolCall()
