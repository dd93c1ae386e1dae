"""`<function_calls>` around Python calls, one a line: Olmo 3.

Olmo 3's chat template; vLLM `olmo3_tool_parser.py`.
"""

from neodeskpet.core.dialects.leaked import literals
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN, _END = "<function_calls>", "</function_calls>"


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_BEGIN)
    while True:
        yield from source.space()
        if (yield from source.starts(_END)):
            return
        yield from literals.call(source)


FAMILY = Family("olmo3", (_BEGIN,), _read)
