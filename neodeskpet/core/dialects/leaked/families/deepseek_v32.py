"""`<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">…`: DeepSeek V3.2 and V4.

DeepSeek-V3.2's `encoding_dsv32.py`; vLLM `deepseekv32_tool_parser.py`, SGLang
`deepseekv32_detector.py`. Stripped of its marks it is the Anthropic-like form.
"""

from neodeskpet.core.dialects.leaked.markup import invoke
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN = ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>")
_END = ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>")
_CALL = "<｜DSML｜invoke name="


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_BEGIN)
    yield from source.space()
    while True:
        yield from invoke(source, "｜DSML｜")
        if (yield from source.closing(*_END)):
            return
        here = source.at
        yield from source.space()
        if not (yield from source.starts(_CALL)):
            source.at = here
            return
        source.at -= len(_CALL)


FAMILY = Family("deepseek_v32", (*_BEGIN, _CALL), _read)
