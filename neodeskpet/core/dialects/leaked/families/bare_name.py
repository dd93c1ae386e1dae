"""`f{…}` and a line `f` with JSON after it: Functionary 3.2 without its `>>>`, and what the marks
of Mistral and DeepSeek V3.1 are stripped to.

llama.cpp `common/chat.cpp` (functionary v3.2, Magistral).
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import NAME, Family, NoCallError, Reading, Source


def _read(source: Source) -> Reading[None]:
    heard = yield from source.expect(*source.offer.heard)
    yield from source.space()
    if (yield from source.peek()) != "{":
        raise NoCallError
    source.begin(heard)
    arguments = arguments_of((yield from source.json()))
    source.call(heard, arguments)


FAMILY = Family("bare_name", (NAME,), _read, weak=True)
