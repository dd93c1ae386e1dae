"""`<｜tool▁call▁begin｜>f<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`: DeepSeek V3.1 and V3.2-Exp.

DeepSeek-V3.1's chat template; vLLM `deepseekv31_tool_parser.py`, SGLang `deepseekv31_detector.py`.
"""

import re

from neodeskpet.core.dialects.leaked.families.tokens.deepseek_v3 import (
    BEGIN,
    CALL,
    CALL_END,
    END,
    SEP,
)
from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_HEAD = re.compile(r"[^<\n]{0,128}")


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*BEGIN)
    yield from source.space()
    yield from source.expect(*CALL)
    while True:
        heard = (yield from source.matching(_HEAD)).strip()
        source.begin(heard)
        yield from source.space()
        yield from source.expect(*SEP)
        yield from source.space()
        source.call(heard, arguments_of((yield from source.json())))
        yield from source.closing(*CALL_END)
        yield from source.space()
        if not (yield from source.starts(*CALL)):
            break
    yield from source.closing(*END)


FAMILY = Family("deepseek_v31", (*BEGIN, *CALL), _read)
