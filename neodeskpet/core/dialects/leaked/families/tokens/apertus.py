"""`<|tools_prefix|>[{"f": {"a": 1}}]<|tools_suffix|>`: Apertus.

Apertus's chat template; vLLM `apertus_tool_parser.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import Family, NoCallError, Reading, Source

_BEGIN, _END = "<|tools_prefix|>", "<|tools_suffix|>"


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_BEGIN)
    yield from source.space()
    read = yield from source.json()
    if not isinstance(read, list) or not all(isinstance(one, dict) for one in read):
        raise NoCallError
    for one in read:
        for heard, arguments in one.items():
            source.call(heard, arguments_of(arguments))
    yield from source.closing(_END)


FAMILY = Family("apertus", (_BEGIN,), _read)
