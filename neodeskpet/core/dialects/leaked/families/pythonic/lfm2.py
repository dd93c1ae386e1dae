"""`<|tool_call_start|>[f(a=1)]<|tool_call_end|>`: LFM2, which may write JSON there too.

Liquid's chat template; vLLM `lfm2_tool_parser.py`, SGLang `lfm2_detector.py`.
"""

from neodeskpet.core.dialects.leaked import literals, objects
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN, _END = "<|tool_call_start|>", "<|tool_call_end|>"


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_BEGIN)
    yield from source.space()
    yield from literals.listed(source)
    yield from source.closing(_END)


def _read_json(source: Source) -> Reading[None]:
    yield from objects.marked(source, (_BEGIN,), (_END,))


FAMILY = Family("lfm2", (_BEGIN,), _read)
JSON = Family("lfm2 json", (_BEGIN,), _read_json)
