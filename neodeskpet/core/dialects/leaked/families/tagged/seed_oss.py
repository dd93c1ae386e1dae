"""`<seed:tool_call><function=f><parameter=a>1</parameter></function></seed:tool_call>`: Seed-OSS.

Seed-OSS's chat template; vLLM `seed_oss_tool_parser.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.markup import function
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source


def _read(source: Source) -> Reading[None]:
    yield from source.expect("<seed:tool_call>")
    yield from source.space()
    while not (yield from source.starts("</seed:tool_call>")):
        yield from function(source, paired=True)
        yield from source.space()


FAMILY = Family("seed_oss", ("<seed:tool_call>",), _read)
