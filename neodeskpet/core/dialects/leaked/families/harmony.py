"""Channels: `<|channel|>analysis<|message|>` is thinking, `final` is the answer, and
`<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}` is a call: gpt-oss. And
`assistantcommentary to=functions.f json{…}`, which a gateway leaves of it.

OpenAI's guide to the Harmony format; vLLM `openai_tool_parser.py`, SGLang `gpt_oss_detector.py`,
llama.cpp `common/chat.cpp` (gpt-oss).
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    Family,
    NoCallError,
    Nothing,
    Reading,
    Source,
    Thought,
)

_HEAD = re.compile(r"[^<\n{]{0,160}")
_HEADER = re.compile(
    r"\s*(?P<role>assistant)?\s*(?:(?P<channel>analysis|commentary|final)\b)?"
    r"\s*(?:to=(?P<to>[\w.\-]+))?\s*(?P<late>analysis|commentary|final)?\s*(?:json|code)?\s*"
)
_INNER = ("<|channel|>", "<|constrain|>", "<|message|>")
_FIRST = {"<|start|>": ("assistant",), "<|channel|>": ("analysis", "commentary", "final")}
_CLOSING = ("<|call|>", "<|end|>", "<|return|>")
_OPENING = ("<|start|>", "<|channel|>")
_STRIPPED = (
    "assistantcommentary to=functions.",
    "commentary to=functions.",
    "assistant to=functions.",
    "to=functions.",
)


def _read(source: Source) -> Reading[None]:
    header = yield from source.starts(*_OPENING)
    if header:
        header += yield from source.expect(*_FIRST[header])
    while not header.endswith("<|message|>"):
        if header and len(header) > 400:
            raise NoCallError
        header += yield from source.matching(_HEAD)
        header += yield from source.expect(*_OPENING, *_INNER)
    yield from _message(source, header)


def _message(source: Source, header: str) -> Reading[None]:
    """What a message with this header is."""
    plain = re.sub(r"<\|\w+\|>", " ", header)
    match = _HEADER.fullmatch(plain)
    if match is None:
        raise NoCallError
    heard = (match["to"] or "").removeprefix("functions.")
    channel = match["channel"] or match["late"]
    if heard:
        source.begin(heard)
        yield from source.space()
        source.call(heard, arguments_of((yield from source.json())))
        yield from source.closing(*_CLOSING)
    elif channel == "analysis":
        source.items.append(Thought(_CLOSING, _OPENING))
    else:
        source.items.append(Nothing())


def _read_end(source: Source) -> Reading[None]:
    yield from source.expect(*_CLOSING)
    source.items.append(Nothing())


def _read_stripped(source: Source) -> Reading[None]:
    yield from source.expect(*_STRIPPED)
    heard = yield from source.expect(*source.offer.heard)
    source.begin(heard)
    for words in (("commentary", "analysis"), ("json", "code")):
        yield from source.space()
        yield from source.starts(*words)
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))


FAMILY = Family("harmony", (*_OPENING, "to=functions."), _read)
END = Family("harmony end", _CLOSING, _read_end)
STRIPPED = Family("harmony stripped", _STRIPPED, _read_stripped)
