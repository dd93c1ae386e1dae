"""`<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>`: InternLM 2 and 3,
Intern-S1.

InternLM's chat template; vLLM `internlm2_tool_parser.py`, SGLang `internlm_detector.py`.
"""

from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN = "<|action_start|>"


def _read(source: Source) -> Reading[None]:
    yield from source.expect(_BEGIN)
    yield from source.space()
    yield from marked(source, ("<|plugin|>",), ("<|action_end|>",))


FAMILY = Family("internlm", (_BEGIN,), _read)
