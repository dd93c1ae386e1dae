"""`<invoke name="f"><parameter name="a">1</parameter></invoke>`, in any wrapper or none: Claude's
own XML, MiniMax M2, and DeepSeek V3.2 with its marks stripped.

Anthropic's documentation of XML tool use; MiniMax-M2's chat template; vLLM
`minimax_m2_tool_parser.py`, SGLang `minimax_m2.py`.
"""

from neodeskpet.core.dialects.leaked.markup import invoke
from neodeskpet.core.dialects.leaked.source import Family, Reading, Source

_PREFIX = "antml:"
_WRAPPERS = ("minimax:tool_call", f"{_PREFIX}function_calls", "function_calls", "tool_calls")
_BEGIN = tuple(f"<{one}>" for one in _WRAPPERS)
_END = tuple(f"</{one}>" for one in _WRAPPERS)
_CALLS = ("<invoke name=", f"<{_PREFIX}invoke name=")


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_BEGIN)
    yield from source.space()
    while True:
        opening = yield from source.expect(*_CALLS)
        source.at -= len(opening)
        yield from invoke(source, _PREFIX if opening == _CALLS[1] else "")
        if (yield from source.closing(*_END)):
            return
        here = source.at
        yield from source.space()
        opening = yield from source.starts(*_CALLS)
        source.at = source.at - len(opening) if opening else here
        if not opening:
            return


FAMILY = Family("invoke_tags", (*_BEGIN, *_CALLS), _read)
