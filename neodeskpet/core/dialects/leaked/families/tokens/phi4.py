"""`functools[{"name": …, "arguments": {…}}]`: Phi-4-mini and FireFunction v2.

Microsoft's and Fireworks' chat templates; vLLM `phi4mini_tool_parser.py`, llama.cpp
`common/chat.cpp` (FireFunction v2).
"""

from neodeskpet.core.dialects.leaked.objects import listed
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source


def _read(source: Source) -> Reading[None]:
    yield from source.expect("functools")
    yield from source.space()
    yield from listed(source)


FAMILY = Family("phi4", ("functools[", "functools ["), _read)
