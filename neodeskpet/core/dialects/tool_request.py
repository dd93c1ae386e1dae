"""The default text dialect: TOOL_REQUEST blocks in the reply, TOOL_RESULT blocks as answers.

`marker_reader.py` reads it. A block that is never closed is reported to the model as a failed call;
its text stays hidden. If the model invents the result of its call, the rest of the reply is hidden.
`leaked/own_blocks.py` reads marks with errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence

from neodeskpet.core.dialects.dialect import Dialect, ReplyReader, list_tools
from neodeskpet.core.dialects.marker_reader import (
    BlockSyntax,
    IgnoredRest,
    MarkedBlock,
    MarkerReader,
)
from neodeskpet.core.dialects.request_block import (
    CALL_INDEX,
    MARKER,
    BlockEnd,
    RequestBlock,
    partial_marker,
)
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
from neodeskpet.core.wire import WireEvent

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


class _RequestSyntax(BlockSyntax):
    """The `MarkerSyntax` of one response."""

    marks = MARKER
    trailing = ">》"
    spans = False

    def __init__(self) -> None:
        self._calls = 0

    def partial(self, text: str) -> int:
        return partial_marker(text)

    def open_block(self, mark: re.Match[str]) -> MarkedBlock | str:
        if mark["end"]:
            return ""  # no open block: dropped
        if mark["kind"].upper() != "REQUEST":
            return IgnoredRest() if self._calls else _InventedResult()
        self._calls += 1
        return _OpenRequest(CALL_INDEX + self._calls - 1)

    def hides_unfinished(self, held: str) -> bool:
        """Return whether `held` is more than a single "<", which is text."""
        return held.startswith("<<")


class _OpenRequest:
    """One call. `index` is its wire index."""

    def __init__(self, index: int) -> None:
        self._block = RequestBlock(index)

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        end: BlockEnd | None = yield from self._block.feed(text)
        return None if end is None else end.rest

    def finish(self) -> Generator[WireEvent, None, str]:
        yield from self._block.abandon()
        return ""


class _InventedResult:
    """A result without a call; it is hidden up to the next marker, which is then read as
    in text.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        buffer = self._held + text
        marker = MARKER.search(buffer)
        if marker is not None:
            return buffer[marker.start() :]
        self._held = buffer[len(buffer) - partial_marker(buffer) :]
        return None
        yield

    def finish(self) -> Generator[WireEvent, None, str]:
        return ""
        yield


class _ToolRequest:
    name = "tool_request"
    native = False
    stops = ("<<<[TOOL_RESULT]>>>",)

    def announce(self, tools: Sequence[ToolSpec]) -> str:
        if not tools:
            return ""
        return _PROMPT + list_tools(tools)

    def reader(self, tools: Sequence[ToolSpec] = ()) -> ReplyReader:
        return MarkerReader(_RequestSyntax())

    def render(self, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
        """Return calls and results as text, with consecutive user messages joined."""
        return join_turns(_render(message) for message in messages)


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
    arguments = _CLOSING.sub(r"\\u300c\1", arguments)  # equal in JSON; not allowed inside ESCAPE
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
    # No escape exists, so the mark is split and closes nothing.
    value = _CLOSING.sub(r"「 \1", value)
    return f"「始{mark}」{value}「末{mark}」"


TOOL_REQUEST: Dialect = _ToolRequest()
