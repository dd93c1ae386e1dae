"""`<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen 2.5 and 3, ERNIE 4.5,
Granite 4, LongCat, Nemotron, xLAM; `<functioncall>` of Glaive and Cohere-like finetunes.

The form of NousResearch's chat templates; vLLM `hermes_tool_parser.py`, `ernie45_tool_parser.py`,
`longcat_tool_parser.py`, `nemotron_json_tool_parser.py`, SGLang `qwen25_detector.py`.
"""

from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_BEGIN = ("<tool_call>", "<longcat_tool_call>", "<TOOLCALL>", "<functioncall>")
_END = ("</tool_call>", "</longcat_tool_call>", "</TOOLCALL>", "</functioncall>")


def _read(source: Source) -> Reading[None]:
    yield from marked(source, _BEGIN, _END)


FAMILY = Family("hermes", _BEGIN, _read)
