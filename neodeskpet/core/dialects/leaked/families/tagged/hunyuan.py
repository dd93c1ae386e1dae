"""`<tool_calls>[{"name": …}]</tool_calls>` of Hunyuan A13B (Jamba and MiniMax M1 write it too), and
`<tool_calls><tool_call>f<tool_sep><arg_key>…` of the newer ones, with a suffix in the open models.

Hunyuan's chat templates; vLLM `hunyuan_a13b_tool_parser.py`, `jamba_tool_parser.py`,
`minimax_tool_parser.py`, SGLang `hunyuan_detector.py`.
"""

from neodeskpet.core.dialects.leaked.markup import arg_pairs
from neodeskpet.core.dialects.leaked.objects import marked
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_SUFFIXES = ("", ":opensource")
_BEGIN = tuple(f"<tool_calls{one}>" for one in _SUFFIXES)


def _read_list(source: Source) -> Reading[None]:
    yield from marked(source, ("<tool_calls>",), ("</tool_calls>",))


def _read_pairs(source: Source) -> Reading[None]:
    suffix = _SUFFIXES[_BEGIN.index((yield from source.expect(*_BEGIN)))]
    end = f"</tool_calls{suffix}>"
    while True:
        yield from source.space()
        if (yield from source.expect(f"<tool_call{suffix}>", end)) == end:
            return
        yield from arg_pairs(source, suffix)


LIST = Family("hunyuan", ("<tool_calls>",), _read_list)
PAIRS = Family("hunyuan pairs", _BEGIN, _read_pairs)
