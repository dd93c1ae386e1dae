"""Reads TOOL_REQUEST blocks (the form of the app's own text dialect) with wrong markers, such as
`<[TOOL_REQUEST]>`, and blocks in native mode, where a model imitates earlier messages. An invented
TOOL_RESULT is hidden.

Before this, `core/dialects/tool_request.py` has read the well-formed blocks of text mode.
"""

import re
from collections.abc import Mapping

from neodeskpet.core.dialects.leaked.json_calls import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    CutError,
    Family,
    Ignored,
    NoCallError,
    Reading,
    Source,
)

_SIGNS = ("", "<", "<<", "<<<", "<<<<", "《", "《《", "《《《")
_REQUESTS = tuple(f"{signs}[TOOL_REQUEST]" for signs in _SIGNS)
_RESULTS = tuple(f"{signs}[TOOL_RESULT]" for signs in _SIGNS)
_CLOSERS = re.compile(r"[>》]{0,64}")
_FIELD = re.compile(
    r"(?P<key>[A-Za-z_][\w.\-]{0,99})\s*[:：]\s*"
    r"(?:「始(?P<esc>ESCAPE)?」(?P<value>.*?)「末(?(esc)ESCAPE)」|(?P<bare>[^\n「]*))",
    re.DOTALL,
)


def _read(source: Source) -> Reading[None]:
    before = source.line().strip(" \t")
    opening = yield from source.expect(*_REQUESTS, *_RESULTS)
    if before and opening[1] not in "<《":
        raise NoCallError  # the text is about it
    yield from source.matching(_CLOSERS)
    begun = source.at
    wanted = opening in _REQUESTS
    try:
        body, _ = yield from source.until("[END_TOOL_REQUEST]" if wanted else "[END_TOOL_RESULT]")
        yield from source.matching(_CLOSERS)
    except CutError:
        source.begin(_fields(source.text[begun:]).get("tool_name", "") if wanted else "")
        source.cut(begun)
        source.items = source.items or [Ignored()]
        return
    if wanted:
        fields = _fields(body)
        source.call(fields.get("tool_name", ""), _arguments(fields))
    source.items = source.items or [Ignored()]


def _fields(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _FIELD.finditer(body):
        value = match["bare"] if match["value"] is None else match["value"]
        found.setdefault(match["key"].lower(), value.strip().rstrip(",，"))
    return found


def _arguments(fields: Mapping[str, str]) -> Mapping[str, object] | None:
    if "input_json" in fields:
        return arguments_of(fields["input_json"])
    return {key: value for key, value in fields.items() if key != "tool_name"}


FAMILY = Family("request_slips", (*_REQUESTS, *_RESULTS), _read)
