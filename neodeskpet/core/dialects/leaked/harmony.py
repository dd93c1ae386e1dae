"""Reads the channels of gpt-oss: `<|channel|>analysis<|message|>` is thinking, `final` is the
answer, and `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}` is a call. Also
the forms that remain if a gateway strips the marks: `analysisWe need …assistantcommentary
to=functions.f json{…}` and `assistantfinal…`. Any reply could begin with such a word; it counts
only if a word with which gpt-oss begins its thinking follows directly.

OpenAI's guide to the Harmony format; vLLM `openai_tool_parser.py`, SGLang `gpt_oss_detector.py`,
llama.cpp `common/chat.cpp` (gpt-oss).
"""

import re

from neodeskpet.core.dialects.leaked.json_calls import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    APART,
    Family,
    Ignored,
    NoCallError,
    Reading,
    Source,
    Thought,
)
from neodeskpet.core.untrusted import THINKING_WORDS

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
_ROLE = ("assistantanalysis", "assistantcommentary", "assistantfinal", "assistant to=functions.")
_BARE = ("analysis", "commentary")
_WORD = re.compile(r"[A-Za-z]{0,12}")


def _read(source: Source) -> Reading[None]:
    header = yield from source.starts(*_OPENING)
    if header:
        yield from source.space()
        header += yield from source.expect(*_FIRST[header])
    while not header.endswith("<|message|>"):
        if header and len(header) > 400:
            raise NoCallError
        header += yield from source.matching(_HEAD)
        header += yield from source.expect(*_OPENING, *_INNER)
    yield from _message(source, header)


def _message(source: Source, header: str) -> Reading[None]:
    """Read a message by its header."""
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
        source.items.append(Ignored())


def _read_end(source: Source) -> Reading[None]:
    yield from source.expect(*_CLOSING)
    source.items.append(Ignored())


def _read_stripped(source: Source) -> Reading[None]:
    yield from source.expect(*_STRIPPED)
    heard = yield from source.expect(*source.tools.heard)
    source.begin(heard)
    for words in (("commentary", "analysis"), ("json", "code")):
        yield from source.space()
        yield from source.starts(*words)
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))


def _read_head(source: Source) -> Reading[None]:
    """Read the beginning of a message without marks."""
    found = yield from source.expect(*_ROLE, *_BARE)
    if found in _BARE:
        if source.said:
            raise NoCallError
        here = source.at
        word = yield from source.matching(_WORD)
        if word not in THINKING_WORDS:
            raise NoCallError
        source.at = here
    channel = found.removeprefix("assistant")
    if (yield from source.starts(" to=")):
        raise NoCallError
    if channel == "final":
        source.items.append(Ignored())
    elif channel in _BARE:
        source.items.append(Thought((), _ROLE, said=channel == "commentary"))
    else:
        raise NoCallError


FAMILIES = (
    Family("harmony", (*_OPENING, "to=functions."), _read),
    Family("harmony stripped", _STRIPPED, _read_stripped),
    Family("harmony within", _STRIPPED[:2], _read_stripped, within=APART),
    Family("harmony head", (*_ROLE, *_BARE), _read_head),
    Family("harmony end", _CLOSING, _read_end),
)
