"""`<steptml:invoke name="f"><steptml:parameter name="a">1</steptml:parameter></steptml:invoke>`
among `<｜tool_call_begin｜>function<｜tool_sep｜>`, of which a gateway leaves the word
"function": Step-3.

Step-3's chat template; vLLM `step3_tool_parser.py`, SGLang `step3_detector.py`.
"""

import re

from neodeskpet.core.dialects.leaked.markup import invoke
from neodeskpet.core.dialects.leaked.source import (
    APART,
    Family,
    NoCallError,
    Reading,
    Source,
)

_CALL = "<steptml:invoke name="
_BEGIN = ("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>")
_MARKS = (*_BEGIN, "<｜tool_sep｜>", "<｜tool_call_end｜>", "<｜tool_calls_end｜>")
_NAME_LINE = re.compile(r"[\w.\-]{0,128}")


def _read(source: Source) -> Reading[None]:
    while True:
        end = source.at
        yield from _between(source)
        if not (yield from source.starts(_CALL)):
            break
        source.at -= len(_CALL)
        yield from invoke(source, "steptml:")
    if not source.items:
        raise NoCallError
    source.at = end
    while (yield from source.closing(*_MARKS)):
        pass


def _between(source: Source) -> Reading[None]:
    """Marks, and what they hold: `function`, and the name once more."""
    yield from source.starts("function")
    yield from source.space()
    while (yield from source.starts(*_MARKS)):
        yield from source.space()
        yield from source.matching(_NAME_LINE)
        yield from source.space()


FAMILY = Family("step3", (*_BEGIN, _CALL, f"function{_CALL}"), _read, within=APART)
