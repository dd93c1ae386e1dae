"""`[TOOL_CALLS] [{"name": …, "arguments": {…}}]` of the older ones, `[TOOL_CALLS]f[ARGS]{…}` with
or without `[CALL_ID]…` of the newer, also `f[ARGS]{…}` alone: Mistral; xLAM writes the first.

mistral-common's tokenizers; vLLM `mistral_tool_parser.py`, SGLang `mistral_detector.py`,
llama.cpp `common/chat.cpp` (Magistral).
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of, objects
from neodeskpet.core.dialects.leaked.source import (
    NAME,
    SENTENCE,
    Family,
    Reading,
    Source,
)

_MARK = "[TOOL_CALLS]"
_HEAD = re.compile(r"[^\[{\n]{0,128}")


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_MARK)
    yield from source.space()
    heard = (yield from source.matching(_HEAD)).strip()
    if (yield from source.starts("[CALL_ID]")):
        yield from source.until("[ARGS]")
    elif not (yield from source.starts("[ARGS]")) and (yield from source.peek()) == "[":
        yield from objects(source)  # what stood before the list says nothing
        return
    elif not heard:
        yield from objects(source)
        return
    yield from source.space()
    source.begin(heard)
    source.call(heard, arguments_of((yield from source.json())))


def _read_stripped(source: Source) -> Reading[None]:
    heard = yield from source.expect(*source.offer.heard)
    yield from source.expect("[ARGS]")
    source.begin(heard)
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))


FAMILY = Family("mistral", (_MARK,), _read)
STRIPPED = Family("mistral stripped", (f"{NAME}[ARGS]",), _read_stripped, within=SENTENCE)
