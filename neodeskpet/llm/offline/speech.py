"""Steps on the wire, piece by piece: as native tool calls, or as TOOL_REQUEST blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.llm.offline.scripts import Refuse, Say, ScriptStep, Think, UseTool

_TOKEN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]{1,2}|[^\s\u3000-\u9fff\uff00-\uffef]+\s*|\s+")
_PIECE = 9
"""Characters of a delta of arguments or of a block: small, like a model's."""


def tokens(text: str) -> list[str]:
    """`text` in pieces of about a word, or two Chinese characters."""
    return _TOKEN.findall(text)


def write_response(
    steps: Sequence[ScriptStep], *, textual: bool, number: int = 0
) -> Iterator[WireEvent]:
    """One response. `number` is its round, for the ids of its calls."""
    return _speak_in_text(steps) if textual else _speak_natively(steps, number)


def _speak_natively(steps: Sequence[ScriptStep], number: int) -> Iterator[WireEvent]:
    index = -1
    previous: type[ScriptStep] | None = None
    for at, step in enumerate(steps):
        plain = isinstance(step, Say) and not isinstance(step, Refuse)
        kind: type[ScriptStep] = Say if plain else type(step)
        if kind is not previous or isinstance(step, UseTool):
            index += 1
        previous = kind
        match step:
            case Refuse(text=text):
                yield from (RefusalDelta(index, piece) for piece in tokens(text))
            case Say(text=text):
                yield from (TextDelta(index, piece) for piece in tokens(text))
            case Think(text=text):
                yield from (ThinkingDelta(index, piece) for piece in tokens(text))
            case UseTool(name=name, arguments=arguments):
                raw = json.dumps(arguments, ensure_ascii=False)
                yield ToolCallStarted(index, f"call_{number}_{at}", name)
                yield from (ToolArgsDelta(index, piece) for piece in _pieces(raw))
                yield ToolCallReady(index)
    calls = any(isinstance(step, UseTool) for step in steps)
    yield ResponseFinished(StopReason.TOOLS if calls else StopReason.END)


def _speak_in_text(steps: Sequence[ScriptStep]) -> Iterator[WireEvent]:
    for step in steps:
        match step:
            case Refuse(text=text):
                yield from (RefusalDelta(2, piece) for piece in tokens(escape_calls(text)))
            case Say(text=text):
                yield from (TextDelta(0, piece) for piece in tokens(escape_calls(text)))
            case Think(text=text):
                yield from (ThinkingDelta(1, piece) for piece in tokens(text))
            case UseTool(name=name, arguments=arguments):
                yield from (TextDelta(0, piece) for piece in _pieces(write_block(name, arguments)))
    yield ResponseFinished(StopReason.END)


def write_block(name: str, arguments: object) -> str:
    """A TOOL_REQUEST block; marks inside the values are written so that they end nothing."""
    raw = json.dumps(arguments, ensure_ascii=False)
    for mark in "「」<>":
        raw = raw.replace(mark, f"\\u{ord(mark):04x}")
    return (
        "\n<<<[TOOL_REQUEST]>>>\n"
        f"tool_name:「始」{name}「末」\n"
        f"input_json:「始」{raw}「末」\n"
        "<<<[END_TOOL_REQUEST]>>>\n"
    )


def escape_calls(text: str) -> str:
    """Words of the person that are repeated must not be read as a call."""
    return re.sub(r"<{2,}(?=\[)", "<", text)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
