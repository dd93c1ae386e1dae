"""`<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`: Kimi K2, and
`functions.f:0{…}`, which a gateway leaves of it.

Kimi-K2's chat template and `tool_call_guidance.md`; vLLM `kimi_k2_tool_parser.py`, SGLang
`kimik2_detector.py`.
"""

import re

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import APART, NAME, Family, Reading, Source

_SECTION = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
_SECTION_END = ("<|tool_calls_section_end|>", "<|tool_call_section_end|>")
_CALL = "<|tool_call_begin|>"
_HEAD = re.compile(r"[^<\n]{0,160}")
_NUMBER = re.compile(r"[0-9]{0,9}")


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_SECTION)
    yield from source.space()
    yield from source.expect(_CALL)
    while True:
        heard = _plain((yield from source.matching(_HEAD)))
        source.begin(heard)
        yield from source.space()
        yield from source.expect("<|tool_call_argument_begin|>")
        yield from source.space()
        source.call(heard, arguments_of((yield from source.json())))
        yield from source.closing("<|tool_call_end|>")
        here = source.at
        yield from source.space()
        if not (yield from source.starts(_CALL)):
            source.at = here
            break
    yield from source.closing(*_SECTION_END)


def _plain(heard: str) -> str:
    """The name in `functions.name:0`."""
    return re.sub(r":\d+$", "", heard.strip()).removeprefix("functions.")


def _read_stripped(source: Source) -> Reading[None]:
    yield from source.expect("functions.")
    heard = yield from source.expect(*source.offer.heard)
    yield from source.expect(":")
    yield from source.matching(_NUMBER)
    yield from source.space()
    source.begin(heard)
    source.call(heard, arguments_of((yield from source.json())))


FAMILY = Family("kimi_k2", (*_SECTION, _CALL), _read)
STRIPPED = Family("kimi_k2 stripped", (f"functions.{NAME}:",), _read_stripped, within=APART)
