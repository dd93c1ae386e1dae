"""A call in a code fence, as JSON (also with tags around it) or in the tags of a family, or JSON in
tags that say as little: what many models write that were never trained to call.

llama.cpp `common/chat.cpp` (Hermes 2 Pro), vLLM `xlam_tool_parser.py`.
"""

import re

from neodeskpet.core.dialects.leaked.families.plain import bare_json
from neodeskpet.core.dialects.leaked.families.tagged import (
    glm,
    hunyuan,
    invoke_tags,
    named_tags,
    qwen3_coder,
    seed_oss,
)
from neodeskpet.core.dialects.leaked.families.tokens import hermes
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_INFO = re.compile(r"[A-Za-z_]{0,16}[ \t]{0,8}")
_INFOS = frozenset({"", "json", "tool_call", "tool_calls", "tool", "xml", "function_call"})
_TAGS = ("tool_call", "function_call", "tool_calls", "function_calls", "tools", "tool", "function")

_MARKED = (
    *(hermes.FAMILY, qwen3_coder.FAMILY, glm.FAMILY, hunyuan.LIST, hunyuan.PAIRS),
    *(invoke_tags.FAMILY, named_tags.FAMILY, seed_oss.FAMILY),
)
_ALONE = tuple(f"<{one}>" for one in ("tools", "tool", "function", "response", "json", "JSON"))


def _read(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError
    yield from source.expect("```")
    info = yield from source.matching(_INFO)
    if info.strip() not in _INFOS:
        raise NoCallError
    yield from source.expect("\n", "\r\n")
    yield from source.space()
    tags = tuple(f"<{one}>" for one in _TAGS) if info.strip() else ()
    while not (yield from source.starts("```")):
        if info.strip() and (yield from _read_marked(source)):
            yield from source.space()
            continue
        tag = yield from source.starts(*tags)
        yield from source.space()
        if (yield from source.peek()) not in "{[":
            raise NoCallError
        yield from bare_json.read(source)
        yield from source.space()
        if tag:
            yield from source.expect("</" + tag[1:])
            yield from source.space()


def _read_marked(source: Source) -> Reading[bool]:
    """A call in tags of a family's own; whether there is one."""
    if (yield from source.peek()) != "<":
        return False
    begun, items = source.at, list(source.items)
    for family in _MARKED:
        try:
            if not (yield from source.starts(*family.openings)):
                continue
            source.at = begun
            yield from family.read(source)
        except NoCallError:
            source.at, source.items = begun, list(items)
            continue
        if len(source.items) > len(items):
            return True
        source.at = begun
    return False


def _read_tagged(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError
    opening = yield from source.expect(*_ALONE)
    yield from source.space()
    yield from bare_json.read(source)
    yield from source.space()
    yield from source.expect("</" + opening[1:])


TAGGED = Family("tagged_json", _ALONE, _read_tagged, weak=True)
FAMILY = Family("fenced_json", ("```",), _read, weak=True)
