"""`<tool_call><function=f><parameter=a>1</parameter></function></tool_call>`: Qwen3-Coder,
Nemotron 3, Step 3.5, and without the outer tags, which gateways strip.

Qwen3-Coder's chat template; vLLM `qwen3coder_tool_parser.py`, SGLang `qwen3_coder_detector.py`.
"""

from neodeskpet.core.dialects.leaked.markup import function
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source


def _read(source: Source) -> Reading[None]:
    yield from source.starts("<tool_call>")
    yield from source.space()
    yield from function(source)
    yield from source.closing("</tool_call>")


FAMILY = Family("qwen3_coder", ("<tool_call>", "<function=", '<function name="'), _read)
