"""`f{…}` and a line `f` with JSON after it: Functionary 3.2 without its `>>>`, and what the marks
of Mistral and DeepSeek V3.1 are stripped to; `f:0{…}`, of Kimi K2's. Within a line only at once.

llama.cpp `common/chat.cpp` (functionary v3.2, Magistral).
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    NAME,
    SENTENCE,
    Family,
    NoCallError,
    Reading,
    Source,
)

_NUMBER = re.compile(r":?[0-9]{0,9}")


def _read(source: Source) -> Reading[None]:
    within = bool(source.line().strip())
    heard = yield from source.expect(*source.offer.heard)
    yield from source.matching(_NUMBER)
    if not within or source.called:
        yield from source.space()
    if (yield from source.peek()) != "{":
        raise NoCallError
    source.begin(heard)
    arguments = arguments_of((yield from source.json()))
    source.call(heard, arguments)


FAMILY = Family("bare_name", (NAME,), _read, weak=True, within=SENTENCE)
