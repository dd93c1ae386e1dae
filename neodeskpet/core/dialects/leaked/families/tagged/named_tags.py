"""`<tool_use><name>f</name><arguments>{…}</arguments></tool_use>`, and the same with other words:
clients that ask for tools in the prompt, Claude 2 and what was trained on it (there each argument
has a tag of its own).

Anthropic's old guide to tools in XML; the prompts of Cherry Studio and others.
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_AROUND = ("<function_calls>", "<tool_calls>", "<tool_uses>")
_CALLS = ("<invoke>", "<tool_use>", "<tool_call>", "<function_call>")
_NAMES = ("<tool_name>", "<name>", "<tool>", "<function>")
_ARGUMENTS = ("<parameters>", "<arguments>", "<params>", "<args>", "<input>")


def _read(source: Source) -> Reading[None]:
    around = yield from source.starts(*_AROUND)
    yield from source.space()
    opening = yield from source.expect(*_CALLS)
    while opening:
        yield from _call(source, opening)
        if around and (yield from source.closing(_end(around))):
            return
        here = source.at
        yield from source.space()
        opening = yield from source.starts(*_CALLS)
    source.at = here


def _call(source: Source, opening: str) -> Reading[None]:
    yield from source.space()
    tag = yield from source.expect(*_NAMES)
    heard, end = yield from source.until(_end(tag), "\n\n")
    heard = heard.strip()
    if end != _end(tag):
        raise NoCallError
    source.begin(heard)
    yield from source.space()
    arguments: dict[str, object] = {}
    tag = yield from source.starts(*_ARGUMENTS)
    if tag:
        yield from source.space()
        if (yield from source.peek()) == "{":
            source.call(heard, arguments_of((yield from source.json())))
            yield from _close(source, tag, opening)
            return
        while not (yield from source.starts(_end(tag))):
            yield from source.expect("<")
            key, _ = yield from source.until(">")
            arguments[key], _ = yield from source.until(f"</{key}>")
            yield from source.space()
    source.written(heard, arguments)
    yield from source.space()
    yield from source.expect(_end(opening))


def _close(source: Source, *tags: str) -> Reading[None]:
    for tag in tags:
        yield from source.space()
        yield from source.expect(_end(tag))


def _end(tag: str) -> str:
    return "</" + tag[1:]


FAMILY = Family("named_tags", (*_AROUND, *_CALLS), _read)
