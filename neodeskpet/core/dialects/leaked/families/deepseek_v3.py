"""`<｜tool▁call▁begin｜>function<｜tool▁sep｜>f` with the arguments in a JSON fence: DeepSeek V3
and R1, the distilled ones with slips in the first marks; and what is left when a gateway strips
the marks.

DeepSeek-V3's chat template; vLLM `deepseekv3_tool_parser.py`, llama.cpp `common/chat.cpp`.
"""

from neodeskpet.core.dialects.leaked.objects import arguments_of
from neodeskpet.core.dialects.leaked.source import NAME, Family, NoCallError, Reading, Source

_BEGIN = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool_calls_begin｜>",
    "<｜tool calls begin｜>",
    "<｜tool\\_calls\\_begin｜>",
    "<｜tool▁calls｜>",
)
_CALL = "<｜tool▁call▁begin｜>"
_CALL_END = "<｜tool▁call▁end｜>"
_END = "<｜tool▁calls▁end｜>"
_SEP = "<｜tool▁sep｜>"


def _read(source: Source) -> Reading[None]:
    yield from source.starts(*_BEGIN)
    while True:
        yield from source.space()
        begun = yield from source.starts(_CALL)
        yield from source.expect("function")
        yield from source.expect(_SEP)
        yield from _call(source)
        if not (yield from source.closing(_CALL_END)) and not begun:
            raise NoCallError
        yield from source.space()
        if not (yield from source.starts(_CALL)):
            break
        source.at -= len(_CALL)
    yield from source.closing(_END)


def _call(source: Source) -> Reading[None]:
    """The name, and the arguments in a fence or bare."""
    heard, _ = yield from source.until("\n")
    heard = heard.strip()
    source.begin(heard)
    yield from source.space()
    fenced = yield from source.starts("```json", "```")
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))
    if fenced:
        yield from source.closing("```")


def _read_stripped(source: Source) -> Reading[None]:
    yield from source.expect("function")
    heard = yield from source.expect(*source.offer.heard)
    yield from source.space()
    source.begin(heard)
    if not (yield from source.starts("```json")):
        raise NoCallError
    yield from source.space()
    source.call(heard, arguments_of((yield from source.json())))
    yield from source.closing("```")


FAMILY = Family("deepseek_v3", (*_BEGIN, _CALL), _read)
STRIPPED = Family("deepseek_v3 stripped", (f"function{NAME}",), _read_stripped, weak=True)
