"""`<start_function_call>call:f{a:<escape>text<escape>}<end_function_call>` of FunctionGemma,
`<|tool_call>call:f{a:<|"|>text<|"|>}<tool_call|>` of Gemma 4, and `call:f{a:text}`, which a gateway
leaves of both.

Google's chat templates; vLLM `functiongemma_tool_parser.py` and `gemma4_tool_parser.py`.
"""

import re

from neodeskpet.core.dialects.leaked.source import (
    APART,
    NAME,
    Family,
    NoCallError,
    Reading,
    Source,
    load,
)

_BEGIN = ("<start_function_call>", "<|tool_call>")
_END = ("<end_function_call>", "<tool_call|>")
_RESULT = ("<start_function_response>", "<|tool_response>")  # where the model waits for it
_NAME = re.compile(r"[\w.\-]{0,128}")
_KEY = re.compile(r"[^\s:,{}\[\]<\"]{0,128}")
_BARE = re.compile(r"[^,{}\[\]<]{0,4096}")
_QUOTES = ("<escape>", '<|"|>', '"')
_DEEPEST = 32


def _read(source: Source) -> Reading[None]:
    yield from source.expect(*_BEGIN)
    while True:
        yield from source.space()
        yield from _call(source)
        if not (yield from source.closing(",", ";")):
            break
    yield from source.closing(*_END)
    yield from source.closing(*_RESULT)


def _call(source: Source) -> Reading[None]:
    yield from source.expect("call:")
    heard = yield from source.matching(_NAME)
    source.begin(heard)
    source.call(heard, (yield from _object(source, 0)))


def _object(source: Source, depth: int) -> Reading[dict[str, object]]:
    yield from source.expect("{")
    if depth > _DEEPEST:
        raise NoCallError
    out: dict[str, object] = {}
    yield from source.space()
    while not (yield from source.starts("}")):
        quote = yield from source.starts(*_QUOTES)
        if quote:
            key, _ = yield from source.until(quote)
        else:
            key = yield from source.matching(_KEY)
        yield from source.expect(":")
        yield from source.space()
        out[key] = yield from _value(source, depth)
        yield from source.space()
        yield from source.starts(",")  # FunctionGemma may leave it out
        yield from source.space()
    return out


def _list(source: Source, depth: int) -> Reading[list[object]]:
    yield from source.expect("[")
    if depth > _DEEPEST:
        raise NoCallError
    out: list[object] = []
    yield from source.space()
    while not (yield from source.starts("]")):
        out.append((yield from _value(source, depth)))
        yield from source.space()
        if (yield from source.expect(",", "]")) == "]":
            break
        yield from source.space()
    return out


def _value(source: Source, depth: int) -> Reading[object]:
    quote = yield from source.starts(*_QUOTES)
    if quote:
        return (yield from source.until(quote))[0]
    first = yield from source.peek()
    if first == "{":
        return (yield from _object(source, depth + 1))
    if first == "[":
        return (yield from _list(source, depth + 1))
    bare = (yield from source.matching(_BARE)).strip()
    try:
        return load(bare)
    except NoCallError:
        return bare


FAMILY = Family("gemma", _BEGIN, _read)
STRIPPED = Family("gemma stripped", (f"call:{NAME}{{",), _call, weak=True, within=APART)
