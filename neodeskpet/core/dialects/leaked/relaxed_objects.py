"""Reads objects without quotation marks around keys and texts, as Gemma writes them:
`{a:text,b:[1,x]}`.
"""

import re

from neodeskpet.core.dialects.leaked.source import NoCallError, Reading, Source, load

_KEY = re.compile(r"[^\s:,{}\[\]<\"]{0,128}")
_BARE = re.compile(r"[^,{}\[\]<]{0,4096}")
_QUOTES = ("<escape>", '<|"|>', '"')
_DEEPEST = 32


def read(source: Source, depth: int = 0) -> Reading[dict[str, object]]:
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
        return (yield from read(source, depth + 1))
    if first == "[":
        return (yield from _list(source, depth + 1))
    bare = (yield from source.matching(_BARE)).strip()
    try:
        return load(bare)
    except NoCallError:
        return bare
