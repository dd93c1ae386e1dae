"""Python calls in a fence named `tool_code`, also inside `print(…)`, or in a tag of that name; or
after a bare line `tool_code`: Gemma 3 and Gemini.

Google's guide to function calling with Gemma, and what Gemini leaks.
"""

from neodeskpet.core.dialects.leaked import literals
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_FENCE, _TAG, _LINE = "```tool_code", "<tool_code>", "tool_code\n"
_ENDS = {_FENCE: "```", _TAG: "</tool_code>", _LINE: ""}


def _read(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError
    end = _ENDS[(yield from source.expect(*_ENDS))]
    while True:
        yield from source.space()
        if source.at >= len(source.text) and not end:
            return
        if end and (yield from source.starts(end)):
            return
        if not end and source.items and not (yield from _continues(source)):
            return
        yield from _line(source)


def _continues(source: Source) -> Reading[bool]:
    """Whether another call follows where no fence says where they end."""
    here = source.at
    found = yield from source.starts("print(", "default_api.", *source.offer.heard)
    source.at = here
    return bool(found)


def _line(source: Source) -> Reading[None]:
    printed = yield from source.starts("print(")
    yield from source.starts("default_api.")
    yield from literals.call(source)
    if printed:
        yield from source.space()
        yield from source.expect(")")


FAMILY = Family("tool_code", tuple(_ENDS), _read, weak=True)
