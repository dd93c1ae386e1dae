"""`<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>`: InternLM 2 and 3,
Intern-S1.

InternLM's chat template; vLLM `internlm2_tool_parser.py`, SGLang `internlm_detector.py`.
"""

from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN, _PLUGIN = "<|action_start|>", "<|plugin|>"


def _read(source: Source) -> Reading[None]:
    yield from source.starts(_BEGIN)
    yield from source.space()
    yield from marked(source, (_PLUGIN,), ("<|action_end|>",))


FAMILY = Family("internlm", (_BEGIN, _PLUGIN), _read)
