"""Reads calls of MiniMax M3: `]<]minimax[>[<tool_call>` around `]<]minimax[>[<invoke name="f">`
with a tag for each parameter (`]<]minimax[>[<city>Oslo]<]minimax[>[</city>`), lists and objects as
nested tags.

MiniMax-M3's chat template; the parsers of vLLM, SGLang, Dynamo and ATOM. The mark before a tag may
be missing, or may remain alone where the tag was removed.
"""

import re

from neodeskpet.core.dialects.leaked.source import (
    Family,
    Ignored,
    NoCallError,
    Reading,
    Source,
)

MARK = "]<]minimax[>["
_CALLS, _CALLS_END = "<tool_call>", "</tool_call>"
_INVOKE = re.compile(r"<invoke\s+name=[\"']([^\"'\n]{1,128})[\"']\s*>(.*?)</invoke>", re.DOTALL)
_NAME = re.compile(r"<invoke\s+name=[\"']([^\"'\n]{1,128})[\"']")
_TAG = re.compile(rf"(?P<mark>{re.escape(MARK)})?<(?P<end>/?)(?P<name>[\w.-]{{1,128}})>")
_DEEPEST = 32


def _read(source: Source) -> Reading[None]:
    yield from source.expect(MARK)
    yield from source.space()
    opening = yield from source.starts(_CALLS, "<invoke ")
    if not opening:
        source.items.append(Ignored())
        return
    begun = source.at - len(opening)
    end = _CALLS_END if opening == _CALLS else "</invoke>"
    while end not in source.text[begun:]:
        named = _NAME.search(source.text, begun)
        source.begin(named[1] if named else "")
        yield from source.more()
    source.at = source.text.index(end, begun) + len(end)
    text = source.text[begun : source.at]
    for heard, inside in _INVOKE.findall(text.replace(f"{MARK}<invoke", "<invoke")):
        source.written(heard, _values(inside))
    if not source.items and not source.spoil(begun, source.at):
        raise NoCallError


def _values(text: str) -> dict[str, object]:
    """Return the parameters in an `<invoke>`."""
    values: dict[str, object] = {}
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        if tag["end"]:
            at = tag.end()
            continue
        value, at = _value(text, tag, 0)
        values[tag["name"]] = value
    return values


def _value(text: str, tag: re.Match[str], depth: int) -> tuple[object, int]:
    """Return the value between `tag` and its end tag, and the position after that."""
    name = tag["name"]
    inner: list[tuple[str, object]] = []
    at = begun = tag.end()
    while (found := _TAG.search(text, at)) is not None:
        if found["end"] and found["name"] == name:
            return _joined(inner, text[begun : found.start()]), found.end()
        at = found.end()
        if found["mark"] and not found["end"]:  # a tag without the mark is part of the value
            if depth > _DEEPEST:
                raise NoCallError
            value, at = _value(text, found, depth + 1)
            inner.append((found["name"], value))
    raise NoCallError


def _joined(inner: list[tuple[str, object]], text: str) -> object:
    """Return nested tags as a list of `item`s or as an object, otherwise the text."""
    if not inner:
        return text.replace(MARK, "")
    names = {name for name, _ in inner}
    if names == {"item"} or len(names) < len(inner):
        return [value for _, value in inner]
    return dict(inner)


FAMILY = Family("minimax_m3", (MARK,), _read)
