"""`<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">…`: DeepSeek V3.2 and V4.
With double bars and a blank (`<｜｜DSML｜｜ invoke name="f">`): V4.1.

DeepSeek-V3.2's `encoding_dsv32.py`; vLLM `deepseekv32_tool_parser.py`, SGLang
`deepseekv32_detector.py`. Stripped of its marks it is the Anthropic-like form.
"""

from neodeskpet.core.dialects.leaked.markup import invoke
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_MARKS = tuple(
    f"{bars}DSML{bars}{blank}" for bars in ("｜｜", "||", "｜", "|") for blank in ("", " ")
)
_WRAPPERS = ("function_calls", "tool_calls", "calls")
_BEGIN = tuple(f"<{mark}{one}>" for mark in _MARKS for one in _WRAPPERS)
_END = tuple(f"</{mark}{one}>" for mark in _MARKS for one in _WRAPPERS)
_CALLS = {f"<{mark}invoke name=": mark for mark in _MARKS}


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_BEGIN)
    yield from source.space()
    opening = yield from source.expect(*_CALLS)
    while opening:
        source.at -= len(opening)
        yield from invoke(source, _CALLS[opening])
        if (yield from source.closing(*_END)):
            return
        here = source.at
        yield from source.space()
        opening = yield from source.starts(*_CALLS)
    source.at = here


FAMILY = Family("deepseek_v32", (*_BEGIN, *_CALLS), _read)
