"""`<｜tool▁call▁begin｜>f<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`: DeepSeek V3.1 and V3.2-Exp.

DeepSeek-V3.1's chat template; vLLM `deepseekv31_tool_parser.py`, SGLang `deepseekv31_detector.py`.
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN = ("<｜tool▁calls▁begin｜>", "<｜tool▁calls｜>")
_CALL = "<｜tool▁call▁begin｜>"
_CALL_END = "<｜tool▁call▁end｜>"
_END = "<｜tool▁calls▁end｜>"


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_BEGIN)
    yield from source.space()
    yield from source.expect(_CALL)
    while True:
        heard, _ = yield from source.until("<｜tool▁sep｜>")
        source.begin(heard.strip())
        yield from source.space()
        source.call(heard.strip(), arguments_of((yield from source.json())))
        yield from source.closing(_CALL_END)
        yield from source.space()
        if not (yield from source.starts(_CALL)):
            break
    yield from source.closing(_END)


FAMILY = Family("deepseek_v31", (*_BEGIN, _CALL), _read)
