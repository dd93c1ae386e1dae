"""`✿FUNCTION✿: f` and `✿ARGS✿: {…}`: Qwen's models, by the prompt of Qwen-Agent.

Qwen-Agent's `qwen_fncall_prompt.py`.
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, Nothing, Reading, Source

_FUNCTION, _ARGS, _RESULT, _RETURN = "✿FUNCTION✿", "✿ARGS✿", "✿RESULT✿", "✿RETURN✿"
_HEAD = re.compile(r"[^\n✿]{0,128}")


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_FUNCTION)
    heard = (yield from source.matching(_HEAD)).strip(" :：")
    source.begin(heard)
    yield from source.space()
    yield from source.expect(_ARGS)
    yield from source.starts(":", "：")
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))
    yield from source.closing(_RESULT)


def _read_return(source: Source) -> Reading[None]:
    yield from source.expect(_RETURN)
    yield from source.starts(":", "：")
    source.items.append(Nothing())


FAMILY = Family("qwen_agent", (_FUNCTION,), _read)
RETURN = Family("qwen_agent return", (_RETURN,), _read_return)
