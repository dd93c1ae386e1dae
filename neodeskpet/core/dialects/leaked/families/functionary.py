"""`>>>f` with JSON on the next line: Functionary 3.2. (3.1 and Llama write `<function=f>{…}`, which
is read with Qwen3-Coder's tags.)

MeetKai's chat templates; llama.cpp `common/chat.cpp` (functionary v3.2).
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import NAME, Family, NoCallError, Reading, Source


def _read(source: Source) -> Reading[None]:
    yield from source.expect(">>>")
    heard = yield from source.expect(*source.offer.heard)
    yield from source.space()
    if (yield from source.peek()) != "{":
        raise NoCallError
    source.begin(heard)
    source.call(heard, arguments_of((yield from source.json())))


FAMILY = Family("functionary", (f">>>{NAME}",), _read)
