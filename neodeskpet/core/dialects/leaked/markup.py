"""Calls as tags: `<invoke>` with `<parameter>`, `<function=…>`, `<arg_key>` with `<arg_value>`."""

from __future__ import annotations

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import NoCallError, Reading, Source, load

_PARAMETER = ("<parameter=", "<parameter name=")
_HEAD = re.compile(r"[^\n<{\[]{0,128}")


def invoke(source: Source, prefix: str = "") -> Reading[None]:
    """`<invoke name="f"><parameter name="a">1</parameter></invoke>`."""
    opening = f"<{prefix}parameter name="
    closing = f"</{prefix}invoke>"
    heard = yield from _attribute(source, f"<{prefix}invoke name=")
    source.begin(heard)
    arguments: dict[str, object] = {}
    yield from source.space()
    while (yield from source.expect(opening, closing)) == opening:
        source.at -= len(opening)
        key, raw = yield from _parameter(source, prefix)
        arguments[key] = raw
        yield from source.space()
    source.written(heard, arguments)


def _attribute(source: Source, opening: str) -> Reading[str]:
    """What is in the quotes after `opening`; passes the ">" too."""
    yield from source.expect(opening)
    quote = yield from source.expect('"', "'")
    text, end = yield from source.until(quote, "\n")
    if end == "\n":
        raise NoCallError
    yield from source.space()
    yield from source.expect(">")
    return text


def _parameter(source: Source, prefix: str) -> Reading[tuple[str, object]]:
    yield from source.expect(f"<{prefix}parameter name=")
    quote = yield from source.expect('"', "'")
    key, _ = yield from source.until(quote)
    attributes, _ = yield from source.until(">")
    text, _ = yield from source.until(f"</{prefix}parameter>")
    if 'string="false"' in attributes:
        try:
            return key, load(text)
        except NoCallError:
            return key, text
    return key, text


def function(source: Source, *, paired: bool = False) -> Reading[None]:
    """`<function=f>` with `<parameter=a>` or with one JSON object; `<function name="f">` too.

    A newline right after `<parameter=a>` and right before its end is no part of the value; when
    `paired`, the last one is only where there is a first.
    """
    opening = yield from source.expect("<function=", '<function name="')
    ends = (">",) if opening == "<function=" else ('">',)
    heard, _ = yield from source.until(*ends, "\n")
    source.begin(heard.strip("\"' "))
    yield from source.space()
    if (yield from source.peek()) == "{":
        arguments = arguments_of(load((yield from source.json_text())))
        source.call(heard, arguments)
        yield from source.closing("</function>")
        return
    values: dict[str, object] = {}
    while (yield from source.expect(*_PARAMETER, "</function>", "</tool_call>")) in _PARAMETER:
        key, _ = yield from source.until(">")
        text, end = yield from source.until("</parameter>", "<parameter=", "</function>")
        values[key.strip("\"' ")] = _trim(text, paired=paired)
        if end != "</parameter>":
            source.at -= len(end)
        yield from source.space()
    source.written(heard, values)


def _trim(text: str, *, paired: bool) -> str:
    begun = text.startswith("\n")
    text = text[1:] if begun else text
    return text[:-1] if text.endswith("\n") and (begun or not paired) else text


def arg_pairs(source: Source, suffix: str = "", *, open_end: bool = False) -> Reading[None]:
    """`f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`, from the name on. `open_end`:
    the last tag may be missing.
    """
    heard = yield from source.matching(_HEAD)
    source.begin(heard.strip())
    yield from source.starts(f"<tool_sep{suffix}>")
    yield from source.space()
    values: dict[str, object] = {}
    key_tag, end = f"<arg_key{suffix}>", f"</tool_call{suffix}>"
    tag = yield from source.expect(key_tag, end)
    while tag == key_tag:
        key, _ = yield from source.until(f"</arg_key{suffix}>")
        yield from source.space()
        yield from source.expect(f"<arg_value{suffix}>")
        values[key.strip()], _ = yield from source.until(f"</arg_value{suffix}>")
        here = source.at
        yield from source.space()
        if open_end and (source.at >= len(source.text) or source.text[source.at] != "<"):
            source.at = here
            break
        tag = yield from source.expect(key_tag, end)
    source.written(heard.strip(), values)
