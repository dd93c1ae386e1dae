"""`>>>f` with JSON on the next line, and `>>>all` before words: Functionary 3.2;
`<|recipient|>f\n<|content|>{…}`: 2. (3.1 and Llama write `<function=f>{…}`, which
is read with Qwen3-Coder's tags.)

MeetKai's chat templates; llama.cpp `common/chat.cpp` (functionary v3.2).
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import (
    NAME,
    Family,
    NoCallError,
    Nothing,
    Reading,
    Source,
)

_ALL = ">>>all\n"
_FROM, _RECIPIENT = "<|from|>assistant", "<|recipient|>"
_HEAD = re.compile(r"[^<\n]{0,128}")


def _read(source: Source) -> Reading[None]:
    yield from source.expect(">>>")
    heard = yield from source.expect(*source.offer.heard)
    yield from source.space()
    if (yield from source.peek()) != "{":
        raise NoCallError
    source.begin(heard)
    source.call(heard, arguments_of((yield from source.json())))


def _read_all(source: Source) -> Reading[None]:
    if source.line().strip():
        raise NoCallError
    yield from source.expect(_ALL)
    source.items.append(Nothing())


def _read_recipient(source: Source) -> Reading[None]:
    yield from source.starts(_FROM)
    yield from source.space()
    yield from source.expect(_RECIPIENT)
    heard = (yield from source.matching(_HEAD)).strip()
    yield from source.space()
    yield from source.expect("<|content|>")
    if heard == "all":
        source.items.append(Nothing())
        return
    source.begin(heard)
    source.call(heard, arguments_of((yield from source.json())))
    yield from source.closing("<|stop|>")


ALL = Family("functionary all", (_ALL,), _read_all)
RECIPIENT = Family("functionary 2", (_FROM, _RECIPIENT), _read_recipient)
FAMILY = Family("functionary", (f">>>{NAME}",), _read)
