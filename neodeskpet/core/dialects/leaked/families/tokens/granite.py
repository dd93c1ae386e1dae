"""`<|tool_call|>[{"name": …}]` of Granite 3 and Phi-4-mini, `<tool_call>[…]` without an end, and
`<function_call> {…}` of Granite 20B and others.

IBM's and Microsoft's chat templates; vLLM `granite_tool_parser.py`,
`granite_20b_fc_tool_parser.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN = ("<|tool_call|>", "<function_call>")
_END = ("<|/tool_call|>", "</function_call>", "</|tool_call|>")


def _read(source: Source) -> Reading[None]:
    yield from marked(source, _BEGIN, _END)


FAMILY = Family("granite", _BEGIN, _read)
